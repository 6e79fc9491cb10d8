/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_RANGE_POOL_H
#define NVTXH_IMPL_RANGE_POOL_H

/* The slots (records) of open process ranges. Each thread has a pool of slots, and only this thread
 * uses the pool's list of free slots. If a range ends on another thread or in another linked
 * object, its slot goes to the pool's list `returned`, which the pool's thread takes over when it
 * has no free slot. A new thread takes over the pool of an ended thread, so there are about as many
 * pools as there were threads with ranges at the same time. No function takes a lock. Not API. */

#include "../core/site.h"
#include "../core/symbols.h"
#include "../core/system.h"
#include "nvtx.h"

#include <errno.h>
#include <stdlib.h>

/* A slot is one cache line, so that threads using different slots do not slow each other down. */
struct nvtxh_i_range_slot {
    struct nvtxh_i_range_pool *pool;
    struct nvtxh_i_range_slot *next; /* the next slot in a list of free slots */
    uint32_t generation;             /* one more at each start and each end; odd: open */
    uint32_t resets;                 /* how often statistics had been reset when the range began */
    uintptr_t told; /* the domain's address; low bits (NVTXH_I_RANGE_...): who got the start */
    nvtxRangeId_t id;
    /* With statistics: */
    struct nvtxh_domain *domain;
    uint64_t ticks;
    size_t row; /* the row's number in the statistics; 0: not counted */
};
enum {
    NVTXH_I_RANGE_TOOL = 1,
    NVTXH_I_RANGE_STATS = 2,
};
#define NVTXH_I_RANGE_BITS ((uintptr_t)7)
enum { NVTXH_I_CACHE_LINE = 64 };

struct nvtxh_i_range_chunk {
    struct nvtxh_i_range_chunk *next;
    size_t n;
    char apart[NVTXH_I_CACHE_LINE - sizeof(void *) - sizeof(size_t)];
    struct nvtxh_i_range_slot entries[1]; /* `n` slots */
};

struct nvtxh_i_range_pool {
    struct nvtxh_i_range_slot *free;
    struct nvtxh_i_range_chunk *chunks;
    struct nvtxh_i_range_pool *next; /* in the list of all pools of the linked object */
    uint64_t owner;                  /* nvtxh_i_self() of the thread that has the pool */
    char apart[NVTXH_I_CACHE_LINE];
    struct nvtxh_i_range_slot *returned; /* slots given back by other threads or objects */
};

/* What each linked object keeps for each thread. */
struct nvtxh_i_range_here {
    struct nvtxh_i_range_pool *pool; /* equal to `own`; NULL: none yet, or it is being changed */
    struct nvtxh_i_range_pool *own;  /* the thread's pool, once it has one */
    uintptr_t busy; /* while `pool` is NULL: frame of the function that changes the pool; 0: none */
};

NVTXH_I_C_BEGIN

NVTXH_I_ASSERT(sizeof(struct nvtxh_i_range_slot) == NVTXH_I_CACHE_LINE, "see above");

NVTXH_I_LINKONCE struct nvtxh_i_range_pool *nvtxh_i_range_pools NVTXH_I_LINKED("range_pools");
NVTXH_I_LINKONCE __thread struct nvtxh_i_range_here nvtxh_i_range_here NVTXH_I_LINKED("range_here");

/* While a thread changes its pool, between nvtxh_i_range_in_pool() and nvtxh_i_range_out_of_pool(),
 * a signal handler on the thread finds no pool. If the handler ends a range, the range's slot is
 * returned as if by another thread. If the handler starts a range, it gets the zero range, and
 * nobody is told. If the handler leaves by longjmp, the free list is unchanged or lacks the slot
 * that was being moved. */
NVTXH_I_INLINE_LOCAL void nvtxh_i_range_in_pool(struct nvtxh_i_range_here *here) {
    __atomic_store_n(&here->busy, (uintptr_t)__builtin_frame_address(0), __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&here->pool, NULL, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

NVTXH_I_INLINE_LOCAL void nvtxh_i_range_out_of_pool(struct nvtxh_i_range_here *here,
                                                    struct nvtxh_i_range_pool *pool) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&here->pool, pool, __ATOMIC_RELAXED);
}

