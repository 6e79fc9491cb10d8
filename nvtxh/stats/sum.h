/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATS_SUM_H
#define NVTXH_STATS_SUM_H

/* Writes a sum: what a thread has counted for one row. Not API. */

#include "../core/arch.h"
#include "layout.h"

#if NVTXH_I_IMPL

#include <stdint.h>

NVTXH_I_C_BEGIN

/* One thread writes: released, in the order in which they are written; for what is changed see arch.h. */
#define NVTXH_I_STATS_SET(member, value) __atomic_store_n(&(member), value, __ATOMIC_RELEASE)

/* Writes the bucket of the sample before, LAST. True if it has come to 0. */
NVTXH_I_INLINE bool nvtxh_i_stats_count(struct nvtxh_i_stats_sum *sum, uint32_t last)
{
    return nvtxh_i_add_one(&sum->buckets[NVTXH_I_CAST(size_t, last) - NVTXH_I_STATS_FIRST]);
}

/* Readers look at resets_asked again when they have read. */
static inline void nvtxh_i_stats_zero(struct nvtxh_i_stats_sum *sum)
{
    double zero = 0;
    size_t i;

    sum->depth = 0;
    NVTXH_I_STATS_SET(sum->last, NVTXH_I_STATS_FIRST + NVTXH_I_STATS_FEW);
    NVTXH_I_STATS_SET(sum->marks, 0u);
    NVTXH_I_STATS_SET(sum->total, 0u);
    NVTXH_I_STATS_SET(sum->within, 0u);
    NVTXH_I_STATS_SET(sum->min, UINT64_MAX);
    NVTXH_I_STATS_SET(sum->max, 0u);
    NVTXH_I_STATS_SET(sum->inner, 0u);
    __atomic_store(&sum->squares, &zero, __ATOMIC_RELEASE);
    for (i = 0; i < NVTXH_I_STATS_BUCKETS && (sum->more || i < NVTXH_I_STATS_FEW); i++) {
        if (i < NVTXH_I_STATS_FEW)
            NVTXH_I_STATS_SET(sum->buckets[i], 0u);
        if (sum->more)
            NVTXH_I_STATS_SET(sum->more[i], 0u);
    }
    NVTXH_I_STATS_SET(sum->count, 0u);
}

/* What a time's bucket and its square go by. */
NVTXH_I_INLINE double nvtxh_i_stats_moved(uint64_t ticks)
{
    return NVTXH_I_CAST(double, NVTXH_I_CAST(int64_t, ticks + NVTXH_I_STATS_OFFSET));
}

/* NVTXH_I_STATS_FIRST plus the number of the bucket. */
NVTXH_I_INLINE uint32_t nvtxh_i_stats_bucket_of(double moved)
{
    uint64_t bits;

    __builtin_memcpy(&bits, &moved, sizeof(bits));
    return NVTXH_I_CAST(uint32_t, bits >> 48);
}

/*
 * Adds a sample; WITHIN is the time spent in nested scopes, which is more than TICKS where one was ended
 * early. LAST: its bucket, which the next sample writes. A signal handler that counts the same row
 * meanwhile makes min, max, squares and the bucket those of one of the two samples; all else is exact.
 */
NVTXH_I_INLINE void nvtxh_i_stats_add(struct nvtxh_i_stats_sum *sum, uint32_t last, double moved,
                                      uint64_t ticks, uint64_t within)
{
    double squares = moved * moved + sum->squares;

    NVTXH_I_STATS_SET(sum->last, last);
    nvtxh_i_add(&sum->total, ticks);
    if (within)
        nvtxh_i_add(&sum->within, within);
    if (NVTXH_I_UNLIKELY(ticks < sum->min))
        NVTXH_I_STATS_SET(sum->min, ticks);
    if (NVTXH_I_UNLIKELY(ticks > sum->max))
        NVTXH_I_STATS_SET(sum->max, ticks);
    __atomic_store(&sum->squares, &squares, __ATOMIC_RELEASE);
    if (NVTXH_I_UNLIKELY(
            nvtxh_i_subtract_one(&sum->depth))) /* in recursion: the outer call counts */
        nvtxh_i_add(&sum->inner, ticks);
    nvtxh_i_add(&sum->count, 1u);
}

/* Adds N to a bucket in `more`. False: no memory. */
NVTXH_I_FN_COLD(bool nvtxh_i_stats_add_more(struct nvtxh_i_stats_sum *sum, uint32_t bucket,
                                            uint64_t n))
{
    uint64_t *more = sum->more;

    if (!more) {
        uint64_t *taken = NVTXH_I_STATS_TAKE(uint64_t, &sum->thread->arena,
                                             NVTXH_I_STATS_BUCKETS * sizeof(uint64_t));

        /* Unless a signal handler has come before. */
        if (__atomic_compare_exchange_n(&sum->more, &more, taken, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
            more = taken;
        if (!more)
            return false;
    }
    nvtxh_i_add(&more[bucket - NVTXH_I_STATS_FIRST], n);
    return true;
}

/* A bucket of 32 bits has come to 0. */
NVTXH_I_FN_COLD(void nvtxh_i_stats_carry(struct nvtxh_i_stats_sum *sum, uint32_t bucket))
{
    const uint64_t round = NVTXH_I_CAST(uint64_t, 1) << 32;

    if (!nvtxh_i_stats_add_more(sum, bucket, round))
        nvtxh_i_add(&sum->count, 0 - round);
}

/* Adds a sample of any length. */
static inline void nvtxh_i_stats_add_slowly(struct nvtxh_i_stats_sum *sum, uint64_t ticks,
                                            uint64_t within)
{
    double moved = nvtxh_i_stats_moved(ticks);
    uint32_t bucket = nvtxh_i_stats_bucket_of(moved), last = sum->last;

    if (bucket >= NVTXH_I_STATS_FIRST + NVTXH_I_STATS_FEW) {
        if (!nvtxh_i_stats_add_more(sum, bucket, 1)) {
            (void)nvtxh_i_subtract_one(&sum->depth);
            return;
        }
    } else {
        if (nvtxh_i_stats_count(sum, last))
            nvtxh_i_stats_carry(sum, last);
        last = bucket;
    }
    nvtxh_i_stats_add(sum, last, moved, ticks, within);
}

NVTXH_I_C_END

#endif
#endif
