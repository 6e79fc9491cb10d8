/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_TRIGGER_H
#define NVTXH_CLI_TRIGGER_H
/*
 * Snapshots that `nvtxh record` takes when a condition holds. The recording is followed as `nvtxh top` follows it, by a
 * thread that gets what time the program leaves: what was overwritten before it was looked at is counted.
 */
#include "condition.h"

#include <signal.h>

struct trigger_options {
    struct condition *all;
    size_t count, room;
    int64_t before, after; /* ns that the window begins ahead of the range, and lasts after it */
    int64_t interval;      /* ns between two snapshots, at least */
    double most;           /* snapshots */
    bool quiet;
};
#define TRIGGER_USUAL                                                                              \
    {                                                                                              \
        .before = 2000000000, .after = 1000000000, .interval = 10000000000, .most = 10             \
    }

/* Adds a condition. Returns an exit status; what is wrong with it has been said. */
int trigger_add(struct trigger_options *o, const char *text);

/* The signals that conditions wait for. */
sigset_t trigger_signals(const struct trigger_options *o);

/* Whether one is of nvtxh_record_snapshot. */
bool trigger_waits_for_calls(const struct trigger_options *o);

/* The program runs. `rec` and the options must stay. */
void trigger_begin(struct trigger_options *o, const char *rec);

/* Tells that such a signal has come; for its handler. */
void trigger_signal(int number);

/* The program has ended, in the way of `status`: takes the snapshots that are still to be taken, and
 * reports on all of them. */
void trigger_end(int status);

#endif /* NVTXH_CLI_TRIGGER_H */