/* The thread's data. The asm stops gcc at -O1 from computing the address again at each use, which
 * in a shared object is a function call. */
NVTXH_I_INLINE_LOCAL struct nvtxh_i_range_here *nvtxh_i_range_of_thread(void) {
    struct nvtxh_i_range_here *here = &nvtxh_i_range_here;

    __asm__("" : "+r"(here));
    return here;
}

/* Takes a free slot of the thread's pool. NULL: none, but nvtxh_i_range_more() may find one. */
NVTXH_I_INLINE_LOCAL struct nvtxh_i_range_slot *nvtxh_i_range_alloc(
    struct nvtxh_i_range_here *here) {
    struct nvtxh_i_range_pool *pool = __atomic_load_n(&here->pool, __ATOMIC_RELAXED);
    struct nvtxh_i_range_slot *slot;

    if (NVTXH_I_UNLIKELY(!pool)) {
        return NULL;
    }
    nvtxh_i_range_in_pool(here);
    slot = pool->free;
    if (NVTXH_I_UNLIKELY(!slot)) {
        nvtxh_i_range_out_of_pool(here, pool);
        return NULL;
    }
    /* Stored with release, for a thread that takes the pool over later. */
    __atomic_store_n(&pool->free, slot->next, __ATOMIC_RELEASE);
    nvtxh_i_range_out_of_pool(here, pool);
    return slot;
}

/* Gives a slot back if it belongs to the calling thread's pool; false otherwise. */
NVTXH_I_INLINE_LOCAL bool nvtxh_i_range_give(struct nvtxh_i_range_here *here,
                                             struct nvtxh_i_range_slot *slot) {
    struct nvtxh_i_range_pool *pool = slot->pool;

    if (NVTXH_I_UNLIKELY(__atomic_load_n(&here->pool, __ATOMIC_RELAXED) != pool)) {
        return false;
    }
    nvtxh_i_range_in_pool(here);
    slot->next = pool->free;
    __atomic_store_n(&pool->free, slot, __ATOMIC_RELEASE);
    nvtxh_i_range_out_of_pool(here, pool);
    return true;
}

