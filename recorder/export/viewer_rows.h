/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_EXPORT_VIEWER_ROWS_H
#define NVTXH_EXPORT_VIEWER_ROWS_H
/* In which row of a viewer a span can be drawn. Spans come by time of beginning. All zero is the
 * beginning; a key stands for what has rows of its own, a thread for example. */
#include "../read/map.h"
#include "../read/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct viewer_heap {
    struct viewer_busy {
        int64_t end;
        uint32_t number;
    } * all;
    size_t count, room;
};

struct viewer_rows {
    struct map keys; /* -> row */
    struct viewer_row {
        int64_t *ends; /* of the ranges that are open, outermost first */
        size_t count, room;
        struct viewer_heap busy,
            empty; /* where each range has a row: those by end, these by number */
    } * all;
    size_t count, room;
};

/* Whether a range lies within those around it that were asked for before with this key. Ranges of two domains
 * may not, and then no viewer can draw them in one row. */
bool viewer_rows_nests(struct viewer_rows *rows, uint64_t key, const struct span *span);

/* The number of a row of this key, from 0, in which nothing is open at the span's beginning. */
uint32_t viewer_rows_empty(struct viewer_rows *rows, uint64_t key, const struct span *span);

void viewer_rows_free(struct viewer_rows *rows);

#endif /* NVTXH_EXPORT_VIEWER_ROWS_H */
