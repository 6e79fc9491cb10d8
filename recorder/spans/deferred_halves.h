/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SPANS_DEFERRED_HALVES_H
#define NVTXH_SPANS_DEFERRED_HALVES_H
/*
 * Deferred events that are one half of a range: a push, a pop, a start or an end, submitted alone. They may come in any
 * order and from any thread, so they are kept until all of the process was read, and then paired by their times.
 */
#include "../source/span.h"

#include <stddef.h>

struct span_output;

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

void deferred_halves_add(struct deferred_halves *d, const struct deferred_half *half);

/* Hands out the ranges as process ranges, and removes the halves. Call it after the last record of the process: a range
 * without an end lasts until `end`. Before, with a negative `end`: such beginnings are kept. */
void deferred_halves_pair(struct deferred_halves *d, const struct span_output *p, int64_t end,
                          struct span_totals *totals);

void deferred_halves_free(struct deferred_halves *d);

#endif /* NVTXH_SPANS_DEFERRED_HALVES_H */
