/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATS_SCOPE_H
#define NVTXH_STATS_SCOPE_H

/* Counts scopes. An open scope has a frame (layout.h): the scope's guard holds the frame's address,
 * and the frame holds what the end needs for the tool. A signal handler may interrupt anywhere, so
 * a frame is taken before it is filled, and given back after it was read. Not API. */

#include "../core/clock.h"
#include "../impl/event.h"
#include "../impl/hooks.h"
#include "../impl/scope.h"
#include "../impl/slot.h"
#include "row.h"
#include "sum.h"
#include "thread.h"

NVTXH_I_C_BEGIN

/* --- the beginning --- */

/* Finds this thread's sum for a call site the long way, by the site's row. If the site can have an
 * entry (layout.h), stores the sum in the entry, so that the site's next event finds the sum the
 * short way. NULL: no memory. */
NVTXH_I_COLD struct nvtxh_i_stats_sum *nvtxh_i_stats_prepare(const struct nvtxh_i_site *site,
                                                             struct nvtxh_domain *domain) {
    struct nvtxh_i_stats_thread *thread = nvtxh_i_stats_attach();
    struct nvtxh_i_stats_entry *entry;
    struct nvtxh_i_stats_sum *sum;

    if (!thread) {
        return NULL;
    }
    if (thread->resets != __atomic_load_n(&thread->resets_asked, __ATOMIC_ACQUIRE)) {
        nvtxh_i_stats_follow(thread);
    }
    sum = nvtxh_i_stats_sum_of(thread, nvtxh_i_stats_number(site, domain));
    if (nvtxh_i_stats_here.to_entries && sum != thread->nowhere && !thread->no_counter &&
        !(site->flags & (NVTXH_I_SITE_OWN | NVTXH_I_SITE_UNCOUNTED))) {
        entry = (struct nvtxh_i_stats_entry *)((uintptr_t)site + nvtxh_i_stats_here.to_entries);
        entry->domain = nvtxh_i_slot_key(domain);
        __atomic_store_n(&entry->sum, sum, __ATOMIC_SEQ_CST);
        /* A reset clears all entries. But a reset in the meantime may have missed this one. */
        if (thread->resets != __atomic_load_n(&thread->resets_asked, __ATOMIC_SEQ_CST)) {
            __atomic_store_n(&entry->sum, NULL, __ATOMIC_SEQ_CST);
        }
    }
    return sum;
}

/* This thread's sum for a site without a struct nvtxh_i_stats_entry. NULL: take the long way. */
NVTXH_I_INLINE_LOCAL struct nvtxh_i_stats_sum *nvtxh_i_stats_known_own(
    const struct nvtxh_i_site *site, struct nvtxh_domain *domain) {
    struct nvtxh_i_stats_thread *thread = nvtxh_i_stats_here.thread;
    const struct nvtxh_i_slot *slot = nvtxh_i_slot_of(site);
    uint32_t row;

    if (!thread || !slot || thread->no_counter || site->flags & NVTXH_I_SITE_UNCOUNTED ||
        thread->resets != __atomic_load_n(&thread->resets_asked, __ATOMIC_RELAXED) ||
        __atomic_load_n(&slot->domain, __ATOMIC_ACQUIRE) != nvtxh_i_slot_key(domain)) {
        return NULL;
    }
    row = __atomic_load_n(&slot->row, __ATOMIC_RELAXED);
    return row < thread->sums->n ? thread->sums->of[row] : NULL;
}

/* This thread's sum for SITE, by the short way. NULL: take the long way. PLAIN: the scope is in the
 * site's own domain, and DOMAIN is ignored. */
NVTXH_I_INLINE_LOCAL struct nvtxh_i_stats_sum *nvtxh_i_stats_known(const struct nvtxh_i_site *site,
                                                                   bool plain,
                                                                   struct nvtxh_domain *domain) {
    uintptr_t to_entries = nvtxh_i_stats_here.to_entries;
    const struct nvtxh_i_stats_entry *entry;

    if (site->flags & NVTXH_I_SITE_OWN) {
        return nvtxh_i_stats_known_own(site, plain ? site->domain : domain);
    }
    if (NVTXH_I_UNLIKELY(!to_entries)) {
        return NULL;
    }
    entry = (const struct nvtxh_i_stats_entry *)((uintptr_t)site + to_entries);
    return plain || entry->domain == nvtxh_i_slot_key(domain)
               ? __atomic_load_n(&entry->sum, __ATOMIC_RELAXED)
               : NULL;
}

