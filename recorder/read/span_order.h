/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_SPAN_ORDER_H
#define NVTXH_READ_SPAN_ORDER_H
/* Spans by the time of their beginning, over all threads and processes. */
#include "spans.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Calls f for every span by time of beginning, outer before inner. Memory is bounded: what is too
 * much for one turn of sorting goes to a temporary file in $TMPDIR or /var/tmp, some 130 bytes for
 * each span. False with a message if that file cannot be had.
 */
bool spans_in_order(struct recording *r, span_function *f, void *arg, char *ret_error,
                    size_t error_size);

#endif /* NVTXH_READ_SPAN_ORDER_H */
