/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_TRIGGER_H
#define NVTXH_CLI_TRIGGER_H
/* Snapshots that `nvtxh record` takes when a condition holds. A thread, the follower, reads the recording while it is
 * written, as `nvtxh top` does. Its priority is that of the program: else, where the program's threads keep all
 * processors busy, events would be overwritten unread. Events that are overwritten all the same are counted. */
#include "../source/span.h"

#include <signal.h>
#include <stdbool.h>

/* When a snapshot is taken:
 *
 *   NAME > TIME · NAME stuck TIME · mark NAME · NAME (> | >= | < | <= | ==) NUMBER · signal NAME · call · death
 *
 * A NAME is domain:message, or in the default domain the message alone. A TIME has a unit; a NUMBER, the value of a
 * counter, has none. */
enum condition_kind {
    CONDITION_LONGER, /* a range took longer than `bound` */
    CONDITION_STUCK,  /* a range has been open for longer than `bound` */
    CONDITION_MARK,   /* there was a mark */
    CONDITION_VALUE,  /* a counter's value satisfies the comparison, the previous value did not */
    CONDITION_SIGNAL, /* `nvtxh record` got a signal */
    CONDITION_CALL,   /* the program called nvtxh_record_snapshot */
    CONDITION_DEATH   /* a process died, or a signal ended the program */
};
#define CONDITION_GRAMMAR                                                                                              \
    "NAME > TIME, NAME stuck TIME, mark NAME, COUNTER > NUMBER (also >=, <, <=, ==), signal "                          \
    "USR1, "                                                                                                           \
    "call, death"

struct condition {
    enum condition_kind kind;
    const char *text; /* as the user gave it */
    char *name;       /* of ranges, marks or a counter; NULL: the condition is not about events */
    char compare[3];  /* the comparison: > >= < <= or ==; "": none */
    double bound;     /* ns of a range, or a counter's value */
    int signal;       /* for CONDITION_SIGNAL, else 0 */
    bool seen;        /* there was an event of `name` */
    bool holds;       /* the counter's last value satisfies the comparison */
};

/* Parses a condition; `text` must stay valid. Returns an exit status; errors have been reported. */
int condition_take(struct condition *c, const char *text);

/* Whether the condition is about this range, mark or counter. */
bool condition_is_about(const struct condition *c, enum span_style style, const char *name);

bool condition_holds(const struct condition *c, double value);

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
