/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DEVICE_TIMED_H
#define NVTXH_DEVICE_TIMED_H

/* Mode TIMED: a range is a pair of CUDA events in its stream. When the stream has reached both, the
 * tool gets the range with its times. The states of a timed slot (pool.h):
 *
 *   FREE > OPEN > WAITING > ENDING > FREE
 *     OPEN       the range has begun: with INTERVAL, its first event is in the stream
 *     WAITING    the last event is in the stream, too, and the slot is in the queue. If OVER is
 *                set, the range was abandoned
 *     ENDING     the tool is being called, or the slot is being freed
 *   FREE > WAITING > ENDING > FREE    a mark, or a range in a graph (replay.h)
 *     WAITING    in a graph: the slot is in the queue. If OVER is set, the graph is gone
 *
 * The queue has two parts: a stack that verbs push to without a lock, and a list of older slots,
 * which still wait. Only nvtxh_i_timed_resolve_all() takes slots out. Its callers hold the lock of
 * nvtxh_i_timed. Verbs call it after every 64 ranges, when no slot is free, and to look for
 * replays; they skip the call if another thread has the lock. Only nvtxh_device_drain(),
 * nvtxh_device_abandon() and the exit handler wait for the lock. Not API. */

#include "clock.h"
#include "deferred.h"
#include "pairs.h"
#include "pool.h"
#include "replay.h"

#include <sched.h>
#include <string.h>

enum {
    NVTXH_I_RESOLVE_AT = 64,    /* after this many new ranges, verbs ask CUDA which are ready */
    NVTXH_I_NOT_READY_MOST = 4, /* verbs stop asking after this many ranges that are not ready */
};

NVTXH_I_C_BEGIN

NVTXH_I_STRAIGHT bool nvtxh_i_timed_used(void) {
    return __atomic_load_n(&nvtxh_i_timed.n_clocks, __ATOMIC_ACQUIRE) > 0 ||
           __atomic_load_n(&nvtxh_i_timed.n_replayed, __ATOMIC_RELAXED) > 0;
}

NVTXH_I_STRAIGHT bool nvtxh_i_slot_is_timed(const struct nvtxh_i_device_slot *slot) {
    return __atomic_load_n(&slot->mode, __ATOMIC_ACQUIRE) & NVTXH_DEVICE_TIMED;
}

/* Puts slot NEXT after slot NUMBER; both are index + 1. NEXT 0: the list ends. The store is atomic,
 * because nvtxh_i_slot_take() may still read the slot's member `next`. */
static inline void nvtxh_i_timed_link(uint32_t number, uint32_t next) {
    __atomic_store_n(&nvtxh_i_slots[number - 1].next, next, __ATOMIC_RELAXED);
}

/* Takes the lock. Gives up after a million tries, because the caller may be a signal handler that
 * has interrupted the lock's holder. */
NVTXH_I_COLD bool nvtxh_i_timed_lock(int *ret_cancel) {
    uint32_t i;

    for (i = 0; i < 1000000; i++) {
        if (nvtxh_i_timed_try_lock(ret_cancel))
            return true;
        sched_yield();
    }
    return false;
}

/* With the lock held: moves the stack to the end of the list, oldest slot first. */
static inline void nvtxh_i_timed_collect(void) {
    uint32_t number = __atomic_exchange_n(&nvtxh_i_timed.arrived, 0u, __ATOMIC_ACQUIRE), next;
    uint32_t first = 0, last = number;

    for (; number; number = next) {
        next = nvtxh_i_slots[number - 1].next;
        nvtxh_i_timed_link(number, first);
        first = number;
    }
    if (!first)
        return;
    if (nvtxh_i_timed.last)
        nvtxh_i_timed_link(nvtxh_i_timed.last, first);
    else
        nvtxh_i_timed.first = first;
    nvtxh_i_timed.last = last;
}

/* Reports a range to the tool, and frees the slot. False: the stream has not reached the range's
 * end yet, or the device has not reached the base that the range is timed from. */
static inline bool nvtxh_i_timed_resolve_one(nvtxh_i_status before,
                                             struct nvtxh_i_device_slot *slot) {
    const struct nvtxh_i_device_pair *pair = &nvtxh_i_pairs[slot->pair - 1];
    const struct nvtxh_i_device_base *base = &nvtxh_i_timed.clocks[pair->clock].bases[pair->base];
    bool range = slot->mode & NVTXH_DEVICE_INTERVAL;
    int64_t begin = 0, length = 0;
    nvtxh_i_status status = NVTXH_I_BAD_HANDLE;
    bool over = nvtxh_i_slot_load(slot) & NVTXH_I_SLOT_OVER;

    if (!over && !base->number && nvtxh_i_timed.clocks[pair->clock].coming)
        return false;
    if (!over && base->number) {
        status = range ? nvtxh_i_elapsed(before, pair->begin, pair->end, &length) : NVTXH_I_SUCCESS;
        if (status == NVTXH_I_SUCCESS)
            status = nvtxh_i_elapsed(before, base->event, range ? pair->begin : pair->end, &begin);
        if (status == NVTXH_I_NOT_READY)
            return false;
    }
    if (nvtxh_i_timed_claim(slot)) {
        begin += base->device_ns;
        if (status == NVTXH_I_SUCCESS && length >= 0)
            nvtxh_i_timed_tell(slot, pair->clock, begin, begin + length);
        else
            nvtxh_i_tally(&nvtxh_i_device.lost); /* an error, or the end was reached first */
    }
    nvtxh_i_slot_release(slot);
    return true;
}

