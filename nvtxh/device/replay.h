/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DEVICE_REPLAY_H
#define NVTXH_DEVICE_REPLAY_H

/* Timed ranges in stream captures: their two events become nodes of the graph
 * (cudaEventRecordExternal), and each replay (launch of the graph) records them again. CUDA keeps
 * only the times of the last replay, and does not tell when the graph is launched. So verbs, such
 * as nvtxh_device_start(), look at the events from time to time. What a look finds:
 *
 *   the first event has its old time    there was no new replay since the previous look
 *   the first event has a new time      the last replay is reported if it has ended; any others
 *                                       since the previous look are missed
 *   CUDA answers NotReady               a replay is under way; the times of the replay before it
 *                                       are gone
 *
 * If one look finds that a replay has begun and not ended, and the next look finds another replay,
 * the first replay is counted as lost. Call these functions with the lock of nvtxh_i_timed, except
 * where a comment says that no lock is needed. Not API. */

#include "clock.h"
#include "deferred.h"
#include "pairs.h"

#include <sched.h>

/* Verbs look at most once in 1 ms, and spend at most a twentieth of the time on looking. */
enum {
    NVTXH_I_LOOK_NS = 1000000,
    NVTXH_I_LOOK_SHARE = 20,
    NVTXH_I_REPLAY_WAIT_NS = 20000000, /* the longest wait of nvtxh_i_replay_prepare() */
};

NVTXH_I_C_BEGIN

/* The event whose time tells one replay from another. RANGE: the slot's mode has INTERVAL. */
static inline nvtxh_i_cuda_event nvtxh_i_replay_event(const struct nvtxh_i_device_pair *pair,
                                                      bool range) {
    return range ? pair->begin : pair->end;
}

/* Called before the events of a pair are captured. Stores when they were last recorded, so that the
 * first replay can be recognized. False: CUDA has refused, or the pair's last use was not over
 * within 20 ms. After such a wait, calls in the same CAPTURE fail at once. Needs no lock. */
NVTXH_I_COLD bool nvtxh_i_replay_prepare(nvtxh_i_status before,
                                         const struct nvtxh_i_device_clock *clock, uint32_t pair,
                                         bool range, uint64_t capture) {
    struct nvtxh_i_device_pair *p = &nvtxh_i_pairs[pair - 1];
    int64_t until = nvtxh_i_clock_host_ns() + NVTXH_I_REPLAY_WAIT_NS;
    nvtxh_i_capture_mode mode = nvtxh_i_capture_mode_set(NVTXH_I_CAPTURE_RELAXED);
    nvtxh_i_status status = NVTXH_I_NOT_READY;
    int64_t unused;

    while (status == NVTXH_I_NOT_READY && nvtxh_i_clock_host_ns() < until &&
           __atomic_load_n(&nvtxh_i_timed.late, __ATOMIC_RELAXED) != capture) {
        status = nvtxh_i_elapsed(before, clock->bases[p->base].event,
                                 nvtxh_i_replay_event(p, range), &p->seen);
        if (status == NVTXH_I_SUCCESS)
            status = nvtxh_i_elapsed(before, p->begin, p->end, &unused);
        if (status == NVTXH_I_NOT_READY)
            sched_yield();
    }
    if (status == NVTXH_I_NOT_READY)
        __atomic_store_n(&nvtxh_i_timed.late, capture, __ATOMIC_RELAXED);
    (void)nvtxh_i_capture_mode_set(mode);
    p->told = true;
    return status == NVTXH_I_SUCCESS;
}

/* Reports a finished range, or one replay, to the tool. */
static inline void nvtxh_i_timed_tell(const struct nvtxh_i_device_slot *slot, uint32_t clock,
                                      int64_t begin, int64_t end) {
    if (slot->mode & NVTXH_DEVICE_INTERVAL)
        nvtxh_i_deferred_tell(slot, clock, true, begin, end);
    if (!(slot->mode & NVTXH_DEVICE_INTERVAL) || (slot->mode & NVTXH_DEVICE_EVENT))
        nvtxh_i_deferred_tell(slot, clock, false, end, end);
}

/* Sets the base (clock.h) that a pair is timed from. BASE: its index. SEEN: ns from this base to
 * the pair's nvtxh_i_replay_event(). */
static inline void nvtxh_i_replay_rebase(struct nvtxh_i_device_pair *pair,
                                         struct nvtxh_i_device_clock *clock, uint32_t base,
                                         int64_t seen) {
    __atomic_fetch_add(&clock->bases[base].users, 1u, __ATOMIC_RELEASE);
    __atomic_fetch_sub(&clock->bases[pair->base].users, 1u, __ATOMIC_RELEASE);
    pair->base = (uint16_t)base;
    pair->seen = seen;
}

