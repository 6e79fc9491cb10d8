/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DEVICE_CLOCK_H
#define NVTXH_DEVICE_CLOCK_H

/* Devices' clocks and the CUDA events that read them, for ranges of mode TIMED. Not API.
 *
 * CUDA does not give the time of an event, only the milliseconds between two events, as a float. So
 * each clock has base events. A base is recorded in a stream that belongs to the clock, between two
 * readings of CLOCK_MONOTONIC. A range's events are timed from the newest base before them. The
 * tool gets each base as a synchronization point: the times of one moment by both clocks.
 *
 *   how often      a base is recorded when a range begins and the newest base is older than 2 s,
 *                  because a float of milliseconds has steps of 0.12 us at 2 s, of 1 us from 8 s on
 *   how exact      to half the time between the readings: nvtxh_device_counts.clock_error_ns. If a
 *                  thread notices late that a base was reached, it records a second event. The time
 *                  from the base to that event shows when the base was reached
 *   what it costs  the thread that begins the range polls for the base for at most 0.2 ms, and for
 *                  the second event for 0.2 ms more. Until a thread notices that the new base was
 *                  reached, ranges use the older base
 *
 * The clock's stream is never captured and waits for no other stream. Bases change only under the
 * lock of nvtxh_i_timed. */

#include "../core/clock.h"
#include "../core/symbols.h"
#include "calls.h"
#include "pool.h"

#include <pthread.h>

enum {
    NVTXH_I_CLOCKS = 16,              /* the most clocks: one for each device or context */
    NVTXH_I_BASES = 8,                /* the most bases that a clock keeps */
    NVTXH_I_BASE_AGE_NS = 2000000000, /* after this time a range needs a newer base */
    NVTXH_I_BASE_WAIT_NS = 200000,    /* the longest time that a thread polls for a new base */
    NVTXH_I_DRIFT = 200,              /* the rates of the two clocks differ by at most 1 / 200 */
    NVTXH_I_PAIRS_AHEAD = 32,         /* how many pairs of events are made at a time: see pairs.h */
    NVTXH_I_MONOTONIC_COARSE = 6,     /* CLOCK_MONOTONIC_COARSE */
};

struct nvtxh_i_device_base {
    nvtxh_i_cuda_event event;
    int64_t device_ns, host_ns; /* the event's time by the device's clock and by CLOCK_MONOTONIC */
    uint64_t number; /* 1, 2, 3, ... within its clock; 0: the device has not reached the base yet */
    uint32_t users;  /* how many pairs (pairs.h) are timed from this base */
};

struct nvtxh_i_device_clock {
    uint64_t key; /* the device's number + 1; with the driver API the context's address */
    nvtxh_i_stream stream;
    uint64_t free_pairs; /* head of the free list of pairs, like free_slots of the pool */
    int64_t tried_ns;    /* when nvtxh_i_base_add() last tried to record a base */
    uint32_t base;    /* index + 1 of the newest base reached; until then, of the first; 0: none */
    uint32_t coming;  /* index + 1 of a recorded base that was not reached yet; 0: none */
    uint64_t n_bases; /* how many bases were reached so far */
    struct nvtxh_i_device_base bases[NVTXH_I_BASES];
};

struct nvtxh_i_timed {
    /* `tool`: does the tool take deferred events? 1: yes; 2: no; 0: not known yet. */
    unsigned char lock, tool;
    uint32_t n_clocks, n_pairs;
    uint32_t n_waiting;   /* how many slots are in the queue of timed.h */
    uint32_t resolve_at;  /* if n_waiting is this or more, verbs ask CUDA which slots are ready */
    uint32_t first, last; /* the queue's list: index + 1 of its first and last slot */
    uint32_t arrived;     /* the queue's stack: index + 1 of its newest slot */
    uint32_t n_replayed;  /* how many slots in the queue belong to graphs */
    uint64_t late;        /* the capture in which nvtxh_i_replay_prepare() last waited in vain */
    int64_t look_at_ns;   /* when verbs will next look for replays (replay.h), by CLOCK_MONOTONIC */
    uint64_t error_ns;    /* the largest error of a base's time so far */
    struct nvtxh_i_device_clock clocks[NVTXH_I_CLOCKS];
};

