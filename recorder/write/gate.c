/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gate.h"
#include "file.h"
#include "memory.h"
#include "options.h"
#include "registry.h"

#include <string.h>

enum { CAPTURES_MOST = 64 };

uint32_t gate_open = GATE_CLOSED;
uint64_t gate_check = UINT64_MAX;
static const struct rec_control nothing_said;
const struct rec_control *gate_control = &nothing_said;
uint32_t gate_heard;

/* What opens and closes the gate. A thread that changes a member then calls update(), which looks
 * at all members with the registry locked. */
static struct {
    _Atomic uint32_t recording; /* number of the recording; 0: there is none */
    _Atomic uint64_t opens_at;  /* CLOCK_MONOTONIC, ns; 0: it has opened */
    _Atomic uint64_t closes_at; /* CLOCK_MONOTONIC, ns; 0: never */
    _Atomic bool over;          /* --to is over */
    _Atomic bool paused;        /* by another process */
    _Atomic uint32_t captures;  /* number of open ranges that are captures */
    /* Ids of process ranges that are captures; 0: a free place. Atomic, except in gate_begin. */
    uint64_t ranges[CAPTURES_MOST];
} gate;

/* The push that is this thread's capture. A forked child keeps it: its range is open there, too. */
static __thread struct {
    int depth; /* the push's depth + 1; 0: the thread has no such push */
    uint32_t domain, recording;
} held NVTXH_WRITE_TLS;

static bool is_event_wanted(void) {
    return gate.recording && !gate.opens_at && !gate.over && !gate.paused &&
           (!options.capture_message || gate.captures);
}

/* Opens or closes the gate as is_event_wanted says, and records the change. Call it with the
 * registry locked. `ticks`: when the gate had to change; 0: now. gate_begin does not call this, so
 * the state at the beginning is not recorded. */
static void change(struct stream *definitions, uint64_t ticks) {
    static uint64_t last; /* ticks of the last change, so that recorded ticks never decrease */
    bool open = is_event_wanted();
    uint32_t recording;

    if (open == (gate_recording() != 0)) {
        return;
    }
    uint64_t before = clock_ticks(file_clock);
    do { /* repeats if a recording has just ended or begun */
        recording = gate.recording;
        open = recording && is_event_wanted();
        __atomic_store_n(&gate_open, open ? recording : GATE_CLOSED, __ATOMIC_SEQ_CST);
    } while (gate.recording != recording);
    if (!ticks) {
        ticks = open ? before : clock_ticks(file_clock);
    }
    last = ticks = ticks > last ? ticks : last;
    stream_write_long(definitions, rec_word(REC_GATE, 0),
                      gate_recording() ? REC_GATE_OPEN : REC_GATE_CLOSED, &ticks, sizeof(ticks));
}

static void update(uint64_t ticks) {
    change(registry_lock(), ticks);
    registry_unlock();
}

void gate_begin(uint32_t recording) {
    uint64_t start = file_started().monotonic;

    gate_control = file_control();
    gate_heard = gate_control->pauses.count;
    gate.paused = gate_heard & 1;
    uint64_t from = options.from_ns, to = options.to_ns;
    gate.opens_at = from ? start + from : 0;
    gate.closes_at = to ? start + (to > from ? to : from) : 0;
    gate.over = false;
    gate.captures = 0;
    memset(gate.ranges, 0, sizeof(gate.ranges));
    __atomic_store_n(&gate_check, gate.closes_at ? 0 : UINT64_MAX, __ATOMIC_RELAXED);
    gate.recording = recording;
    __atomic_store_n(&gate_open, is_event_wanted() ? gate.recording : GATE_CLOSED,
                     __ATOMIC_SEQ_CST);
}

void gate_end(void) {
    gate.recording = 0;
    __atomic_store_n(&gate_open, GATE_CLOSED, __ATOMIC_SEQ_CST);
}

/* Converts `ns` (CLOCK_MONOTONIC) to ticks, at the mean rate from the recording's start to now. */
static uint64_t ticks_at(uint64_t ns, const struct rec_sample *now) {
    struct rec_sample start = file_started();
    double rate = 1;

    if (now->monotonic > start.monotonic) {
        rate = (double)(now->ticks - start.ticks) / (double)(now->monotonic - start.monotonic);
    }
    return now->ticks + (uint64_t)(int64_t)(rate * ((double)ns - (double)now->monotonic));
}

/* Carries out requests of other processes to pause or resume. Several threads may notice a request;
 * one carries it out. Readers drop the events between the request and the change of the gate. */
