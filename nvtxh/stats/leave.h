/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATS_LEAVE_H
#define NVTXH_STATS_LEAVE_H

/* The end of what is counted. Not API. */

#include "../core/clock.h"
#include "../impl/event.h"
#include "../impl/hooks.h"
#include "../impl/scope.h"
#include "sum.h"
#include "thread.h"

#if NVTXH_I_IMPL

NVTXH_I_C_BEGIN

NVTXH_I_INLINE uint64_t nvtxh_i_stats_since(uint64_t start, uint64_t now)
{
    return now > start ? now - start : 0;
}

/*
 * Something ends that is not the last open. If it ends early, what was begun within goes on; if its
 * block has been left, the scopes within will not end, since longjmp has skipped them. Not counted
 * if it has been skipped itself, or was begun on another thread.
 */
NVTXH_I_FN_COLD(void, nvtxh_i_stats_crossed,
                (struct nvtxh_i_stats_frame * frame, uint64_t now, bool early))
{
    struct nvtxh_i_stats_thread *thread = frame->thread;
    struct nvtxh_i_stats_frame *f, *below;
    struct nvtxh_i_stats_sum *sum;
    uint64_t ticks = nvtxh_i_stats_since(frame->start, now), within;

    if (thread->self != nvtxh_i_thread_pointer())
        return;
    for (f = thread->top; f != frame; f = f->below)
        if (f == &thread->outermost)
            return;
    for (f = thread->top; f != frame; f = below) {
        below = f->below;
        if (!early && !(f->open & NVTXH_I_STATS_PUSHED)) {
            (void)nvtxh_i_subtract_one(&f->sum->depth);
            nvtxh_i_stats_unlink(thread, f);
        }
    }
    sum = frame->sum;
    within = frame->within;
    nvtxh_i_add(&frame->below->within, ticks);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    nvtxh_i_stats_unlink(thread, frame);
    nvtxh_i_stats_add_slowly(sum, ticks, within);
}

/* The end of what is the last open on its thread, after few ticks. */
NVTXH_I_INLINE void nvtxh_i_stats_close(struct nvtxh_i_stats_thread *thread,
                                        struct nvtxh_i_stats_frame *frame, uint64_t ticks)
{
    double moved = nvtxh_i_stats_moved(ticks);
    struct nvtxh_i_stats_sum *sum = frame->sum;
    uint32_t bucket = nvtxh_i_stats_bucket_of(moved), last = sum->last;
    struct nvtxh_i_stats_frame *below = frame->below;
    uint64_t within = frame->within;

    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&thread->top, below, __ATOMIC_RELAXED);
    nvtxh_i_add(&below->within, ticks);
    if (NVTXH_I_UNLIKELY(nvtxh_i_stats_count(sum, last))) {
        nvtxh_i_stats_add(sum, bucket, moved, ticks, within);
        nvtxh_i_stats_carry(sum, last); /* last: so that no register has to be saved */
    } else {
        nvtxh_i_stats_add(sum, bucket, moved, ticks, within);
    }
}

NVTXH_I_FN_EVENT(void, nvtxh_i_stats_leave_slowly, (uintptr_t guard))
{
    struct nvtxh_i_stats_frame *frame =
        NVTXH_I_BITS(struct nvtxh_i_stats_frame *, guard & ~NVTXH_I_OPEN_BITS);
    uintptr_t open = frame->open;

    nvtxh_i_stats_crossed(frame, nvtxh_i_clock_ticks(!frame->thread->no_counter),
                          guard & NVTXH_I_OPEN_EARLY);
    if (open)
        nvtxh_i_pop_event(NVTXH_I_BITS(struct nvtxh_domain *, open & ~NVTXH_I_CAST(uintptr_t, 7)));
}

NVTXH_I_LINKONCE void nvtxh_i_stats_leave(uintptr_t guard)
{
    struct nvtxh_i_stats_frame *frame =
        NVTXH_I_BITS(struct nvtxh_i_stats_frame *, guard - NVTXH_I_OPEN_STATS);
    struct nvtxh_i_stats_thread *thread;
    uint64_t ticks;

    if (NVTXH_I_UNLIKELY(guard & (NVTXH_I_OPEN_TOOL | NVTXH_I_OPEN_EARLY)))
        goto slowly;
    thread = frame->thread;
    if (NVTXH_I_UNLIKELY(thread->top != frame || thread->self != nvtxh_i_thread_pointer() ||
                         !nvtxh_i_ticks_since(&frame->start, &ticks)))
        goto slowly;
    nvtxh_i_stats_close(thread, frame, ticks);
    return;
slowly:
    nvtxh_i_stats_leave_slowly(guard);
}

NVTXH_I_C_END

#endif
#endif
