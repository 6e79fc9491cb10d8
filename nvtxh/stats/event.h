/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATS_EVENT_H
#define NVTXH_STATS_EVENT_H

/* Counts pushes, marks and process ranges. Not API. */

#include "../core/clock.h"
#include "../impl/hooks.h"
#include "../impl/nvtx.h"
#include "../impl/range_pool.h"
#include "scope.h"

NVTXH_I_C_BEGIN

/* --- pushes --- */

/* If statistics were switched on or off since the thread's last push or pop, drops the thread's
 * open pushes, because pops were not seen while statistics were off. */
static inline void nvtxh_i_stats_forget_pushes(struct nvtxh_i_stats_thread *thread) {
    uint32_t switches = __atomic_load_n(&nvtxh_i_stats_shared()->switches, __ATOMIC_ACQUIRE);
    struct nvtxh_i_stats_frame *frame, *below;

    if (thread->switches == switches) {
        return;
    }
    thread->switches = switches;
    for (frame = thread->top; frame != &thread->outermost; frame = below) {
        below = frame->below;
        if (frame->open & NVTXH_I_STATS_PUSHED) {
            nvtxh_i_add_32(&frame->sum->depth, 0u - 1);
            nvtxh_i_stats_unlink(thread, frame);
        }
    }
}

NVTXH_I_INLINE_LOCAL bool nvtxh_i_stats_switched(const struct nvtxh_i_stats_thread *thread) {
    return thread->switches != __atomic_load_n(&nvtxh_i_stats_shared()->switches, __ATOMIC_ACQUIRE);
}

NVTXH_I_INLINE_LOCAL uintptr_t nvtxh_i_stats_pushed_in(struct nvtxh_domain *domain) {
    return (uintptr_t)domain | NVTXH_I_STATS_PUSHED;
}

NVTXH_I_EVENT int nvtxh_i_stats_push_slowly(const struct nvtxh_i_site *site,
                                            struct nvtxh_domain *domain) {
    struct nvtxh_i_stats_thread *thread = nvtxh_i_stats_attach();

    if (thread) {
        nvtxh_i_stats_forget_pushes(thread);
    }
    (void)NVTXH_I_SYMBOL(stats_begin)(site, domain, nvtxh_i_stats_pushed_in(domain));
    return NVTX_NO_PUSH_POP_TRACKING;
}

NVTXH_I_LINKONCE int NVTXH_I_SYMBOL(stats_push)(const struct nvtxh_i_site *site,
                                                struct nvtxh_domain *domain) {
    struct nvtxh_i_stats_sum *sum = nvtxh_i_stats_known(site, false, domain);
    struct nvtxh_i_stats_frame *frame =
        sum && !nvtxh_i_stats_switched(sum->thread) ? nvtxh_i_stats_open(sum) : NULL;

    if (NVTXH_I_UNLIKELY(!frame)) {
        return nvtxh_i_stats_push_slowly(site, domain);
    }
    frame->open = nvtxh_i_stats_pushed_in(domain);
    frame->start = nvtxh_i_ticks();
    return NVTX_NO_PUSH_POP_TRACKING;
}

NVTXH_I_EVENT int nvtxh_i_stats_pop_slowly(struct nvtxh_domain *domain) {
    uintptr_t open = nvtxh_i_stats_pushed_in(domain);
    struct nvtxh_i_stats_thread *thread = nvtxh_i_stats_attach();
    uint64_t now = thread ? nvtxh_i_clock_ticks(!thread->no_counter) : 0;
    struct nvtxh_i_stats_frame *frame;

    if (!thread) {
        return NVTX_NO_PUSH_POP_TRACKING;
    }
    nvtxh_i_stats_forget_pushes(thread);
    for (frame = thread->top; frame != &thread->outermost; frame = frame->below) {
        if (frame->open == open) {
            nvtxh_i_stats_crossed(frame, now, true);
            break;
        }
    }
    return NVTX_NO_PUSH_POP_TRACKING;
}

NVTXH_I_LINKONCE int NVTXH_I_SYMBOL(stats_pop)(struct nvtxh_domain *domain) {
    struct nvtxh_i_stats_thread *thread = nvtxh_i_stats_here.thread;
    struct nvtxh_i_stats_frame *frame = thread ? thread->top : NULL;
    uint64_t ticks;

    if (NVTXH_I_UNLIKELY(!frame || frame->open != nvtxh_i_stats_pushed_in(domain) ||
                         thread->no_counter || nvtxh_i_stats_switched(thread) ||
                         (ticks = nvtxh_i_ticks() - frame->start) >> 32)) {
        return nvtxh_i_stats_pop_slowly(domain);
    }
    frame->open = 0;
    nvtxh_i_stats_close(thread, frame, ticks);
    return NVTX_NO_PUSH_POP_TRACKING;
}

/* --- marks and process ranges --- */

NVTXH_I_COLD void nvtxh_i_stats_mark_slowly(const struct nvtxh_i_site *site,
                                            struct nvtxh_domain *domain) {
    struct nvtxh_i_stats_sum *sum = nvtxh_i_stats_prepare(site, domain);

    if (sum) {
        nvtxh_i_add(&sum->marks, 1);
    }
}

NVTXH_I_LINKONCE void NVTXH_I_SYMBOL(stats_mark)(const struct nvtxh_i_site *site,
                                                 struct nvtxh_domain *domain) {
    struct nvtxh_i_stats_sum *sum = nvtxh_i_stats_known(site, false, domain);

    if (NVTXH_I_UNLIKELY(!sum)) {
        nvtxh_i_stats_mark_slowly(site, domain);
    } else {
        nvtxh_i_add(&sum->marks, 1);
    }
}

/* Stores in the slot of a process range what the range's end needs. */
NVTXH_I_LINKONCE void NVTXH_I_SYMBOL(stats_range_begin)(struct nvtxh_i_range_slot *range,
                                                        const struct nvtxh_i_site *site) {
    struct nvtxh_i_stats_thread *thread = nvtxh_i_stats_attach();

    if (!thread) {
        return;
    }
    range->row = nvtxh_i_stats_number(site, range->domain);
    range->resets = __atomic_load_n(&nvtxh_i_stats_shared()->resets, __ATOMIC_RELAXED);
    range->ticks = nvtxh_i_clock_ticks(!thread->no_counter);
}

NVTXH_I_LINKONCE void NVTXH_I_SYMBOL(stats_range_end)(const struct nvtxh_i_range_slot *range) {
    struct nvtxh_i_stats_thread *thread = nvtxh_i_stats_attach();
    uint64_t ticks =
        thread ? nvtxh_i_stats_since(range->ticks, nvtxh_i_clock_ticks(!thread->no_counter)) : 0;
    struct nvtxh_i_stats_sum *sum;

    if (!thread) {
        return;
    }
    if (thread->resets != __atomic_load_n(&thread->resets_asked, __ATOMIC_ACQUIRE)) {
        nvtxh_i_stats_follow(thread);
    }
    if (thread->resets == range->resets) {
        sum = nvtxh_i_stats_sum_of(thread, range->row);
        nvtxh_i_add_32(&sum->depth, 1); /* the next call subtracts this 1 again */
        nvtxh_i_stats_add_slowly(sum, ticks, 0);
    }
}

NVTXH_I_C_END

#endif