static __attribute__((noinline)) void hear(void) {
    uint32_t before = __atomic_load_n(&gate_heard, __ATOMIC_RELAXED);
    const struct rec_pauses *pauses = &gate_control->pauses;
    uint32_t now = __atomic_load_n(&pauses->count, __ATOMIC_ACQUIRE);

    if (before == now || !__atomic_compare_exchange_n(&gate_heard, &before, now, false,
                                                      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
        return;
    }
    if (before & 1) { /* nothing was recorded since, whatever the requests */
        gate.paused = now & 1;
        update(0);
        return;
    }
    if (now - before > REC_PAUSES) {
        before = now - REC_PAUSES;
    }
    for (; before != now; before++) {
        gate.paused = !(before & 1);
        update(__atomic_load_n(&pauses->ticks[before % REC_PAUSES], __ATOMIC_RELAXED));
    }
}

/* Opens the gate at --from, and closes it at --to. Called before --from, and if there is a --to.
 * Returns whether events are recorded now. */
static __attribute__((noinline)) bool look_at_clock(void) {
    if (!gate.recording || gate.over) {
        return gate_recording() != 0;
    }
    if (gate.opens_at && clock_ns(CLOCK_MONOTONIC) < gate.opens_at) {
        return false;
    }
    struct rec_sample now = clock_sample(file_clock);
    uint64_t ticks = 0;
    if (gate.opens_at && now.monotonic >= gate.opens_at) {
        gate.opens_at = 0;
        update(0);
    }
    if (gate.closes_at && now.monotonic >= gate.closes_at) {
        ticks = ticks_at(gate.closes_at, &now);
        gate.over = true;
        __atomic_store_n(&gate_check, UINT64_MAX, __ATOMIC_RELAXED);
        update(ticks);
    } else if (gate.closes_at && !gate.opens_at) {
        /* Looks again after half of the remaining time, when the ticks' rate is better known. */
        uint64_t next = ticks_at(now.monotonic + (gate.closes_at - now.monotonic) / 2 + 1000, &now);
        __atomic_store_n(&gate_check, next, __ATOMIC_RELAXED);
    }
    return gate_recording() != 0;
}

/* Called for each event while the gate is closed, so rare work is in other functions. */
bool gate_poll(void) {
    if (__builtin_expect(gate_has_request(), 0)) {
        hear();
    }
    return gate.opens_at || gate.closes_at ? look_at_clock() : gate_recording() != 0;
}

/* --- captures --------------------------------------------------------------------------------- */

static void hold(void) {
    gate.captures++;
    update(0);
}

static bool release_capture(void) {
    bool last = --gate.captures == 0;

    if (last) {
        update(0);
    }
    return last;
}

bool gate_is_held(void) {
    return held.depth && held.recording == gate.recording;
}

void gate_hold_pushed(uint32_t domain, int depth) {
    held.depth = depth + 1;
    held.domain = domain;
    held.recording = gate.recording;
    hold();
}

bool gate_release_popped(uint32_t domain, int depth) {
    if (held.depth != depth + 1 || held.domain != domain) {
        return false;
    }
    held.depth = 0;
    return held.recording == gate.recording && release_capture();
}

void gate_release_thread(void) {
    if (held.depth) {
        gate_release_popped(held.domain, held.depth - 1);
    }
}

/* Replaces an id in gate.ranges; 0: a free place. False: `from` is not there. */
static bool replace_range(uint64_t from, uint64_t to) {
    for (int i = 0; i < CAPTURES_MOST; i++) {
        uint64_t there = from;
        if (__atomic_compare_exchange_n(&gate.ranges[i], &there, to, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED)) {
            return true;
        }
    }
    return false;
}

void gate_hold_started(uint64_t range) {
    if (replace_range(0, range)) {
        hold();
    }
}

bool gate_release_ended(uint64_t range) {
    return replace_range(range, 0) && release_capture();
}

bool gate_is_recording(void) {
    return gate.recording != 0;
}

void gate_forked(void) {
    uint32_t count = held.depth && held.recording == gate.recording;

    for (int i = 0; i < CAPTURES_MOST; i++) {
        count += __atomic_load_n(&gate.ranges[i], __ATOMIC_RELAXED) != 0;
    }
    gate.captures = count;
    __atomic_store_n(&gate_open, is_event_wanted() ? gate.recording : GATE_CLOSED,
                     __ATOMIC_SEQ_CST);
}