NVTXH_I_C_BEGIN

NVTXH_I_LINKONCE struct nvtxh_i_timed nvtxh_i_timed NVTXH_I_LINKED("timed");

/* Takes the lock of nvtxh_i_timed if it is free. A thread that has the lock is not cancelled. */
static inline bool nvtxh_i_timed_try_lock(int *ret_cancel) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, ret_cancel);
    if (!__atomic_exchange_n(&nvtxh_i_timed.lock, (unsigned char)1, __ATOMIC_ACQUIRE))
        return true;
    pthread_setcancelstate(*ret_cancel, NULL);
    return false;
}

static inline void nvtxh_i_timed_unlock(int cancel) {
    __atomic_store_n(&nvtxh_i_timed.lock, (unsigned char)0, __ATOMIC_RELEASE);
    pthread_setcancelstate(cancel, NULL);
}

#define NVTXH_I_NOT_READY NVTXH_I_CUDA(cudaErrorNotReady, CUDA_ERROR_NOT_READY)

NVTXH_I_STRAIGHT int64_t nvtxh_i_clock_host_ns(void) {
    return (int64_t)nvtxh_i_clock_ns(NVTXH_I_CLOCK_MONOTONIC);
}

static inline nvtxh_i_status nvtxh_i_elapsed(nvtxh_i_status before, nvtxh_i_cuda_event from,
                                             nvtxh_i_cuda_event to, int64_t *ret_ns) {
    float ms = 0;
    nvtxh_i_status status = nvtxh_i_cuda_result(before, nvtxh_i_cuda.elapsed(&ms, from, to));

    *ret_ns = (int64_t)((double)ms * 1e6);
    return status;
}

/* Finds an element of bases[] for a new base. NULL: each element is in use, for the newest base,
 * the coming base, or a base that pairs of events (pairs.h) are timed from. */
NVTXH_I_COLD struct nvtxh_i_device_base *nvtxh_i_base_place(struct nvtxh_i_device_clock *clock) {
    uint32_t i, newest = __atomic_load_n(&clock->base, __ATOMIC_RELAXED);

    for (i = 0; i < NVTXH_I_BASES; i++) {
        struct nvtxh_i_device_base *base = &clock->bases[(newest + i) % NVTXH_I_BASES];

        if ((!newest || base != &clock->bases[newest - 1]) &&
            (!clock->coming || base != &clock->bases[clock->coming - 1]) &&
            !__atomic_load_n(&base->users, __ATOMIC_ACQUIRE))
            return base;
    }
    return NULL;
}

/* A base was reached between *FROM and *UNTIL, in ns of CLOCK_MONOTONIC: brings the two closer
 * together. Records and polls another event for this. If that event is not reached within 0.2 ms,
 * *FROM and *UNTIL stay as they are. */
NVTXH_I_COLD void nvtxh_i_base_date(nvtxh_i_status before, struct nvtxh_i_device_clock *clock,
                                    const struct nvtxh_i_device_base *base, int64_t *from,
                                    int64_t *until) {
    const struct nvtxh_i_device_base *other = nvtxh_i_base_place(clock);
    int64_t recorded = nvtxh_i_clock_host_ns(), reached = recorded, since = 0;
    nvtxh_i_status status = NVTXH_I_NOT_READY;

    if (!other ||
        nvtxh_i_cuda_result(before, nvtxh_i_cuda.event_record(other->event, clock->stream, 0)))
        return;
    while (status == NVTXH_I_NOT_READY && reached - recorded < NVTXH_I_BASE_WAIT_NS) {
        status = nvtxh_i_cuda_result(before, nvtxh_i_cuda.event_query(other->event));
        reached = nvtxh_i_clock_host_ns();
    }
    if (status == NVTXH_I_SUCCESS)
        status = nvtxh_i_elapsed(before, base->event, other->event, &since);
    recorded -= since + since / NVTXH_I_DRIFT;
    reached -= since - since / NVTXH_I_DRIFT;
    if (status != NVTXH_I_SUCCESS || recorded > *until || reached < *from)
        return;
    *from = recorded > *from ? recorded : *from;
    *until = reached < *until ? reached : *until;
}

