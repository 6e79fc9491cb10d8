/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DEVICE_PAIRS_H
#define NVTXH_DEVICE_PAIRS_H

#include "../core/symbols.h"
/* Pairs of CUDA events, for the beginning and the end of timed ranges. Each clock (clock.h) has a
 * free list. When the list is empty, up to 32 pairs are made. If the table of pairs is full, new
 * pairs replace free pairs of other clocks. Not API. */

#include "calls.h"
#include "clock.h"
#include "pool.h"

struct nvtxh_i_device_pair {
    nvtxh_i_cuda_event begin, end;
    uint32_t next;        /* index + 1 of the next pair in the free list */
    uint16_t clock, base; /* indexes of the clock, and of the base that the pair is timed from */
    int64_t seen; /* in a graph: ns from the base to nvtxh_i_replay_event() at the last look */
    bool told;    /* in a graph: the tool has the last replay that a look (replay.h) has found */
};

NVTXH_I_C_BEGIN

NVTXH_I_LINKONCE struct nvtxh_i_device_pair nvtxh_i_pairs[NVTXH_DEVICE_RANGES] NVTXH_I_LINKED(
    "pairs");

/* Records an event. If CAPTURE is not 0, the event becomes a node of the graph. */
NVTXH_I_STRAIGHT nvtxh_i_status nvtxh_i_event_put(nvtxh_i_status before, nvtxh_i_cuda_event event,
                                                  nvtxh_i_stream stream, uint64_t capture) {
    unsigned flags = capture ? NVTXH_I_CUDA(cudaEventRecordExternal, CU_EVENT_RECORD_EXTERNAL) : 0;

    return nvtxh_i_cuda_result(before, nvtxh_i_cuda.event_record(event, stream, flags));
}

