/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_STATS_LEAVE_H
#define NVTXH_IMPL_STATS_LEAVE_H

/*
 * The end of what is counted. Not API; part of stats.h.
 */

NVTXH_I_C_BEGIN

/* Where such a time is counted; room for the octave has to be there. */
NVTXH_I_INLINE unsigned nvtxh_i_stats_octave_of(uint64_t ticks)
{
    return (NVTXH_I_CAST(unsigned, __builtin_clzll(ticks | 16)) ^ 63u) - 4;
}

/*
 * One more, of so many ticks, some of them without what was within, which may be less than none
 * where something was ended early. INNER: it was open within itself.
 */
NVTXH_I_INLINE void nvtxh_i_stats_add(struct nvtxh_i_stats_sum *sum, uint64_t *count,
                                      uint64_t ticks, uint64_t self, bool inner)
{
    double squares = NVTXH_I_CAST(double, NVTXH_I_CAST(int64_t, ticks));

    squares *= squares;
    squares += sum->squares;
    NVTXH_I_STATS_ADD(sum->version, 1u);
    NVTXH_I_STATS_ADD(*count, 1u);
    NVTXH_I_STATS_ADD(sum->total, ticks);
    NVTXH_I_STATS_ADD(sum->self, self);
    if (NVTXH_I_UNLIKELY(ticks < sum->min))
        NVTXH_I_STATS_SET(sum->min, ticks);
    if (NVTXH_I_UNLIKELY(ticks > sum->max))
        NVTXH_I_STATS_SET(sum->max, ticks);
    __atomic_store(&sum->squares, &squares, __ATOMIC_RELEASE);
    if (NVTXH_I_UNLIKELY(inner))
        NVTXH_I_STATS_ADD(sum->inner, ticks);
    NVTXH_I_STATS_ADD(sum->version, 1u);
}

/* The same, room for the octave being made. */
static inline void nvtxh_i_stats_add_slowly(struct nvtxh_i_stats_sum *sum, uint64_t ticks,
                                            uint64_t self, bool inner)
{
    unsigned octave = nvtxh_i_stats_octave_of(ticks);
    uint64_t *counts = sum->octaves[octave];

    if (!counts) {
        counts = NVTXH_I_CAST(uint64_t *,
                              nvtxh_i_stats_take(&sum->thread->arena, 32 * sizeof(uint64_t)));
        __atomic_store_n(&sum->octaves[octave], counts, __ATOMIC_RELEASE);
    }
    nvtxh_i_stats_add(sum, counts ? &counts[ticks >> octave] : &sum->untimed, ticks, self, inner);
}

/*
 * Something ends that is not the last open. If it ends early, what was begun within goes on; if its
 * block has been left, the scopes within will not end, since longjmp has skipped them. Not counted
 * if it has been skipped itself, or was begun on another thread.
 */
NVTXH_I_LINKONCE void nvtxh_i_stats_crossed(struct nvtxh_i_stats_frame *frame, uint64_t now,
                                            bool early)
{
    struct nvtxh_i_stats_thread *thread = frame->thread;
    struct nvtxh_i_stats_frame *f, *below;
    uint64_t ticks = nvtxh_i_stats_since(frame->start, now);

    if (thread->self != nvtxh_i_stats_self())
        return;
    for (f = thread->top; f != frame; f = f->below)
        if (f == &thread->outermost)
            return;
    for (f = thread->top; f != frame; f = below) {
        below = f->below;
        if (!early && !(f->open & NVTXH_I_STATS_PUSHED)) {
            f->sum->depth--;
            nvtxh_i_stats_unlink(thread, f);
        }
    }
    frame->below->within += ticks;
    nvtxh_i_stats_unlink(thread, frame);
    frame->sum->depth--;
    nvtxh_i_stats_add_slowly(frame->sum, ticks, ticks - frame->within, frame->sum->depth);
}

NVTXH_I_LINKONCE void nvtxh_i_stats_leave_slowly(uintptr_t guard)
{
    struct nvtxh_i_stats_frame *frame = nvtxh_i_stats_frame_of(guard);
    uintptr_t open = frame->open;

    nvtxh_i_stats_crossed(frame, nvtxh_i_stats_now(!frame->thread->no_counter),
                          guard & NVTXH_I_OPEN_EARLY);
    if (open)
        nvtxh_i_pop_event(NVTXH_I_BITS(struct nvtxh_domain *, open & ~NVTXH_I_CAST(uintptr_t, 7)));
}

NVTXH_I_LINKONCE void nvtxh_i_stats_leave(uintptr_t guard)
{
    struct nvtxh_i_stats_frame *frame =
        NVTXH_I_BITS(struct nvtxh_i_stats_frame *, guard - NVTXH_I_OPEN_STATS);
    struct nvtxh_i_stats_frame *below;
    struct nvtxh_i_stats_thread *thread;
    struct nvtxh_i_stats_sum *sum;
    uint64_t ticks, within, *counts;
    unsigned octave;
    bool inner;

    if (NVTXH_I_UNLIKELY(guard & (NVTXH_I_OPEN_TOOL | NVTXH_I_OPEN_EARLY)))
        goto slowly;
    thread = frame->thread;
    if (NVTXH_I_UNLIKELY(thread->top != frame || thread->self != nvtxh_i_stats_self()))
        goto slowly;
    sum = frame->sum;
    ticks = nvtxh_i_stats_since(frame->start, nvtxh_i_stats_counter());
    octave = nvtxh_i_stats_octave_of(ticks);
    counts = sum->octaves[octave];
    if (NVTXH_I_UNLIKELY(!counts))
        goto slowly;
    within = frame->within;
    below = frame->below;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&thread->top, below, __ATOMIC_RELAXED);
    below->within += ticks;
    inner = --sum->depth;
    nvtxh_i_stats_add(sum, &counts[ticks >> octave], ticks, ticks - within, inner);
    return;
slowly:
    nvtxh_i_stats_leave_slowly(guard);
}

NVTXH_I_C_END

#endif
