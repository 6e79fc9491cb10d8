/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* The gate is open while events are recorded. Options may keep it closed: before --from, after
 * --to, outside ranges with a given message. It is also closed while the recording is
 * paused. Each change is recorded, because open ranges end where the gate closes. */
#include "../format/format.h"

#include <stdbool.h>
#include <stdint.h>

/* Without the attribute, the variables would be read through the global offset table, because
 * -fvisibility has no effect on declarations. */
#define GATE_HIDDEN __attribute__((visibility("hidden")))

/* The number of the recording while events are recorded, else GATE_CLOSED. */
extern uint32_t gate_open GATE_HIDDEN;
#define GATE_CLOSED (UINT32_MAX - 1) /* even, so it is no recording's number */

/* The number of the recording while events are recorded, else 0. */
static inline uint32_t gate_recording(void) {
    uint32_t open = __atomic_load_n(&gate_open, __ATOMIC_ACQUIRE);
    return open == GATE_CLOSED ? 0 : open;
}

/* Requests of other processes (see rec_control); all zero before the first recording. */
extern const struct rec_control *gate_control GATE_HIDDEN;
extern uint32_t gate_heard GATE_HIDDEN; /* number of the last request that was carried out + 1 */

/* Whether another process has asked to pause or resume since gate_heard was set. */
static inline bool gate_has_request(void) {
    return __atomic_load_n(&gate_control->pauses.count, __ATOMIC_RELAXED) !=
           __atomic_load_n(&gate_heard, __ATOMIC_RELAXED);
}

/* From these ticks on (UINT64_MAX: never), a thread must call gate_poll: --to may be over. */
extern uint64_t gate_check GATE_HIDDEN;

/* Called when a recording begins, and when it ends. */
void gate_begin(uint32_t number);
void gate_end(void);

/* Opens or closes the gate, as the clock and the requests of other processes say. True if events
 * are recorded now. */
bool gate_poll(void);

/* Whether gate_check comes before the upper 32 bits of `ticks` change. If it does, threads must not
 * use the fast path, which does not look at gate_check. */
static inline bool gate_check_is_near(uint64_t ticks) {
    return __atomic_load_n(&gate_check, __ATOMIC_RELAXED) >> 32 <= ticks >> 32;
}

bool gate_is_recording(void); /* there is a recording, even if the gate is closed */

/* A capture is a range that holds the gate open until it ends: see session.h. A thread can hold the
 * gate with one pushed range, identified by domain and depth; process ranges are identified by id.
 * Call gate_release_popped or gate_release_ended at the end of every range that may be a capture;
 * they return true if the range was the last open capture. */
bool gate_is_held(void); /* by a pushed range of the calling thread */
void gate_hold_pushed(uint32_t domain, int depth);
bool gate_release_popped(uint32_t domain, int depth);
void gate_hold_started(uint64_t range);
bool gate_release_ended(uint64_t range);
void gate_release_thread(void); /* the calling thread ends: its pushed ranges end with it */

/* In a forked child: ends the captures of threads that the child does not have. */
void gate_forked(void);
