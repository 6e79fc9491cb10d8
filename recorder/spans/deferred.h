/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SPANS_DEFERRED_H
#define NVTXH_SPANS_DEFERRED_H
/* Deferred events: a program submits them after they happened, with its own timestamps. A range becomes a process range
 * at these times, and a mark stays a mark. An event that is one half of a range is kept until its process was read. An
 * event becomes a mark at the time of its submission if it has no timestamps, or if nothing relates their clock to the
 * recording's. */
#include "span_output.h"
#include "../read/cursor.h"

/* A record of kind REC_EXTENDED_EVENT or REC_EXTENDED_EVENTS. */
void deferred_event(struct span_output *p, const struct record *r, uint32_t tid, int64_t now);
void deferred_events(struct span_output *p, const struct record *r, uint32_t tid, int64_t now);

/* Deferred events that are one half of a range: a push, a pop, a start or an end, submitted alone. They may come in any
 * order and from any thread, so they are kept until all of the process was read, and then paired by their times. */
struct deferred_half {
    struct span span;
    uint64_t scope, range; /* NVTX's scope and range id, by which halves pair; 0: not given */
    uint64_t place;        /* in the file; orders halves of equal times */
    bool is_push, is_end;  /* is_push: push or pop, else start or end; is_end: pop or end */
};

struct deferred_halves {
    struct deferred_half *all;
    size_t count, room;
    size_t kept; /* of these, beginnings for which the last pairing found no end */
};

/* Hands out the ranges as process ranges, and removes the halves. Call it after the last record of the process: a range
 * without an end lasts until `end`. Before, with a negative `end`: such beginnings are kept. */
void deferred_halves_pair(struct deferred_halves *d, const struct span_output *p, int64_t end,
                          struct span_totals *totals);

void deferred_halves_free(struct deferred_halves *d);

#endif /* NVTXH_SPANS_DEFERRED_H */
