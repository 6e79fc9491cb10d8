/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_EXTRAS_H
#define NVTXH_READ_EXTRAS_H
/* What comes to the reader of spans besides ranges and marks. */
#include "pairing.h"

/* Samples of counters, synchronization and deferred events become spans; a payload is kept for the
 * event after it. */
void extras_count(struct pairing *p, const struct record *r, uint32_t tid, int64_t now);
void extras_extended(struct pairing *p, const struct record *r, uint32_t tid, int64_t now);

/* Gives a span the payload that came before it. */
void extras_attach(struct pairing *p, struct span *span);

#endif /* NVTXH_READ_EXTRAS_H */
