/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATS_ARENA_H
#define NVTXH_STATS_ARENA_H

/* The memory of statistics: never given back, and not from malloc, which may be annotated itself. Not API. */

#include "../config.h"
#include "../core/compiler.h"
#include "../core/system.h"

#if NVTXH_I_IMPL

#include <sys/mman.h>

/* MAP_POPULATE, which strict C hides. */
#ifdef MAP_POPULATE
#define NVTXH_I_POPULATE MAP_POPULATE
#else
#define NVTXH_I_POPULATE 0x8000
#endif

/* At the beginning of each chunk. */
struct nvtxh_i_stats_chunk {
    size_t used, size;
};

struct nvtxh_i_stats_arena {
    struct nvtxh_i_stats_chunk *chunk; /* NULL: none yet */
};

NVTXH_I_C_BEGIN

/* Returns zeroed memory, on its own cache line. NULL: no memory. A signal handler may call this at any moment: growing
 * `used` is one atomic step, and publishing a new chunk is another. Chunks after the first are mapped with
 * MAP_POPULATE, which costs a third of what their page faults would. */
static inline void *nvtxh_i_stats_take(struct nvtxh_i_stats_arena *arena, size_t size)
{
    struct nvtxh_i_stats_chunk *chunk = __atomic_load_n(&arena->chunk, __ATOMIC_RELAXED);
    const size_t chunk_size = 65536, line = 64;
    size_t at;

    size = (size + line - 1) & ~(line - 1);
    if (size > chunk_size / 4)
        return nvtxh_i_map(size, chunk ? NVTXH_I_POPULATE : 0);
    if (chunk) {
        at = __atomic_fetch_add(&chunk->used, size, __ATOMIC_RELAXED);
        if (at + size <= chunk->size)
            return NVTXH_I_BITS(char *, chunk) + at;
    }
    chunk = NVTXH_I_CAST(struct nvtxh_i_stats_chunk *, nvtxh_i_map(chunk_size, chunk ? NVTXH_I_POPULATE : 0));
    if (!chunk)
        return NVTXH_I_NULL;
    chunk->used = line + size;
    chunk->size = chunk_size;
    __atomic_store_n(&arena->chunk, chunk, __ATOMIC_RELAXED);
    return NVTXH_I_BITS(char *, chunk) + line;
}

#define NVTXH_I_STATS_TAKE(type, arena, size) NVTXH_I_CAST(type *, nvtxh_i_stats_take(arena, size))

NVTXH_I_C_END

#endif
#endif
