/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_EXPORT_VIEWER_ROWS_H
#define NVTXH_EXPORT_VIEWER_ROWS_H
/* Finds a row of a viewer in which a range can be drawn, for ranges in the order of their beginnings. A zeroed struct
 * is the initial state. A key is the number of something that has rows of its own, for example of a thread. */
#include "../base/map.h"
#include "../source/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A heap of rows; the row whose range ends first is taken first. Free `all`. */
struct viewer_heap {
    struct viewer_busy {
        int64_t end;     /* of the row's open range; 0 if it has none */
        uint64_t number; /* of the row */
    } * all;
    size_t count, room;
};

void viewer_heap_add(struct viewer_heap *h, struct viewer_busy new);
struct viewer_busy viewer_heap_take(struct viewer_heap *h);

struct viewer_rows {
    struct map keys;    /* key -> index in `all` */
    struct viewer_row { /* what is known about a key */
        int64_t *ends;  /* for viewer_rows_nests: of the ranges that are open, outermost first */
        size_t count, room;
        /* For viewer_rows_empty: the rows with an open range, by its end; the rows without one, by number. */
        struct viewer_heap busy, empty;
    } * all;
    size_t count, room;
};

/* Whether a range nests in its key's earlier ranges. Ranges of two domains may overlap; a row cannot show that. */
bool viewer_rows_nests(struct viewer_rows *rows, uint64_t key, const struct span *span);

/* The number of a row of this key, from 0, in which no range is open when the span begins. */
uint32_t viewer_rows_empty(struct viewer_rows *rows, uint64_t key, const struct span *span);

void viewer_rows_free(struct viewer_rows *rows);

#endif /* NVTXH_EXPORT_VIEWER_ROWS_H */
