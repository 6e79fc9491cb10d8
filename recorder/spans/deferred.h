/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SPANS_DEFERRED_H
#define NVTXH_SPANS_DEFERRED_H
/*
 * Deferred events: a program submits them after they happened, with its own timestamps. A range becomes a process
 * range at these times, and a mark stays a mark. An event that is one half of a range is kept until its process was
 * read: see deferred_halves.h. An event becomes a mark at the time of its submission if it has no timestamps, or if
 * nothing relates their clock to the recording's.
 */
#include "span_output.h"
#include "../read/cursor.h"

/* A record of kind REC_EXTENDED_EVENT or REC_EXTENDED_EVENTS. */
void deferred_event(struct span_output *p, const struct record *r, uint32_t tid, int64_t now);
void deferred_events(struct span_output *p, const struct record *r, uint32_t tid, int64_t now);

#endif /* NVTXH_SPANS_DEFERRED_H */