/* Makes the coming base the newest one, if it has been reached. */
NVTXH_I_COLD void nvtxh_i_base_ask(nvtxh_i_status before, struct nvtxh_i_device_clock *clock) {
    struct nvtxh_i_device_base *base = &clock->bases[clock->coming - 1];
    const struct nvtxh_i_device_base *newest = &clock->bases[clock->base - 1];
    nvtxh_i_status status = nvtxh_i_cuda_result(before, nvtxh_i_cuda.event_query(base->event));
    int64_t from = clock->tried_ns, until = nvtxh_i_clock_host_ns(), since = 0;
    uint64_t error_ns;

    if (status == NVTXH_I_NOT_READY)
        return;
    if (status == NVTXH_I_SUCCESS && newest != base)
        status = nvtxh_i_elapsed(before, newest->event, base->event, &since);
    if (status == NVTXH_I_SUCCESS) {
        if (until - from > 2 * NVTXH_I_BASE_WAIT_NS)
            nvtxh_i_base_date(before, clock, base, &from, &until);
        error_ns = (uint64_t)(until - from + 1) / 2;
        base->host_ns = from + (until - from) / 2;
        base->device_ns = newest == base ? base->host_ns : newest->device_ns + since;
        base->number = ++clock->n_bases;
        if (error_ns > nvtxh_i_timed.error_ns)
            __atomic_store_n(&nvtxh_i_timed.error_ns, error_ns, __ATOMIC_RELAXED);
        __atomic_store_n(&clock->base, clock->coming, __ATOMIC_RELEASE);
    } else if (newest == base) {
        __atomic_store_n(&clock->base, 0u, __ATOMIC_RELEASE); /* the first base has failed */
    }
    clock->coming = 0;
}

/* Records a base, and polls it for at most 0.2 ms. */
NVTXH_I_COLD void nvtxh_i_base_add(nvtxh_i_status before, struct nvtxh_i_device_clock *clock) {
    struct nvtxh_i_device_base *base = nvtxh_i_base_place(clock);
    int64_t now = nvtxh_i_clock_host_ns();

    if (clock->coming)
        nvtxh_i_base_ask(before, clock);
    if (clock->coming)
        return;
    __atomic_store_n(&clock->tried_ns, now, __ATOMIC_RELAXED);
    if (!base ||
        nvtxh_i_cuda_result(before, nvtxh_i_cuda.event_record(base->event, clock->stream, 0)))
        return;
    base->number = 0;
    clock->coming = (uint32_t)(base - clock->bases) + 1;
    if (!clock->base)
        __atomic_store_n(&clock->base, clock->coming, __ATOMIC_RELEASE);
    while (clock->coming && nvtxh_i_clock_host_ns() - now < NVTXH_I_BASE_WAIT_NS)
        nvtxh_i_base_ask(before, clock);
}

/* Makes the events and the stream of a clock; false: CUDA has refused. */
NVTXH_I_COLD bool nvtxh_i_clock_make(nvtxh_i_status before, struct nvtxh_i_device_clock *clock,
                                     uint64_t key) {
    const unsigned flags = NVTXH_I_CUDA(cudaStreamNonBlocking, CU_STREAM_NON_BLOCKING);
    uint32_t i;

    clock->key = key;
    for (i = 0; i < NVTXH_I_BASES; i++)
        if (nvtxh_i_cuda_result(before, nvtxh_i_cuda.event_create(&clock->bases[i].event, 0)))
            break;
    if (i == NVTXH_I_BASES &&
        !nvtxh_i_cuda_result(before, nvtxh_i_cuda.stream_create(&clock->stream, flags)))
        return true;
    while (i-- > 0) /* the next range that begins will try again */
        (void)nvtxh_i_cuda_result(before, nvtxh_i_cuda.event_destroy(clock->bases[i].event));
    return false;
}

