/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATS_ARENA_H
#define NVTXH_STATS_ARENA_H

/* The memory of statistics: never given back, and not from malloc, which may be annotated itself. Not API. */

#include "../config.h"
#include "../core/compiler.h"
#include "../core/system.h"

#if NVTXH_I_IMPL

#include <sys/mman.h>

/* Strict C hides it. */
#ifdef MAP_POPULATE
#define NVTXH_I_POPULATE MAP_POPULATE
#else
#define NVTXH_I_POPULATE 0x8000
#endif

struct nvtxh_i_stats_arena {
    char *next;
    size_t left;
};

NVTXH_I_C_BEGIN

/* Zeroed, on a cache line of its own; NULL if there is none. Whoever needs a second chunk is given it
 * with its pages, which costs a third of what faults do. */
static inline void *nvtxh_i_stats_take(struct nvtxh_i_stats_arena *arena, size_t size)
{
    size_t chunk = 65536;
    char *memory;

    size = (size + 63) & ~NVTXH_I_CAST(size_t, 63);
    if (arena->left < size) {
        chunk = size > chunk / 4 ? size : chunk;
        memory = NVTXH_I_CAST(char *, nvtxh_i_map(chunk, arena->next ? NVTXH_I_POPULATE : 0));
        if (!memory || chunk == size)
            return memory;
        arena->next = memory;
        arena->left = chunk;
    }
    memory = arena->next;
    arena->next += size;
    arena->left -= size;
    return memory;
}

#define NVTXH_I_STATS_TAKE(type, arena, size) NVTXH_I_CAST(type *, nvtxh_i_stats_take(arena, size))

NVTXH_I_C_END

#endif
#endif
