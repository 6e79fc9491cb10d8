/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_DEFERRED_H
#define NVTXH_READ_DEFERRED_H
/*
 * Deferred events: what a program has submitted after it happened, with timestamps of its own. A range is where its
 * timestamps say, as a process range; so is a mark. One half of a range is kept: see deferred_halves.h. One without
 * timestamps, or with those of a clock that nothing relates to the recording's, is a mark where it was submitted.
 */
#include "span_extended.h"

/* A record of kind REC_EXTENDED_EVENT or REC_EXTENDED_EVENTS. */
void deferred_event(struct span_output *p, const struct record *r, uint32_t tid, int64_t now);
void deferred_events(struct span_output *p, const struct record *r, uint32_t tid, int64_t now);

#endif /* NVTXH_READ_DEFERRED_H */
