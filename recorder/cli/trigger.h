/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_TRIGGER_H
#define NVTXH_CLI_TRIGGER_H
/* Snapshots that `nvtxh record` takes when a condition holds. A thread, the follower, reads the recording while it is
 * written, as `nvtxh top` does. Its priority is that of the program: else, where the program's threads keep all
 * processors busy, events would be overwritten unread. Events that are overwritten all the same are counted. */
#include "condition.h"

#include <signal.h>

struct trigger_options {
    struct condition *all;
    size_t count, room;
    /* A snapshot's window begins `before` ns before its cause begins, and ends `after` ns after its cause ends. */
    int64_t before, after;
    int64_t interval; /* ns; a cause that comes sooner than this after a snapshot is left out */
    double most;      /* how many snapshots are taken at most */
    bool quiet;       /* do not report snapshots */
};
#define TRIGGER_USUAL                                                                                                  \
    {                                                                                                                  \
        .before = 2000000000, .after = 1000000000, .interval = 10000000000, .most = 10                                 \
    }

/* Parses a condition and adds it. Returns an exit status; errors have been reported. */
int trigger_add(struct trigger_options *o, const char *text);

/* The signals that conditions wait for. */
sigset_t trigger_signals(const struct trigger_options *o);

/* Whether a condition waits for nvtxh_record_snapshot. */
bool trigger_waits_for_calls(const struct trigger_options *o);

/* Call it when the program has been started. `rec`, the recording's path, and the options must stay valid. */
void trigger_begin(struct trigger_options *o, const char *rec);

/* Notes that a signal has come. Its handler calls this. */
void trigger_signal(int number);

/* Call it when the program has ended, with its wait status: takes the snapshot that is still due, if one is. Reports the
 * conditions that name a range, mark or counter that never occurred, and how many snapshots were not taken. */
void trigger_end(int status);

#endif /* NVTXH_CLI_TRIGGER_H */
