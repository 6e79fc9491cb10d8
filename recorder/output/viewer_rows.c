/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "export.h"
#include "../util/memory.h"

#include <stdlib.h>

/* Returns the rows of a key; adds the key if it is new. */
static struct viewer_row *row_of_key(struct viewer_rows *rows, uint64_t key) {
    uint32_t i = MAP_INTERN(&rows->keys, key, rows->all, rows->count, rows->capacity,
                            (struct viewer_row){0});
    return &rows->all[i];
}

bool viewer_rows_nests(struct viewer_rows *rows, uint64_t key, const struct span *span) {
    struct viewer_row *row = row_of_key(rows, key);

    while (row->count && row->ends[row->count - 1] <= span->start) {
        row->count--;
    }
    if (row->count && row->ends[row->count - 1] < span->end) {
        return false;
    }
    *ARRAY_NEW(row->ends, row->count, row->capacity) = span->end;
    return true;
}

uint32_t viewer_rows_empty(struct viewer_rows *rows, uint64_t key, const struct span *span) {
    struct viewer_row *row = row_of_key(rows, key);
    struct heap_entry first;

    while (heap_pop(&row->busy, span->start, &first)) {
        heap_add(&row->empty, (struct heap_entry){.number = first.number});
    }
    uint32_t number = (uint32_t)(heap_pop(&row->empty, 0, &first) ? first.number : row->busy.count);
    heap_add(&row->busy, (struct heap_entry){.key = span->end, .number = number});
    return number;
}

void viewer_rows_free(struct viewer_rows *rows) {
    for (size_t i = 0; i < rows->count; i++) {
        free(rows->all[i].ends);
        free(rows->all[i].busy.all);
        free(rows->all[i].empty.all);
    }
    free(rows->all);
    map_free(&rows->keys);
    *rows = (struct viewer_rows){0};
}
