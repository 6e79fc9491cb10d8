/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_SPANS_H
#define NVTXH_READ_SPANS_H
/* Hands out the spans of a recording, beginnings paired with ends. */
#include "recording.h"
#include "span.h"

/* Calls f for every range and mark, ranges in the order of their ends within a thread. If recording.enough is set, it
 * ends soon, and the totals are incomplete. */
void spans_each(struct recording *r, span_function *f, void *arg, struct span_totals *ret_totals);

/* The same as spans_each, and calls enter. */
void spans_nested(struct recording *r, span_function *f, span_enter *enter, void *arg,
                  struct span_totals *ret_totals);

/*
 * Calls f for every span by time of beginning, outer before inner. Memory is bounded: spans that are too many to be
 * sorted at once go to a temporary file in $TMPDIR or /var/tmp, some 130 bytes each. False with a message if that file
 * cannot be made.
 */
bool spans_in_order(struct recording *r, span_function *f, void *arg, char *ret_error,
                    size_t error_size);

/* The same, thread by thread. A process range belongs to the thread that began it. */
bool spans_by_thread(struct recording *r, span_function *f, void *arg, char *ret_error,
                     size_t error_size);

/* spans_in_order that also calls enter: for all pushes, thread by thread, before the first call of f. */
bool spans_in_order_nested(struct recording *r, span_function *f, span_enter *enter, void *arg,
                           struct span_totals *ret_totals, char *ret_error, size_t error_size);

#endif /* NVTXH_READ_SPANS_H */
