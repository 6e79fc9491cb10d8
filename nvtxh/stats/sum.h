/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATS_SUM_H
#define NVTXH_STATS_SUM_H

/* Writes a sum: what a thread has counted for one row. Not API. */

#include "../core/arch.h"
#include "layout.h"

#include <stdint.h>

NVTXH_I_C_BEGIN

/* Only one thread writes a sum. It uses release stores, so that readers see the stores in order.
 * For additions see core/arch.h. */
#define NVTXH_I_STATS_SET(member, value) __atomic_store_n(&(member), value, __ATOMIC_RELEASE)

/* Zeroes a sum, when resets_asked of its thread has changed. A reader that reads a half zeroed sum
 * also sees the new resets_asked, and drops what it has read. */
static inline void nvtxh_i_stats_zero(struct nvtxh_i_stats_sum *sum) {
    double zero = 0;
    size_t i;

    sum->depth = 0;
    NVTXH_I_STATS_SET(sum->last, NVTXH_I_STATS_NONE);
    NVTXH_I_STATS_SET(sum->marks, 0u);
    NVTXH_I_STATS_SET(sum->total, 0u);
    NVTXH_I_STATS_SET(sum->within, 0u);
    NVTXH_I_STATS_SET(sum->min, UINT64_MAX);
    NVTXH_I_STATS_SET(sum->max, 0u);
    NVTXH_I_STATS_SET(sum->inner, 0u);
    __atomic_store(&sum->squares, &zero, __ATOMIC_RELEASE);
    for (i = 0; i < NVTXH_I_STATS_BUCKETS && (sum->more || i < NVTXH_I_STATS_FEW); i++) {
        if (i < NVTXH_I_STATS_FEW) {
            NVTXH_I_STATS_SET(sum->buckets[i], 0u);
        }
        if (sum->more) {
            NVTXH_I_STATS_SET(sum->more[i], 0u);
        }
    }
    NVTXH_I_STATS_SET(sum->count, 0u);
}

/* ticks + 16 as a double, from which the bucket and the square are computed. */
NVTXH_I_INLINE_LOCAL double nvtxh_i_stats_moved(uint64_t ticks) {
    return (double)(int64_t)(ticks + NVTXH_I_STATS_OFFSET);
}

/* The number of a time's bucket, from NVTXH_I_STATS_FIRST on. MOVED: the time's ticks + 16. */
NVTXH_I_INLINE_LOCAL uint32_t nvtxh_i_stats_bucket_of(double moved) {
    uint64_t bits;

    __builtin_memcpy(&bits, &moved, sizeof(bits));
    return (uint32_t)(bits >> 48);
}

/* Adds N to a bucket of `more`, which is made if it is missing. False: no memory. */
NVTXH_I_COLD bool nvtxh_i_stats_add_more(struct nvtxh_i_stats_sum *sum, uint32_t bucket,
                                         uint64_t n) {
    uint64_t *more = sum->more;

    if (!more) {
        uint64_t *made = NVTXH_I_STATS_ALLOC(uint64_t, &sum->thread->arena,
                                             NVTXH_I_STATS_BUCKETS * sizeof(uint64_t));

        /* A signal handler may have set `more` first. */
        if (__atomic_compare_exchange_n(&sum->more, &more, made, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED)) {
            more = made;
        }
        if (!more) {
            return false;
        }
    }
    nvtxh_i_add(&more[bucket - NVTXH_I_STATS_FIRST], n);
    return true;
}

/* Moves the count of a half full bucket to `more`. If there is no memory, subtracts that count from
 * `count` instead. The bucket is empty if a signal handler has moved the count first. */
NVTXH_I_COLD void nvtxh_i_stats_carry(struct nvtxh_i_stats_sum *sum, uint32_t bucket) {
    uint32_t n =
        __atomic_exchange_n(&sum->buckets[bucket - NVTXH_I_STATS_FIRST], 0u, __ATOMIC_ACQ_REL);

    if (!nvtxh_i_stats_add_more(sum, bucket, n)) {
        nvtxh_i_add(&sum->count, 0 - (uint64_t)n);
    }
}

/* Adds a sample. WITHIN, the time of nested scopes, may exceed TICKS: nested scopes that overlap
 * each other count with their whole times. Counts the previous sample in its bucket, and keeps this
 * sample's bucket in `last`. If a signal handler counts the same row during this call, min, max,
 * squares and the buckets may miss one of the two samples; all else is exact. */
NVTXH_I_INLINE_LOCAL void nvtxh_i_stats_add(struct nvtxh_i_stats_sum *sum, uint32_t bucket,
                                            double moved, uint64_t ticks, uint64_t within) {
    uint32_t last = sum->last;
    uint32_t *last_count = &sum->buckets[(size_t)last - NVTXH_I_STATS_FIRST];
    double squares = moved * moved + sum->squares;

    nvtxh_i_add_32(last_count, 1);
    NVTXH_I_STATS_SET(sum->last, bucket);
    nvtxh_i_add(&sum->total, ticks);
    if (within) {
        nvtxh_i_add(&sum->within, within);
    }
    if (NVTXH_I_UNLIKELY(ticks < sum->min)) {
        NVTXH_I_STATS_SET(sum->min, ticks);
    }
    if (NVTXH_I_UNLIKELY(ticks > sum->max)) {
        NVTXH_I_STATS_SET(sum->max, ticks);
    }
    __atomic_store(&sum->squares, &squares, __ATOMIC_RELEASE);
    nvtxh_i_add_32(&sum->depth, 0u - 1);
    if (NVTXH_I_UNLIKELY(__atomic_load_n(&sum->depth, __ATOMIC_RELAXED))) {
        nvtxh_i_add(&sum->inner, ticks); /* in recursion, total_ns has only the outermost call */
    }
    nvtxh_i_add(&sum->count, 1);
    if (NVTXH_I_UNLIKELY(__atomic_load_n(last_count, __ATOMIC_RELAXED) >> 31)) {
        nvtxh_i_stats_carry(sum, last);
    }
}

/* Adds a sample of any length. A sample too long for `buckets` is counted in `more`. */
static inline void nvtxh_i_stats_add_slowly(struct nvtxh_i_stats_sum *sum, uint64_t ticks,
                                            uint64_t within) {
    double moved = nvtxh_i_stats_moved(ticks);
    uint32_t bucket = nvtxh_i_stats_bucket_of(moved);

    if (bucket >= NVTXH_I_STATS_NONE) {
        if (!nvtxh_i_stats_add_more(sum, bucket, 1)) {
            nvtxh_i_add_32(&sum->depth, 0u - 1);
            return;
        }
        bucket = NVTXH_I_STATS_NONE; /* the sample was counted in `more` */
    }
    nvtxh_i_stats_add(sum, bucket, moved, ticks, within);
}

NVTXH_I_C_END

#endif
