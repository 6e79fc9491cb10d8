/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CORE_ARENA_H
#define NVTXH_CORE_ARENA_H

/* Memory that is taken in small pieces, and given back all at once or never. It does not come from
 * malloc, which may be annotated itself, and which a signal handler that needs a piece may have
 * interrupted. This file includes headers of the C library, so only the implementation includes it.
 * Not API. */

#include "system.h"

/* MAP_POPULATE, which strict C (-std=c11) hides. */
#ifdef MAP_POPULATE
#define NVTXH_I_POPULATE MAP_POPULATE
#else
#define NVTXH_I_POPULATE 0x8000
#endif

enum { NVTXH_I_ARENA_LINE = 64 }; /* bytes before a chunk's first piece: one cache line */

struct nvtxh_i_arena_chunk {
    struct nvtxh_i_arena_chunk *next;
    size_t taken, size; /* in bytes; `taken` exceeds `size` once a piece did not fit */
};

struct nvtxh_i_arena {
    struct nvtxh_i_arena_chunk *chunks; /* small pieces come from the first chunk; NULL: no chunk */
};

NVTXH_I_C_BEGIN

/* Returns a zeroed piece of memory; NULL: no memory. ALIGN is a power of two up to 64, the same in
 * all calls for an arena. Any thread or signal handler may call this function at any moment,
 * because one atomic step takes a piece, and one adds a chunk. Chunks after the first are mapped
 * with MAP_POPULATE, which costs a third of what their page faults would. */
NVTXH_I_COLD void *nvtxh_i_arena_alloc(struct nvtxh_i_arena *arena, size_t size, size_t align) {
    struct nvtxh_i_arena_chunk *first = __atomic_load_n(&arena->chunks, __ATOMIC_ACQUIRE), *chunk,
                               **link;
    const size_t usual = 65536;
    bool large;
    size_t at;

    size = (size + align - 1) & ~(align - 1);
    large = size > usual / 4;
    if (first && !large) {
        at = __atomic_fetch_add(&first->taken, size, __ATOMIC_RELAXED);
        if (at + size <= first->size) {
            return (char *)first + at;
        }
    }
    at = large ? NVTXH_I_ARENA_LINE + size : usual;
    chunk = (struct nvtxh_i_arena_chunk *)nvtxh_i_map(at, first ? NVTXH_I_POPULATE : 0);
    if (!chunk) {
        return NULL;
    }
    chunk->taken = NVTXH_I_ARENA_LINE + size;
    chunk->size = at;
    /* A large piece gets a chunk of its own. The first chunk, which may have space for more, stays
     * the first. */
    link = first && large ? &first->next : &arena->chunks;
    chunk->next = __atomic_load_n(link, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(link, &chunk->next, chunk, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
    }
    return (char *)chunk + NVTXH_I_ARENA_LINE;
}

/* Gives back all memory of an arena that nobody uses any more. */
NVTXH_I_COLD void nvtxh_i_arena_free(struct nvtxh_i_arena *arena) {
    struct nvtxh_i_arena_chunk *chunk = arena->chunks, *next;

    for (arena->chunks = NULL; chunk; chunk = next) {
        next = chunk->next;
        munmap(chunk, chunk->size);
    }
}

NVTXH_I_C_END

#endif
