/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_DEFERRED_H
#define NVTXH_READ_DEFERRED_H
/*
 * Deferred events: a program has submitted them after they happened, with its own timestamps. A range becomes a process
 * range at those times, a mark a mark. A single half of a range is kept: see deferred_halves.h. An event without
 * timestamps, or with those of a clock that nothing relates to the recording's, becomes a mark at the time when it was
 * submitted.
 */
#include "span_extended.h"

/* A record of kind REC_EXTENDED_EVENT or REC_EXTENDED_EVENTS. */
void deferred_event(struct span_output *p, const struct record *r, uint32_t tid, int64_t now);
void deferred_events(struct span_output *p, const struct record *r, uint32_t tid, int64_t now);

#endif /* NVTXH_READ_DEFERRED_H */
