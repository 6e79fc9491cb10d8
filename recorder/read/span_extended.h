/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_SPAN_EXTENDED_H
#define NVTXH_READ_SPAN_EXTENDED_H
/* Makes spans of what is no range and no mark: records of kind REC_COUNT and REC_EXTENDED. */
#include "pairing.h"

/* Samples of counters, synchronization and deferred events become spans; a payload is kept for the
 * event after it. */
void span_extended_count(struct pairing *p, const struct record *r, uint32_t tid, int64_t now);
void span_extended_record(struct pairing *p, const struct record *r, uint32_t tid, int64_t now);

/* Gives a span the payload that came before it. */
void span_extended_attach(struct pairing *p, struct span *span);

#endif /* NVTXH_READ_SPAN_EXTENDED_H */