/* The key of the current device or context; 0: CUDA has none. */
NVTXH_I_STRAIGHT uint64_t nvtxh_i_clock_key(nvtxh_i_status before) {
#ifdef NVTXH_CUDA_DRIVER
    CUcontext context = NULL;

    (void)before;
    return nvtxh_i_cuda.current(&context) == CUDA_SUCCESS ? (uintptr_t)context : 0;
#else
    int device = -1;

    (void)nvtxh_i_cuda_result(before, nvtxh_i_cuda.current(&device));
    return (uint64_t)(device + 1);
#endif
}

NVTXH_I_STRAIGHT struct nvtxh_i_device_clock *nvtxh_i_clock_find(uint64_t key) {
    uint32_t i, n = __atomic_load_n(&nvtxh_i_timed.n_clocks, __ATOMIC_ACQUIRE);

    for (i = 0; i < n; i++)
        if (nvtxh_i_timed.clocks[i].key == key)
            return &nvtxh_i_timed.clocks[i];
    return NULL;
}

/* Makes the clock with this key if it is missing, and adds a base to it. NULL: there is still no
 * base to time ranges from. */
NVTXH_I_COLD struct nvtxh_i_device_clock *nvtxh_i_clock_renew(nvtxh_i_status before, uint64_t key) {
    struct nvtxh_i_device_clock *clock;
    nvtxh_i_capture_mode mode;
    int cancel = 0;

    if (!nvtxh_i_timed_try_lock(&cancel))
        clock = nvtxh_i_clock_find(key);
    else {
        mode = nvtxh_i_capture_mode_set(NVTXH_I_CAPTURE_RELAXED);
        clock = nvtxh_i_clock_find(key);
        if (!clock && nvtxh_i_timed.n_clocks < NVTXH_I_CLOCKS) {
            clock = &nvtxh_i_timed.clocks[nvtxh_i_timed.n_clocks];
            if (nvtxh_i_clock_make(before, clock, key))
                __atomic_store_n(&nvtxh_i_timed.n_clocks, nvtxh_i_timed.n_clocks + 1,
                                 __ATOMIC_RELEASE);
            else
                clock = NULL;
        }
        if (clock)
            nvtxh_i_base_add(before, clock);
        (void)nvtxh_i_capture_mode_set(mode);
        nvtxh_i_timed_unlock(cancel);
    }
    return clock && __atomic_load_n(&clock->base, __ATOMIC_ACQUIRE) ? clock : NULL;
}

/* The clock of the current device. NULL: ranges cannot be timed. */
NVTXH_I_STRAIGHT struct nvtxh_i_device_clock *nvtxh_i_clock_now(nvtxh_i_status before) {
    uint64_t key = nvtxh_i_clock_key(before);
    struct nvtxh_i_device_clock *clock = key ? nvtxh_i_clock_find(key) : NULL;
    int64_t now = (int64_t)nvtxh_i_clock_ns(NVTXH_I_MONOTONIC_COARSE);

    if (NVTXH_I_UNLIKELY(!key))
        return clock;
    if (NVTXH_I_UNLIKELY(!clock || now - __atomic_load_n(&clock->tried_ns, __ATOMIC_RELAXED) >
                                       NVTXH_I_BASE_AGE_NS))
        return nvtxh_i_clock_renew(before, key);
    return __atomic_load_n(&clock->base, __ATOMIC_RELAXED) ? clock : NULL;
}

NVTXH_I_C_END

#endif
