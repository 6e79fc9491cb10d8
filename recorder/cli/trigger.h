/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_TRIGGER_H
#define NVTXH_CLI_TRIGGER_H
/*
 * Snapshots that `nvtxh record` takes when a condition holds. A thread of low priority follows the recording like
 * `nvtxh top`. Events that are overwritten before it reads them are counted.
 */
#include "condition.h"

#include <signal.h>

struct trigger_options {
    struct condition *all;
    size_t count, room;
    int64_t before, after; /* ns of the window before the range, and after it */
    int64_t interval;      /* least ns between two snapshots */
    double most;           /* most snapshots */
    bool quiet;
};
#define TRIGGER_USUAL                                                                              \
    {                                                                                              \
        .before = 2000000000, .after = 1000000000, .interval = 10000000000, .most = 10             \
    }

/* Adds a condition. Returns an exit status; errors have been reported. */
int trigger_add(struct trigger_options *o, const char *text);

/* The signals that conditions wait for. */
sigset_t trigger_signals(const struct trigger_options *o);

/* Whether a condition waits for nvtxh_record_snapshot. */
bool trigger_waits_for_calls(const struct trigger_options *o);

/* Call it when the program runs. `rec` and the options must stay valid. */
void trigger_begin(struct trigger_options *o, const char *rec);

/* Notes that a signal has come. Its handler calls this. */
void trigger_signal(int number);

/* Call it when the program has ended, with its wait status: takes the snapshots that are still due, and reports on all
 * of them. */
void trigger_end(int status);

#endif /* NVTXH_CLI_TRIGGER_H */
