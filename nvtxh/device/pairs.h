/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DEVICE_PAIRS_H
#define NVTXH_DEVICE_PAIRS_H

#include "../core/symbols.h"
/* Pairs of CUDA events, for the beginning and the end of timed ranges. Each clock has a free list.
 * When it is empty, 32 pairs are made. They are never destroyed. Not API. */

#include "calls.h"
#include "clock.h"
#include "pool.h"

struct nvtxh_i_device_pair {
    nvtxh_i_cuda_event begin, end;
    uint32_t next;        /* index + 1 of the next pair in the free list */
    uint16_t clock, base; /* indexes of the clock, and of the base that the pair is timed from */
    int64_t seen;         /* in a graph: ns from base to nvtxh_i_replay_event() at the last look */
    bool told;            /* in a graph: the tool has got the replay that was seen last */
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
        __atomic_store_n(&p->next, NVTXH_I_CAST(uint32_t, head), __ATOMIC_RELAXED);
        next = (((head >> 32) + 1) << 32) | pair;
    } while (
        !__atomic_compare_exchange_n(list, &head, next, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

/* Frees the pair of a slot. PAIR: its index + 1. */
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

/* Makes up to 32 pairs. Their events are recorded, because nvtxh_i_replay_prepare() needs their
 * times. False: CUDA has refused, the table is full, or another thread has the lock. */
NVTXH_I_COLD bool nvtxh_i_pairs_make(nvtxh_i_status before, struct nvtxh_i_device_clock *clock) {
    uint32_t i, made = 0;
    nvtxh_i_capture_mode mode;
    int cancel = 0;

    if (!nvtxh_i_timed_try_lock(&cancel))
        return false;
    mode = nvtxh_i_capture_mode_set(NVTXH_I_CAPTURE_RELAXED);
    for (i = nvtxh_i_timed.n_pairs; i < NVTXH_DEVICE_RANGES && made < NVTXH_I_PAIRS_AHEAD; i++) {
        struct nvtxh_i_device_pair *p = &nvtxh_i_pairs[i];

        p->begin = p->end = NVTXH_I_NULL;
        if (nvtxh_i_cuda_result(before, nvtxh_i_cuda.event_create(&p->begin, 0)) ||
            nvtxh_i_cuda_result(before, nvtxh_i_cuda.event_create(&p->end, 0)) ||
            nvtxh_i_event_put(before, p->begin, clock->stream, 0) ||
            nvtxh_i_event_put(before, p->end, clock->stream, 0)) {
            if (p->begin)
                (void)nvtxh_i_cuda_result(before, nvtxh_i_cuda.event_destroy(p->begin));
            if (p->end)
                (void)nvtxh_i_cuda_result(before, nvtxh_i_cuda.event_destroy(p->end));
            break;
        }
        p->clock = NVTXH_I_CAST(uint16_t, clock - nvtxh_i_timed.clocks);
        nvtxh_i_timed.n_pairs = i + 1;
        nvtxh_i_pair_free(i + 1);
        made++;
    }
    (void)nvtxh_i_capture_mode_set(mode);
    nvtxh_i_timed_unlock(cancel);
    return made > 0;
}

/* Takes a pair, to be timed from the clock's newest base. Returns its index + 1; 0: there is no
 * pair, or no base. */
NVTXH_I_STRAIGHT uint32_t nvtxh_i_pair_take(nvtxh_i_status before,
                                            struct nvtxh_i_device_clock *clock) {
    uint64_t head = __atomic_load_n(&clock->free_pairs, __ATOMIC_ACQUIRE), next;
    uint32_t pair = NVTXH_I_CAST(uint32_t, head), base;
    struct nvtxh_i_device_pair *p;

    for (;;) {
        if (NVTXH_I_UNLIKELY(!pair)) {
            if (!nvtxh_i_pairs_make(before, clock))
                return 0;
            head = __atomic_load_n(&clock->free_pairs, __ATOMIC_ACQUIRE);
            pair = NVTXH_I_CAST(uint32_t, head);
            continue;
        }
        p = &nvtxh_i_pairs[pair - 1];
        next = (((head >> 32) + 1) << 32) | __atomic_load_n(&p->next, __ATOMIC_RELAXED);
        if (__atomic_compare_exchange_n(&clock->free_pairs, &head, next, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_ACQUIRE))
            break;
        pair = NVTXH_I_CAST(uint32_t, head);
    }
    /* Another thread may make a newer base now, and reuse the place of this base. So first count
     * the pair as a user of the base, then check that the base is still the newest. */
    for (base = __atomic_load_n(&clock->base, __ATOMIC_ACQUIRE);; base = next & 0xffu) {
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
    p->base = NVTXH_I_CAST(uint16_t, base - 1);
    return pair;
}

NVTXH_I_C_END

#endif