/* Opens a frame; NULL: there is no free frame yet. The caller sets the frame's start time. */
NVTXH_I_INLINE_LOCAL struct nvtxh_i_stats_frame *nvtxh_i_stats_open(struct nvtxh_i_stats_sum *sum) {
    struct nvtxh_i_stats_thread *thread = sum->thread;
    struct nvtxh_i_stats_frame *frame = thread->top->above;

    if (NVTXH_I_UNLIKELY(!frame)) {
        return NULL;
    }
    __atomic_store_n(&thread->top, frame, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    frame->sum = sum;
    frame->within = 0;
    nvtxh_i_add_32(&sum->depth, 1);
    return frame;
}

/* Begins a scope or a push. OPEN: the value for the frame's `open`. Returns the guard's value, with
 * NVTXH_I_OPEN_TOOL set if the end must call nvtxh_i_stats_leave_slowly(). Returns OPEN if there is
 * no memory, or if the site is not counted. */
NVTXH_I_LINKONCE uintptr_t NVTXH_I_SYMBOL(stats_begin)(const struct nvtxh_i_site *site,
                                                       struct nvtxh_domain *domain,
                                                       uintptr_t open) {
    struct nvtxh_i_stats_sum *sum =
        site->flags & NVTXH_I_SITE_UNCOUNTED ? NULL : nvtxh_i_stats_prepare(site, domain);
    struct nvtxh_i_stats_frame *frame;
    bool counter;

    if (!sum || (!sum->thread->top->above && !nvtxh_i_stats_new_frame(sum->thread))) {
        return open;
    }
    frame = nvtxh_i_stats_open(sum);
    counter = !frame->thread->no_counter;
    frame->open = open;
    frame->start = nvtxh_i_clock_ticks(counter);
    return (uintptr_t)frame | NVTXH_I_OPEN_STATS | (open || !counter ? NVTXH_I_OPEN_TOOL : 0);
}

/* Begins a scope when only statistics listen. If the short way fails, tail-calls
 * NVTXH_I_SYMBOL(stats_begin)(), so that no register has to be saved. */
NVTXH_I_INLINE_LOCAL uintptr_t nvtxh_i_stats_quickly(const struct nvtxh_i_site *site, bool plain,
                                                     struct nvtxh_domain *domain) {
    struct nvtxh_i_stats_sum *sum = nvtxh_i_stats_known(site, plain, domain);
    struct nvtxh_i_stats_frame *frame = sum ? nvtxh_i_stats_open(sum) : NULL;

    if (NVTXH_I_UNLIKELY(!frame)) {
        return NVTXH_I_SYMBOL(stats_begin)(site, plain ? site->domain : domain, 0);
    }
    frame->start = nvtxh_i_ticks();
    return (uintptr_t)frame + NVTXH_I_OPEN_STATS;
}

NVTXH_I_LINKONCE uintptr_t NVTXH_I_SYMBOL(stats_enter)(const struct nvtxh_i_site *site,
                                                       struct nvtxh_domain *domain) {
    return nvtxh_i_stats_quickly(site, false, domain);
}

NVTXH_I_LINKONCE uintptr_t NVTXH_I_SYMBOL(stats_enter_plain)(const struct nvtxh_i_site *site) {
    return nvtxh_i_stats_quickly(site, true, NULL);
}

/* --- the end --- */

NVTXH_I_INLINE_LOCAL uint64_t nvtxh_i_stats_since(uint64_t start, uint64_t now) {
    return now > start ? now - start : 0;
}

/* Ends a frame, which need not be the innermost. EARLY: the end is a pop, or a scope ends before
 * its block does; the frames nested in this frame stay open. Without EARLY, drops the scopes that
 * are nested in this frame and still open: longjmp has skipped their ends. Does nothing for a frame
 * that has been dropped or began on another thread. */
NVTXH_I_COLD void nvtxh_i_stats_crossed(struct nvtxh_i_stats_frame *frame, uint64_t now,
                                        bool early) {
    struct nvtxh_i_stats_thread *thread = frame->thread;
    struct nvtxh_i_stats_frame *f, *below;
    struct nvtxh_i_stats_sum *sum;
    uint64_t ticks = nvtxh_i_stats_since(frame->start, now), within;

    if (thread->self != nvtxh_i_thread_pointer()) {
        return;
    }
    for (f = thread->top; f != frame; f = f->below) {
        if (f == &thread->outermost) {
            return;
        }
    }
    for (f = thread->top; f != frame; f = below) {
        below = f->below;
        if (!early && !(f->open & NVTXH_I_STATS_PUSHED)) {
            nvtxh_i_add_32(&f->sum->depth, 0u - 1);
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

/* Ends the thread's innermost frame, which has lasted less than 2^32 ticks. */
NVTXH_I_INLINE_LOCAL void nvtxh_i_stats_close(struct nvtxh_i_stats_thread *thread,
                                              struct nvtxh_i_stats_frame *frame, uint64_t ticks) {
    double moved = nvtxh_i_stats_moved(ticks);
    struct nvtxh_i_stats_sum *sum = frame->sum;
    struct nvtxh_i_stats_frame *below = frame->below;
    uint64_t within = frame->within;

    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&thread->top, below, __ATOMIC_RELAXED);
    nvtxh_i_add(&below->within, ticks);
    nvtxh_i_stats_add(sum, nvtxh_i_stats_bucket_of(moved), moved, ticks, within);
}

NVTXH_I_EVENT void nvtxh_i_stats_leave_slowly(uintptr_t guard) {
    struct nvtxh_i_stats_frame *frame = (struct nvtxh_i_stats_frame *)(guard & ~NVTXH_I_OPEN_BITS);
    uintptr_t open = frame->open;

    nvtxh_i_stats_crossed(frame, nvtxh_i_clock_ticks(!frame->thread->no_counter),
                          guard & NVTXH_I_OPEN_EARLY);
    if (open) {
        nvtxh_i_pop_event((struct nvtxh_domain *)(open & ~NVTXH_I_OPEN_BITS));
    }
}

NVTXH_I_LINKONCE void NVTXH_I_SYMBOL(stats_leave)(uintptr_t guard) {
    struct nvtxh_i_stats_frame *frame = (struct nvtxh_i_stats_frame *)(guard - NVTXH_I_OPEN_STATS);
    struct nvtxh_i_stats_thread *thread;
    uint64_t ticks;

    if (NVTXH_I_UNLIKELY(guard & (NVTXH_I_OPEN_TOOL | NVTXH_I_OPEN_EARLY))) {
        goto slowly;
    }
    thread = frame->thread;
    if (NVTXH_I_UNLIKELY(thread->top != frame || thread->self != nvtxh_i_thread_pointer() ||
                         (ticks = nvtxh_i_ticks() - frame->start) >> 32)) {
        goto slowly;
    }
    nvtxh_i_stats_close(thread, frame, ticks);
    return;
slowly:
    nvtxh_i_stats_leave_slowly(guard);
}

NVTXH_I_C_END

#endif