/* With the lock held, goes through the queue, oldest slot first. Asks CUDA about waiting ranges,
 * and looks for replays if the time look_at_ns has come or MOST is UINT32_MAX. Stops after MOST
 * ranges that were not ready. False: nvtxh_i_replay_look() has returned false for a range. */
static inline bool nvtxh_i_timed_resolve_all(nvtxh_i_status before, uint32_t most) {
    nvtxh_i_capture_mode mode = nvtxh_i_capture_mode_set(NVTXH_I_CAPTURE_RELAXED);
    uint32_t number, next, first = 0, last = 0, n = 0, n_left = 0, i;
    int64_t began = nvtxh_i_timed.n_replayed ? nvtxh_i_clock_host_ns() : 0;
    bool look = most == UINT32_MAX || began >= nvtxh_i_timed.look_at_ns, all = true;

    for (i = 0; i < nvtxh_i_timed.n_clocks; i++)
        if (nvtxh_i_timed.clocks[i].coming)
            nvtxh_i_base_ask(before, &nvtxh_i_timed.clocks[i]);
    nvtxh_i_deferred_sync_all();
    nvtxh_i_timed_collect();
    for (number = nvtxh_i_timed.first; number; number = next) {
        struct nvtxh_i_device_slot *slot = &nvtxh_i_slots[number - 1];
        bool replayed = nvtxh_i_slot_load(slot) & NVTXH_I_SLOT_CAPTURED;

        next = slot->next;
        if (replayed ? look && nvtxh_i_replay_resolve(before, slot, &all)
                     : n_left < most && nvtxh_i_timed_resolve_one(before, slot)) {
            n++;
            continue;
        }
        if (last)
            nvtxh_i_timed_link(last, number);
        else
            first = number;
        last = number;
        if (!replayed && n_left++ == most)
            break; /* the rest of the list is unchanged */
    }
    if (number)
        last = nvtxh_i_timed.last;
    else if (last)
        nvtxh_i_timed_link(last, 0);
    nvtxh_i_timed.first = first;
    nvtxh_i_timed.last = last;
    __atomic_store_n(&nvtxh_i_timed.resolve_at,
                     __atomic_sub_fetch(&nvtxh_i_timed.n_waiting, n, __ATOMIC_RELAXED) +
                         NVTXH_I_RESOLVE_AT,
                     __ATOMIC_RELAXED);
    (void)nvtxh_i_capture_mode_set(mode);
    if (began && look)
        __atomic_store_n(&nvtxh_i_timed.look_at_ns,
                         began + NVTXH_I_LOOK_NS +
                             (nvtxh_i_clock_host_ns() - began) * NVTXH_I_LOOK_SHARE,
                         __ATOMIC_RELAXED);
    return all;
}

NVTXH_I_COLD void nvtxh_i_timed_resolve(nvtxh_i_status before, uint32_t most) {
    int cancel = 0;

    if (!nvtxh_i_timed_try_lock(&cancel))
        return;
    (void)nvtxh_i_timed_resolve_all(before, most);
    nvtxh_i_timed_unlock(cancel);
}

/* Puts a slot into the queue. The slot's events are in their streams, or in a graph. */
NVTXH_I_STRAIGHT void nvtxh_i_timed_push(nvtxh_i_status before, struct nvtxh_i_device_slot *slot) {
    uint32_t number = (uint32_t)(slot - nvtxh_i_slots) + 1;
    uint32_t n = __atomic_add_fetch(&nvtxh_i_timed.n_waiting, 1u, __ATOMIC_RELAXED), head;

    head = __atomic_load_n(&nvtxh_i_timed.arrived, __ATOMIC_RELAXED);
    do
        nvtxh_i_timed_link(number, head);
    while (!__atomic_compare_exchange_n(&nvtxh_i_timed.arrived, &head, number, false,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED));
    if (NVTXH_I_UNLIKELY(n >= __atomic_load_n(&nvtxh_i_timed.resolve_at, __ATOMIC_RELAXED) &&
                         n >= NVTXH_I_RESOLVE_AT))
        nvtxh_i_timed_resolve(before, NVTXH_I_NOT_READY_MOST);
}

NVTXH_I_COLD void nvtxh_i_timed_look(nvtxh_i_status before) {
    int64_t now = (int64_t)nvtxh_i_clock_ns(NVTXH_I_MONOTONIC_COARSE);

    if (now >= __atomic_load_n(&nvtxh_i_timed.look_at_ns, __ATOMIC_RELAXED))
        nvtxh_i_timed_resolve(before, NVTXH_I_NOT_READY_MOST);
}

