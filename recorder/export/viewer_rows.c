/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "viewer_rows.h"
#include "../read/memory.h"

#include <stdlib.h>

static uint32_t add(struct viewer_rows *rows)
{
    ARRAY_ADD(rows->all, rows->count, rows->room);
    rows->all[rows->count] = (struct viewer_row){0};
    return (uint32_t)rows->count++;
}

static uint32_t first(struct viewer_rows *rows, uint64_t key)
{
    uint64_t *found = map_find(&rows->keys, key);

    if (found) {
        return (uint32_t)*found;
    }
    uint32_t i = add(rows);
    map_add(&rows->keys, key, i);
    return i;
}

static void open_range(struct viewer_row *row, const struct span *span)
{
    ARRAY_ADD(row->ends, row->count, row->room);
    row->ends[row->count++] = span->end;
}

bool viewer_rows_nests(struct viewer_rows *rows, uint64_t key, const struct span *span)
{
    uint32_t i = first(rows, key);
    struct viewer_row *row = &rows->all[i];

    while (row->count && row->ends[row->count - 1] <= span->start) {
        row->count--;
    }
    if (row->count && row->ends[row->count - 1] < span->end) {
        return false;
    }
    open_range(row, span);
    return true;
}

uint32_t viewer_rows_empty(struct viewer_rows *rows, uint64_t key, const struct span *span)
{
    uint32_t number = 0;

    for (uint32_t i = first(rows, key);; number++) {
        struct viewer_row *row = &rows->all[i];
        if (!row->count || row->ends[0] <= span->start) {
            row->count = 0;
            open_range(row, span);
            return number;
        }
        if (!row->next) {
            uint32_t next = add(rows);
            rows->all[i].next = next;
        }
        i = rows->all[i].next;
    }
}

void viewer_rows_free(struct viewer_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        free(rows->all[i].ends);
    }
    free(rows->all);
    map_free(&rows->keys);
    *rows = (struct viewer_rows){0};
}
