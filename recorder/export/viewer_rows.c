/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "viewer_rows.h"
#include "../read/memory.h"

#include <stdlib.h>

static uint32_t add(struct viewer_rows *l)
{
    ARRAY_ADD(l->all, l->count, l->room);
    l->all[l->count] = (struct viewer_row){0};
    return (uint32_t)l->count++;
}

static uint32_t first(struct viewer_rows *l, uint64_t key)
{
    uint64_t *found = map_find(&l->keys, key);

    if (found) {
        return (uint32_t)*found;
    }
    uint32_t i = add(l);
    map_add(&l->keys, key, i);
    return i;
}

static void open_range(struct viewer_row *lane, const struct span *span)
{
    ARRAY_ADD(lane->ends, lane->count, lane->room);
    lane->ends[lane->count++] = span->end;
}

bool viewer_rows_nests(struct viewer_rows *l, uint64_t key, const struct span *span)
{
    uint32_t i = first(l, key);
    struct viewer_row *lane = &l->all[i];

    while (lane->count && lane->ends[lane->count - 1] <= span->start) {
        lane->count--;
    }
    if (lane->count && lane->ends[lane->count - 1] < span->end) {
        return false;
    }
    open_range(lane, span);
    return true;
}

uint32_t viewer_rows_empty(struct viewer_rows *l, uint64_t key, const struct span *span)
{
    uint32_t number = 0;

    for (uint32_t i = first(l, key);; number++) {
        struct viewer_row *lane = &l->all[i];
        if (!lane->count || lane->ends[0] <= span->start) {
            lane->count = 0;
            open_range(lane, span);
            return number;
        }
        if (!lane->next) {
            uint32_t next = add(l);
            l->all[i].next = next;
        }
        i = l->all[i].next;
    }
}

void viewer_rows_free(struct viewer_rows *l)
{
    for (size_t i = 0; i < l->count; i++) {
        free(l->all[i].ends);
    }
    free(l->all);
    map_free(&l->keys);
    *l = (struct viewer_rows){0};
}
