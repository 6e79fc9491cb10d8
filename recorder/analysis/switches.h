/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* When the threads of a recording had a processor, and why they had none. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum switches_state {
    SWITCHES_BLOCKED,   /* it waits: from when it left its processor until it ran again */
    SWITCHES_PREEMPTED, /* it would have run on, but has no processor */
    SWITCHES_UNKNOWN,   /* switches were lost, or are not of this time */
    SWITCHES_OFF,       /* how many states without a processor there are */
    SWITCHES_ON = SWITCHES_OFF,
};

struct switches;

struct switches *switches_begin(void);
void switches_free(struct switches *s);

/* From `at` on, in ns, the thread is in this state, in which it got or left this processor. Calls
 * for one thread may come in any order. */
void switches_add(struct switches *s, uint32_t tid, int64_t at, enum switches_state state,
                  uint16_t processor);

/* Switches of all threads may be missing from `from` to `to`. */
void switches_lost(struct switches *s, int64_t from, int64_t to);

/* Call it after the last switch, before switches_between. */
void switches_ready(struct switches *s);

/* For how many ns between two times a thread was in each state without a processor. */
void switches_between(const struct switches *s, uint32_t tid, int64_t from, int64_t to,
                      int64_t ret_off[SWITCHES_OFF]);

/* The times in which a thread was in one state, by their number. False: there are no more. */
struct switches_time {
    int64_t from, to; /* of the first and the last one: INT64_MIN, INT64_MAX */
    enum switches_state state;
    uint16_t processor; /* of SWITCHES_ON */
};
bool switches_time(const struct switches *s, uint32_t tid, size_t i, struct switches_time *ret);
