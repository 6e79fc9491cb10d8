/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SPANS_SPAN_EXTENDED_H
#define NVTXH_SPANS_SPAN_EXTENDED_H
/* Makes spans of records of kinds REC_COUNT and REC_EXTENDED. */
#include "span_output.h"
#include "../read/cursor.h"

/* Hand out a record as spans: samples of counters, synchronization, or deferred events. A payload is kept in
 * `payload`, for the event after it. */
void span_extended_count(struct span_output *p, const struct record *r, uint32_t tid, int64_t now);
void span_extended_record(struct span_output *p, const struct record *r, uint32_t tid, int64_t now);

/* Attaches to a span the payload that was kept. A span without a message gets the message in the payload, if there is
 * one. */
void span_extended_attach(struct span_output *p, struct span *span);

#endif /* NVTXH_SPANS_SPAN_EXTENDED_H */
