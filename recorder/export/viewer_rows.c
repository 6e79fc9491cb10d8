/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "export.h"
#include "../base/memory.h"

#include <stdlib.h>

/* What is known about a key, which is added if it is new. */
static struct viewer_row *row_of_key(struct viewer_rows *rows, uint64_t key)
{
    uint32_t i = MAP_INTERN(&rows->keys, key, rows->all, rows->count, rows->room, (struct viewer_row){0});
    return &rows->all[i];
}

bool viewer_rows_nests(struct viewer_rows *rows, uint64_t key, const struct span *span)
{
    struct viewer_row *row = row_of_key(rows, key);

    while (row->count && row->ends[row->count - 1] <= span->start) {
        row->count--;
    }
    if (row->count && row->ends[row->count - 1] < span->end) {
        return false;
    }
    *ARRAY_NEW(row->ends, row->count, row->room) = span->end;
    return true;
}

/* By end, which is always 0 in `empty`, then by number. */
static bool comes_first(const struct viewer_busy *a, const struct viewer_busy *b)
{
    return a->end != b->end ? a->end < b->end : a->number < b->number;
}

void viewer_heap_add(struct viewer_heap *h, struct viewer_busy new)
{
    ARRAY_ADD(h->all, h->count, h->room);
    size_t i = h->count++;
    for (size_t up; i > 0 && comes_first(&new, &h->all[up = (i - 1) / 2]); i = up) {
        h->all[i] = h->all[up];
    }
    h->all[i] = new;
}

struct viewer_busy viewer_heap_take(struct viewer_heap *h)
{
    struct viewer_busy first = h->all[0], last = h->all[--h->count];
    size_t i = 0;

    for (size_t next; (next = 2 * i + 1) < h->count; i = next) {
        next += next + 1 < h->count && comes_first(&h->all[next + 1], &h->all[next]);
        if (!comes_first(&h->all[next], &last)) {
            break;
        }
        h->all[i] = h->all[next];
    }
    h->all[i] = last;
    return first;
}

uint32_t viewer_rows_empty(struct viewer_rows *rows, uint64_t key, const struct span *span)
{
    struct viewer_row *row = row_of_key(rows, key);
    uint32_t number;

    while (row->busy.count && row->busy.all[0].end <= span->start) {
        viewer_heap_add(&row->empty, (struct viewer_busy){0, viewer_heap_take(&row->busy).number});
    }
    if (row->empty.count) {
        number = (uint32_t)viewer_heap_take(&row->empty).number;
    } else {
        number = (uint32_t)row->busy.count;
    }
    viewer_heap_add(&row->busy, (struct viewer_busy){span->end, number});
    return number;
}

void viewer_rows_free(struct viewer_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        free(rows->all[i].ends);
        free(rows->all[i].busy.all);
        free(rows->all[i].empty.all);
    }
    free(rows->all);
    map_free(&rows->keys);
    *rows = (struct viewer_rows){0};
}