/* Gives a slot back to its pool, which may be another thread's. */
static inline void nvtxh_i_range_return(struct nvtxh_i_range_slot *slot) {
    struct nvtxh_i_range_slot **returned = &slot->pool->returned;

    slot->next = __atomic_load_n(returned, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(returned, &slot->next, slot, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
    }
}

/* --- making slots and pools --- */

NVTXH_I_INLINE_LOCAL size_t nvtxh_i_range_chunk_size(size_t n) {
    return sizeof(struct nvtxh_i_range_chunk) + (n - 1) * sizeof(struct nvtxh_i_range_slot);
}

/* Adds a chunk twice as large as the last chunk. Returns a list of its slots; NULL: no memory. */
NVTXH_I_COLD struct nvtxh_i_range_slot *nvtxh_i_range_grow(struct nvtxh_i_range_pool *pool) {
    size_t n = pool->chunks ? pool->chunks->n * 2 : 16, i;
    struct nvtxh_i_range_chunk *chunk =
        (struct nvtxh_i_range_chunk *)nvtxh_i_map(nvtxh_i_range_chunk_size(n), 0);
    struct nvtxh_i_range_slot *entries;

    if (!chunk) {
        return NULL;
    }
    entries = chunk->entries;
    for (i = 0; i < n; i++) {
        entries[i].pool = pool;
        entries[i].next = i + 1 < n ? &entries[i + 1] : NULL;
    }
    chunk->n = n;
    chunk->next = pool->chunks;
    pool->chunks = chunk;
    return entries;
}

/* The pool of a thread that has ended, or a new pool. NULL: no memory. */
NVTXH_I_COLD struct nvtxh_i_range_pool *nvtxh_i_range_own_pool(void) {
    uint64_t self = nvtxh_i_self(), owner;
    uint32_t process = (uint32_t)(self >> 32), thread = (uint32_t)self, other;
    struct nvtxh_i_range_pool *pool = __atomic_load_n(&nvtxh_i_range_pools, __ATOMIC_ACQUIRE);
    int i;

    /* Looks only at the 32 newest pools: with many threads, a search of all would be slow. */
    for (i = 0; pool && i < 32; i++, pool = pool->next) {
        owner = __atomic_load_n(&pool->owner, __ATOMIC_ACQUIRE);
        other = (uint32_t)owner;
        /* Compares the process, too, because a forked child must not take a pool of its parent. */
        if (owner >> 32 == process &&
            (other == thread || (syscall(SYS_tgkill, process, other, 0) && errno == ESRCH)) &&
            __atomic_compare_exchange_n(&pool->owner, &owner, self, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED)) {
            return pool;
        }
    }
    pool = (struct nvtxh_i_range_pool *)nvtxh_i_map(sizeof(*pool), 0);
    if (!pool) {
        return NULL;
    }
    pool->owner = self;
    pool->next = __atomic_load_n(&nvtxh_i_range_pools, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&nvtxh_i_range_pools, &pool->next, pool, false,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
    }
    return pool;
}

/* Finds a slot when nvtxh_i_range_alloc() has not: gets a pool if the thread has none, and looks in
 * the pool's free list, then among the returned slots, then in new memory. NULL: no memory, or this
 * is a signal handler that interrupts a change of the pool. */
NVTXH_I_EVENT struct nvtxh_i_range_slot *nvtxh_i_range_more(void) {
    struct nvtxh_i_range_here *here = nvtxh_i_range_of_thread();
    struct nvtxh_i_range_slot *slot = NULL;
    int saved_errno = errno;

    if (!here->pool && here->busy &&
        !nvtxh_i_is_left(here->busy, (uintptr_t)__builtin_frame_address(0))) {
        return NULL;
    }
    nvtxh_i_range_in_pool(here);
    if (!here->own) {
        here->own = nvtxh_i_range_own_pool();
    }
    if (here->own) {
        slot = __atomic_load_n(&here->own->free, __ATOMIC_ACQUIRE);
        if (!slot) {
            slot = __atomic_exchange_n(&here->own->returned, NULL, __ATOMIC_ACQUIRE);
        }
        if (!slot) {
            slot = nvtxh_i_range_grow(here->own);
        }
        __atomic_store_n(&here->own->free, slot ? slot->next : NULL, __ATOMIC_RELEASE);
    }
    nvtxh_i_range_out_of_pool(here, here->own);
    if (!here->own) {
        here->busy = 0;
    }
    errno = saved_errno;
    return slot;
}

/* Called when the linked object is unloaded. If a range is still open, frees nothing: somebody may
 * yet end the range. */
NVTXH_I_COLD void nvtxh_i_free_ranges(void) {
    struct nvtxh_i_range_pool *pool, *next_pool;
    struct nvtxh_i_range_chunk *chunk, *next;
    size_t i;

    for (pool = nvtxh_i_range_pools; pool; pool = pool->next) {
        for (chunk = pool->chunks; chunk; chunk = chunk->next) {
            for (i = 0; i < chunk->n; i++) {
                if (chunk->entries[i].generation & 1) {
                    return;
                }
            }
        }
    }
    for (pool = nvtxh_i_range_pools; pool; pool = next_pool) {
        next_pool = pool->next;
        for (chunk = pool->chunks; chunk; chunk = next) {
            next = chunk->next;
            munmap(chunk, nvtxh_i_range_chunk_size(chunk->n));
        }
        munmap(pool, sizeof(*pool));
    }
    nvtxh_i_range_pools = NULL;
}

NVTXH_I_C_END

#endif