/* Puts a pair into the free list of its clock. PAIR: its index + 1. */
static inline void nvtxh_i_pair_free(uint32_t pair) {
    struct nvtxh_i_device_pair *p = &nvtxh_i_pairs[pair - 1];
    uint64_t *list = &nvtxh_i_timed.clocks[p->clock].free_pairs;
    uint64_t head = __atomic_load_n(list, __ATOMIC_RELAXED), next;

    do {
        __atomic_store_n(&p->next, (uint32_t)head, __ATOMIC_RELAXED);
        next = (((head >> 32) + 1) << 32) | pair;
    } while (
        !__atomic_compare_exchange_n(list, &head, next, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

/* Frees a pair, and no longer counts it as a user of its base. PAIR: the pair's index + 1. */
static inline void nvtxh_i_pair_put(uint32_t pair) {
    struct nvtxh_i_device_pair *p = &nvtxh_i_pairs[pair - 1];

    __atomic_fetch_sub(&nvtxh_i_timed.clocks[p->clock].bases[p->base].users, 1u, __ATOMIC_RELEASE);
    nvtxh_i_pair_free(pair);
}

/* Frees a slot, and its pair if it has one. */
static inline void nvtxh_i_slot_release(struct nvtxh_i_device_slot *slot) {
    uint32_t pair = slot->pair;

    __atomic_store_n(&slot->pair, 0u, __ATOMIC_RELAXED);
    if (pair)
        nvtxh_i_pair_put(pair);
    nvtxh_i_slot_free(slot);
}

/* Takes a pair out of a free list. Returns its index + 1; 0: the list is empty. */
NVTXH_I_STRAIGHT uint32_t nvtxh_i_pair_pop(uint64_t *list) {
    uint64_t head = __atomic_load_n(list, __ATOMIC_ACQUIRE), next;
    uint32_t pair;

    do {
        pair = (uint32_t)head;
        if (NVTXH_I_UNLIKELY(!pair))
            return 0;
        next = (((head >> 32) + 1) << 32) |
               __atomic_load_n(&nvtxh_i_pairs[pair - 1].next, __ATOMIC_RELAXED);
    } while (
        !__atomic_compare_exchange_n(list, &head, next, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE));
    return pair;
}

NVTXH_I_COLD void nvtxh_i_pair_destroy(nvtxh_i_status before, struct nvtxh_i_device_pair *p) {
    if (p->begin)
        (void)nvtxh_i_cuda_result(before, nvtxh_i_cuda.event_destroy(p->begin));
    if (p->end)
        (void)nvtxh_i_cuda_result(before, nvtxh_i_cuda.event_destroy(p->end));
}

/* With the lock of nvtxh_i_timed: has the table of pairs room for a new pair of CLOCK? */
NVTXH_I_COLD bool nvtxh_i_pair_has_place(const struct nvtxh_i_device_clock *clock) {
    struct nvtxh_i_device_clock *clocks = nvtxh_i_timed.clocks;
    uint32_t i;

    for (i = 0; i < NVTXH_I_CLOCKS; i++)
        if (&clocks[i] != clock &&
            (uint32_t)__atomic_load_n(&clocks[i].free_pairs, __ATOMIC_RELAXED))
            return true;
    return nvtxh_i_timed.n_pairs < NVTXH_DEVICE_RANGES;
}

/* With the lock of nvtxh_i_timed: finds an element of the table for a new pair of CLOCK. If the
 * table is full, takes the element of another clock's free pair, and destroys that pair's events.
 * Returns the index + 1; 0: there is no room. */
NVTXH_I_COLD uint32_t nvtxh_i_pair_place(nvtxh_i_status before,
                                         const struct nvtxh_i_device_clock *clock) {
    struct nvtxh_i_device_clock *clocks = nvtxh_i_timed.clocks;
    uint32_t i, pair = 0;

    if (nvtxh_i_timed.n_pairs < NVTXH_DEVICE_RANGES)
        return ++nvtxh_i_timed.n_pairs;
    for (i = 0; i < NVTXH_I_CLOCKS && !pair; i++)
        if (&clocks[i] != clock)
            pair = nvtxh_i_pair_pop(&clocks[i].free_pairs);
    if (pair)
        nvtxh_i_pair_destroy(before, &nvtxh_i_pairs[pair - 1]);
    return pair;
}

/* Makes up to 32 pairs. Their events are recorded, because nvtxh_i_replay_prepare() needs their
 * times. False: CUDA has refused, all pairs are in use, or another thread has the lock. */
NVTXH_I_COLD bool nvtxh_i_pairs_make(nvtxh_i_status before, struct nvtxh_i_device_clock *clock) {
    struct nvtxh_i_device_pair p;
    nvtxh_i_capture_mode mode;
    uint32_t made, pair = 0;
    int cancel = 0;

    if (!nvtxh_i_timed_try_lock(&cancel))
        return false;
    mode = nvtxh_i_capture_mode_set(NVTXH_I_CAPTURE_RELAXED);
    for (made = 0; made < NVTXH_I_PAIRS_AHEAD && nvtxh_i_pair_has_place(clock); made++) {
        p.begin = p.end = NULL;
        if (nvtxh_i_cuda_result(before, nvtxh_i_cuda.event_create(&p.begin, 0)) ||
            nvtxh_i_cuda_result(before, nvtxh_i_cuda.event_create(&p.end, 0)) ||
            nvtxh_i_event_put(before, p.begin, clock->stream, 0) ||
            nvtxh_i_event_put(before, p.end, clock->stream, 0) ||
            !(pair = nvtxh_i_pair_place(before, clock))) {
            nvtxh_i_pair_destroy(before, &p);
            break;
        }
        nvtxh_i_pairs[pair - 1].begin = p.begin; /* leaves `next`, which another thread may read */
        nvtxh_i_pairs[pair - 1].end = p.end;
        nvtxh_i_pairs[pair - 1].clock = (uint16_t)(clock - nvtxh_i_timed.clocks);
        nvtxh_i_pair_free(pair);
    }
    (void)nvtxh_i_capture_mode_set(mode);
    nvtxh_i_timed_unlock(cancel);
    return made > 0;
}

/* Takes a pair, to be timed from the clock's newest base. Returns the pair's index + 1; 0: there is
 * no pair, or no base. */
NVTXH_I_STRAIGHT uint32_t nvtxh_i_pair_take(nvtxh_i_status before,
                                            struct nvtxh_i_device_clock *clock) {
    uint32_t pair, base, next;

    while (NVTXH_I_UNLIKELY(!(pair = nvtxh_i_pair_pop(&clock->free_pairs))))
        if (!nvtxh_i_pairs_make(before, clock))
            return 0;
    /* Another thread may make a newer base now, and reuse this base's element. So first count the
     * pair as a user of the base, then check that the base is still the newest. */
    for (base = __atomic_load_n(&clock->base, __ATOMIC_ACQUIRE);; base = next) {
        if (NVTXH_I_UNLIKELY(!base)) { /* nvtxh_device_abandon() has been called */
            nvtxh_i_pair_free(pair);
            return 0;
        }
        __atomic_fetch_add(&clock->bases[base - 1].users, 1u, __ATOMIC_ACQ_REL);
        next = __atomic_load_n(&clock->base, __ATOMIC_ACQUIRE);
        if (__builtin_expect(next == base, 1))
            break;
        __atomic_fetch_sub(&clock->bases[base - 1].users, 1u, __ATOMIC_RELEASE);
    }
    nvtxh_i_pairs[pair - 1].base = (uint16_t)(base - 1);
    return pair;
}

NVTXH_I_C_END

#endif
