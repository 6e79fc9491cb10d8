/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_CONDITION_H
#define NVTXH_CLI_CONDITION_H
/* When a snapshot is taken:
 *
 *   NAME > TIME · NAME stuck TIME · mark NAME · NAME (> | >= | < | <= | ==) NUMBER · signal NAME · call · death
 *
 * A NAME is domain:message, or in the default domain the message alone. A TIME has a unit; a NUMBER, the value of a
 * counter, has none. */
#include "../source/span.h"

#include <stdbool.h>

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

#endif /* NVTXH_CLI_CONDITION_H */
