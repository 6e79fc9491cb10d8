/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_CONDITION_H
#define NVTXH_CLI_CONDITION_H
/*
 * When a snapshot is taken:
 *
 *   NAME > TIME · NAME stuck TIME · mark NAME · NAME (> | >= | < | <= | ==) NUMBER · signal NAME · call · death
 *
 * A NAME is domain:message, or the bare message in the default domain. A TIME has a unit, the NUMBER of a counter has none.
 */
#include "../read/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum condition_kind {
    CONDITION_LONGER, /* a range took longer than that */
    CONDITION_STUCK,  /* it is open for longer */
    CONDITION_MARK,
    CONDITION_VALUE, /* of a counter, where it begins to hold */
    CONDITION_SIGNAL,
    CONDITION_CALL,
    CONDITION_DEATH
};
#define CONDITION_GRAMMAR                                                                          \
    "NAME > TIME, NAME stuck TIME, mark NAME, COUNTER > NUMBER (also >=, <, <=, ==), signal "      \
    "USR1, "                                                                                       \
    "call, death"

struct condition {
    enum condition_kind kind;
    const char *text; /* as it was given */
    char *name;       /* NULL: there is none */
    char compare[3];
    double bound; /* ns, or the number */
    int signal;
    bool seen;  /* something of that name came */
    bool holds; /* for the counter's last value */
};

/* Takes a condition apart; `text` must stay. Returns an exit status; what is wrong has been said. */
int condition_take(struct condition *c, const char *text);

/* Whether it is about such a range, mark or counter. */
bool condition_is_about(const struct condition *c, enum span_style style, const char *name);

/* Whether it holds for a duration or a value. */
bool condition_holds(const struct condition *c, double value);

#endif /* NVTXH_CLI_CONDITION_H */
