/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATS_SUM_H
#define NVTXH_STATS_SUM_H

/*
 * What a thread has counted for one row: how it is written. Not API; part of stats.h.
 */

NVTXH_I_C_BEGIN

NVTXH_I_COLD bool nvtxh_i_stats_add_more(struct nvtxh_i_stats_sum *sum, uint32_t bucket,
                                         uint64_t n);
NVTXH_I_COLD void nvtxh_i_stats_carry(struct nvtxh_i_stats_sum *sum, uint32_t bucket);

/*
 * One thread writes: nothing here has to be one step for the others. Released, in the order in which
 * they are written.
 */
#define NVTXH_I_STATS_SET(member, value) __atomic_store_n(&(member), value, __ATOMIC_RELEASE)
#if NVTXH_I_FLAGS && !NVTXH_I_TSAN
/* One instruction, which no signal handler can come between; without a lock. */
#define NVTXH_I_STATS_ADD(member, value)                                                           \
    __asm__ volatile("addq %1, %0"                                                                 \
                     : "+m"(member)                                                                \
                     : "er"(NVTXH_I_CAST(uint64_t, value))                                         \
                     : "memory", "cc")
/* As it lies in its register. */
#define NVTXH_I_STATS_SET_DOUBLE(member, value)                                                    \
    __asm__ volatile("movsd %1, %0" : "=m"(member) : "x"(value) : "memory")
#else
#define NVTXH_I_STATS_ADD(member, value)                                                           \
    NVTXH_I_STATS_SET(member, __atomic_load_n(&(member), __ATOMIC_RELAXED) + (value))
#define NVTXH_I_STATS_SET_DOUBLE(member, value)                                                    \
    __atomic_store(&(member), &(value), __ATOMIC_RELEASE)
#endif

/* One more comes: write the bucket of the last one. True if that has come to 0. */
NVTXH_I_INLINE bool nvtxh_i_stats_count(struct nvtxh_i_stats_sum *sum, uint32_t last)
{
    uint32_t *counts = &sum->buckets[NVTXH_I_CAST(size_t, last) - NVTXH_I_STATS_FIRST];
    bool carry;

#if NVTXH_I_FLAGS && !NVTXH_I_TSAN
    __asm__ volatile("addl $1, %0" : "+m"(*counts), "=@ccc"(carry) : : "memory");
#else
    NVTXH_I_STATS_SET(*counts, *counts + 1);
    carry = !*counts;
#endif
    return carry;
}

/* One that was open no longer is; true if another still is, which it was within. */
NVTXH_I_INLINE bool nvtxh_i_stats_is_inner(struct nvtxh_i_stats_sum *sum)
{
#if NVTXH_I_FLAGS && !NVTXH_I_TSAN
    bool inner;

    __asm__ volatile("subl $1, %0" : "+m"(sum->depth), "=@ccne"(inner));
    return inner;
#else
    return --sum->depth;
#endif
}

/* Whoever still reads it looks at resets_asked again when he has. */
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
    NVTXH_I_STATS_SET_DOUBLE(sum->squares, zero);
    for (i = 0; i < NVTXH_I_STATS_BUCKETS && (sum->more || i < NVTXH_I_STATS_FEW); i++) {
        if (i < NVTXH_I_STATS_FEW)
            NVTXH_I_STATS_SET(sum->buckets[i], 0u);
        if (sum->more)
            NVTXH_I_STATS_SET(sum->more[i], 0u);
    }
    NVTXH_I_STATS_SET(sum->count, 0u);
}

/* What a time is counted by, and squared. */
NVTXH_I_INLINE double nvtxh_i_stats_moved(uint64_t ticks)
{
    return NVTXH_I_CAST(double, NVTXH_I_CAST(int64_t, ticks + NVTXH_I_STATS_OFFSET));
}

/* NVTXH_I_STATS_FIRST and the number of its bucket. */
NVTXH_I_INLINE uint32_t nvtxh_i_stats_bucket_of(double moved)
{
    uint64_t bits;

    __builtin_memcpy(&bits, &moved, sizeof(bits));
    return NVTXH_I_CAST(uint32_t, bits >> 48);
}

/*
 * One more, of so many ticks, some of them within what was annotated within, which may be more than
 * all where something was ended early. LAST: its bucket, which is yet to be written.
 */
NVTXH_I_INLINE void nvtxh_i_stats_add(struct nvtxh_i_stats_sum *sum, uint32_t last, double moved,
                                      uint64_t ticks, uint64_t within)
{
    double squares = moved * moved + sum->squares;

    NVTXH_I_STATS_SET(sum->last, last);
    NVTXH_I_STATS_ADD(sum->total, ticks);
    if (within)
        NVTXH_I_STATS_ADD(sum->within, within);
    if (NVTXH_I_UNLIKELY(ticks < sum->min))
        NVTXH_I_STATS_SET(sum->min, ticks);
    if (NVTXH_I_UNLIKELY(ticks > sum->max))
        NVTXH_I_STATS_SET(sum->max, ticks);
    NVTXH_I_STATS_SET_DOUBLE(sum->squares, squares);
    if (NVTXH_I_UNLIKELY(nvtxh_i_stats_is_inner(sum)))
        NVTXH_I_STATS_ADD(sum->inner, ticks);
    NVTXH_I_STATS_ADD(sum->count, 1u);
}

/* N more in a bucket that has no room for them. False: no memory. */
NVTXH_I_ONCE bool nvtxh_i_stats_add_more(struct nvtxh_i_stats_sum *sum, uint32_t bucket, uint64_t n)
{
    uint64_t *more = sum->more;

    if (!more) {
        more =
            NVTXH_I_CAST(uint64_t *, nvtxh_i_stats_take(&sum->thread->arena,
                                                        NVTXH_I_STATS_BUCKETS * sizeof(uint64_t)));
        __atomic_store_n(&sum->more, more, __ATOMIC_RELEASE);
    }
    if (!more)
        return false;
    NVTXH_I_STATS_ADD(more[bucket - NVTXH_I_STATS_FIRST], n);
    return true;
}

/* A bucket has come to 0. */
NVTXH_I_ONCE void nvtxh_i_stats_carry(struct nvtxh_i_stats_sum *sum, uint32_t bucket)
{
    const uint64_t round = NVTXH_I_CAST(uint64_t, 1) << 32;

    if (!nvtxh_i_stats_add_more(sum, bucket, round))
        NVTXH_I_STATS_ADD(sum->count, 0 - round);
}

/* The same, whatever the bucket. */
static inline void nvtxh_i_stats_add_slowly(struct nvtxh_i_stats_sum *sum, uint64_t ticks,
                                            uint64_t within)
{
    double moved = nvtxh_i_stats_moved(ticks);
    uint32_t bucket = nvtxh_i_stats_bucket_of(moved), last = sum->last;

    if (bucket >= NVTXH_I_STATS_FIRST + NVTXH_I_STATS_FEW) {
        if (!nvtxh_i_stats_add_more(sum, bucket, 1)) {
            sum->depth--;
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