/* Reports a new replay if it is finished. Only a replay changes the time from a base to `event`.
 * This time is read twice: if both readings are equal, the times read in between are of one replay.
 * False: a replay is under way, or the device has not reached the base yet. */
NVTXH_I_COLD bool nvtxh_i_replay_look(nvtxh_i_status before,
                                      const struct nvtxh_i_device_slot *slot) {
    struct nvtxh_i_device_pair *pair;
    bool range = slot->mode & NVTXH_DEVICE_INTERVAL;
    struct nvtxh_i_device_clock *clock;
    nvtxh_i_cuda_event event, from;
    int64_t seen = 0, again = 0, at = 0, length = 0;
    nvtxh_i_status status, ended = NVTXH_I_SUCCESS;
    uint32_t base;

    if (!slot->pair)
        return true;
    pair = &nvtxh_i_pairs[slot->pair - 1];
    clock = &nvtxh_i_timed.clocks[pair->clock];
    event = nvtxh_i_replay_event(pair, range);
    from = clock->bases[pair->base].event;
    base = clock->base ? clock->base - 1 : pair->base;
    if (!clock->bases[base].number)
        base = pair->base;
    if (!clock->bases[base].number)
        return !clock->coming;
    status = nvtxh_i_elapsed(before, from, event, &seen);
    if (status == NVTXH_I_SUCCESS && seen == pair->seen && pair->told && base == pair->base)
        return true;
    if (status == NVTXH_I_SUCCESS)
        status = nvtxh_i_elapsed(before, clock->bases[base].event, event, &at);
    if (status == NVTXH_I_SUCCESS && range)
        ended = nvtxh_i_elapsed(before, pair->begin, pair->end, &length);
    if (status == NVTXH_I_SUCCESS)
        status = nvtxh_i_elapsed(before, from, event, &again);
    if (status != NVTXH_I_SUCCESS)
        return status != NVTXH_I_NOT_READY;
    if (again != seen)
        return false;
    if (seen != pair->seen && !pair->told)
        nvtxh_i_tally(&nvtxh_i_device.lost);
    pair->told = pair->told && seen == pair->seen;
    nvtxh_i_replay_rebase(pair, clock, base, at);
    if (!pair->told && ended == NVTXH_I_SUCCESS && length >= 0) {
        at += clock->bases[base].device_ns;
        nvtxh_i_timed_tell(slot, pair->clock, at, at + length);
        pair->told = true;
    }
    return ended != NVTXH_I_NOT_READY;
}

/* Sets a queued slot's phase to ENDING. False: OVER is set. If no graph holds the slot, its range
 * was abandoned, and is counted as lost already. */
static inline bool nvtxh_i_timed_claim(struct nvtxh_i_device_slot *slot) {
    uint64_t state = nvtxh_i_slot_load(slot);

    while (!nvtxh_i_slot_change(slot, &state, nvtxh_i_slot_in_phase(state, NVTXH_I_SLOT_ENDING))) {
    }
    return !(state & NVTXH_I_SLOT_OVER);
}

/* Looks for replays of a range that a graph holds. True: the graph is gone, and the slot was freed.
 * *ALL becomes false if nvtxh_i_replay_look() returns false. */
static inline bool nvtxh_i_replay_resolve(nvtxh_i_status before, struct nvtxh_i_device_slot *slot,
                                          bool *all) {
    bool over = nvtxh_i_slot_load(slot) & NVTXH_I_SLOT_OVER; /* read before the last look */
    bool finished = nvtxh_i_replay_look(before, slot);

    *all = *all && finished;
    if (!finished || !over)
        return false;
    if (slot->pair && !nvtxh_i_pairs[slot->pair - 1].told)
        nvtxh_i_tally(&nvtxh_i_device.lost);
    (void)nvtxh_i_timed_claim(slot);
    nvtxh_i_slot_release(slot);
    __atomic_fetch_sub(&nvtxh_i_timed.n_replayed, 1u, __ATOMIC_RELAXED);
    return true;
}

/* Gives up the events of a captured slot. No range uses them again, because a graph may still
 * record them. */
static inline void nvtxh_i_replay_forget(struct nvtxh_i_device_slot *slot) {
    uint32_t pair;

    if (!(nvtxh_i_slot_load(slot) & NVTXH_I_SLOT_CAPTURED))
        return;
    pair = __atomic_exchange_n(&slot->pair, 0u, __ATOMIC_RELAXED);
    if (pair)
        __atomic_fetch_sub(&nvtxh_i_timed.clocks[nvtxh_i_pairs[pair - 1].clock]
                                .bases[nvtxh_i_pairs[pair - 1].base]
                                .users,
                           1u, __ATOMIC_RELEASE);
}

NVTXH_I_C_END

#endif
