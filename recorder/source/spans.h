/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SOURCE_SPANS_H
#define NVTXH_SOURCE_SPANS_H
/* Hands out the spans of a source that its filter leaves in. */
#include "source.h"

/* Calls f for every span. Within a thread, ranges come in the order of their ends. If f sets source.enough, the
 * pass ends soon, and the totals are incomplete. */
void spans_each(struct source *s, span_function *f, void *arg, struct span_totals *ret_totals);

/* The same as spans_each, and calls enter for every push. */
void spans_nested(struct source *s, span_function *f, span_enter *enter, void *arg, struct span_totals *ret_totals);

/* Calls f for every span in the order of their starts, outer before inner. Memory is bounded: if there are too many
 * spans to sort at once, they go to a temporary file in $TMPDIR or /var/tmp, 10 to 30 bytes each. False with a
 * message if this file cannot be made, written or read. */
bool spans_in_order(struct source *s, span_function *f, void *arg, struct error *ret_error);

/* The same, but one thread after the other. A process range belongs to the thread that began it. */
bool spans_by_thread(struct source *s, span_function *f, void *arg, struct error *ret_error);

/* The same as spans_in_order. Before the first call of f, it calls enter for all pushes, thread by thread. */
bool spans_in_order_nested(struct source *s, span_function *f, span_enter *enter, void *arg,
                           struct span_totals *ret_totals, struct error *ret_error);

/* Sorts spans by their starts, too: those that are added. span_order_end frees the order; false with a message, as above. */
struct span_order *span_order_begin(void);
void span_order_add(void *order, const struct span *span);
bool span_order_end(struct span_order *order, struct source *s, span_function *f, void *arg, struct error *ret_error);

#endif /* NVTXH_SOURCE_SPANS_H */