/* Records the end of a range. The caller has claimed this end by nvtxh_i_device_claim(). */
NVTXH_I_STRAIGHT nvtxh_i_status nvtxh_i_timed_end(nvtxh_i_status before, nvtxh_i_stream stream,
                                                  struct nvtxh_i_device_slot *slot,
                                                  uint64_t token) {
    uint32_t pair = __atomic_load_n(&slot->pair, __ATOMIC_RELAXED);
    uint64_t capture = __atomic_load_n(&slot->capture, __ATOMIC_RELAXED), state;
    nvtxh_i_status status = NVTXH_I_BAD_HANDLE;

    if (NVTXH_I_UNLIKELY(!pair))
        return status; /* the range was abandoned */
    status = nvtxh_i_event_put(before, nvtxh_i_pairs[pair - 1].end, stream, capture);
    if (NVTXH_I_UNLIKELY(status != NVTXH_I_SUCCESS || capture))
        return status;
    state = nvtxh_i_slot_load(slot);
    do
        if (NVTXH_I_UNLIKELY(!nvtxh_i_slot_holds(state, token) ||
                             nvtxh_i_slot_phase(state) != NVTXH_I_SLOT_OPEN))
            return status; /* the range was abandoned */
    while (!nvtxh_i_slot_change(slot, &state, nvtxh_i_slot_in_phase(state, NVTXH_I_SLOT_WAITING)));
    nvtxh_i_timed_push(before, slot);
    return status;
}

/* One turn of nvtxh_device_drain: reports all ranges that are ready. First records a new base on
 * each clock (clock.h) whose last base is over 100 ms old, so that tools can interpolate between
 * the last two bases. False: a base has not been reached yet, or a replay is under way. */
NVTXH_I_COLD bool nvtxh_i_timed_drain(nvtxh_i_status before) {
    nvtxh_i_capture_mode mode;
    bool all = true;
    uint32_t i;
    int cancel = 0;

    if (!nvtxh_i_timed_used() || !nvtxh_i_timed_lock(&cancel))
        return true;
    mode = nvtxh_i_capture_mode_set(NVTXH_I_CAPTURE_RELAXED);
    for (i = 0; i < nvtxh_i_timed.n_clocks; i++) {
        struct nvtxh_i_device_clock *clock = &nvtxh_i_timed.clocks[i];

        if (nvtxh_i_clock_host_ns() - clock->tried_ns > NVTXH_I_BASE_AGE_NS / 20)
            nvtxh_i_base_add(before, clock);
        all = all && !clock->coming;
    }
    (void)nvtxh_i_capture_mode_set(mode);
    all = nvtxh_i_timed_resolve_all(before, UINT32_MAX) && all;
    nvtxh_i_timed_unlock(cancel);
    return all;
}

/* The last step of nvtxh_device_abandon(): forgets all clocks and pairs. Does not destroy the CUDA
 * events, because cudaDeviceReset() may have destroyed them already. */
NVTXH_I_COLD void nvtxh_i_timed_abandon(void) {
    uint32_t i;
    int cancel = 0;

    if (!nvtxh_i_timed_used() || !nvtxh_i_timed_lock(&cancel))
        return;
    nvtxh_i_timed_collect();
    for (i = nvtxh_i_timed.first; i; i = nvtxh_i_slots[i - 1].next)
        nvtxh_i_replay_forget(&nvtxh_i_slots[i - 1]);
    for (i = 0; i < NVTXH_I_CLOCKS; i++)
        /* so that CUDA is not asked about an event that it may have destroyed */
        nvtxh_i_timed.clocks[i].coming = 0;
    (void)nvtxh_i_timed_resolve_all(NVTXH_I_SUCCESS, UINT32_MAX);
    __atomic_store_n(&nvtxh_i_timed.n_clocks, 0u, __ATOMIC_RELEASE);
    nvtxh_i_timed.n_pairs = 0;
    for (i = 0; i < NVTXH_I_CLOCKS; i++)
        memset(&nvtxh_i_timed.clocks[i], 0, sizeof(nvtxh_i_timed.clocks[i]));
    nvtxh_i_deferred_forget();
    nvtxh_i_timed_unlock(cancel);
}

/* Reports the ranges that the streams have finished so far. */
static inline void nvtxh_i_timed_at_exit(void) {
    if (__atomic_load_n(&nvtxh_i_timed.n_waiting, __ATOMIC_RELAXED))
        (void)nvtxh_i_timed_drain(nvtxh_i_cuda.peek_error());
}

/* Called in a forked child. Forgets the CUDA events, which are the parent's. */
static inline void nvtxh_i_timed_in_child(void) {
    unsigned char tool = nvtxh_i_timed.tool;

    memset(&nvtxh_i_timed, 0, sizeof(nvtxh_i_timed));
    nvtxh_i_timed.tool = tool;
    nvtxh_i_deferred_in_child();
}

NVTXH_I_C_END

#endif
