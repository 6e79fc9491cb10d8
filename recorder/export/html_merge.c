/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Levels of detail: time is cut into slots of one width. Entries of one path in one track that are shorter than a slot
 * and begin in the same slot are merged. The slots get wider until there is room. */
#include "html_collect.h"
#include "../base/memory.h"

#define FIRST_WIDTH 64 /* the first slots are at least this wide; ns */

static uint64_t key_of(const struct html_entry *e)
{
    return (uint64_t)e->track << 32 | e->path;
}

static bool merges(const struct html_collected *c, const struct html_entry *into,
                   const struct html_entry *e)
{
    return into->start / c->width == e->start / c->width;
}

static void merge(const struct html_collected *c, struct html_entry *into,
                  const struct html_entry *e)
{
    if (c->tracks[e->track].style == SPAN_COUNTER) {
        into->last = e->last;
        into->low = e->low < into->low ? e->low : into->low;
        into->high = e->high > into->high ? e->high : into->high;
        into->sum += e->sum;
    } else {
        into->total += e->total;
        into->inner += e->inner;
        into->least = e->least < into->least ? e->least : into->least;
        into->most = e->most > into->most ? e->most : into->most;
    }
    into->count += e->count;
    into->end = e->end > into->end ? e->end : into->end;
    into->flags = 0;
}

/* The path, named "(merged)", of short ranges that are merged though their names differ. Its parent is that of `path`. */
static uint32_t nameless(struct html_collected *c, uint32_t path)
{
    struct html_kind kind = c->kinds[c->paths[path].kind];
    uint32_t parent = c->paths[path].parent;
    uint64_t key = UINT64_C(1) << 63 | kind.style;
    uint64_t number = *map_add(&c->kind_index, key, c->kind_count);

    if (number == c->kind_count) {
        ARRAY_ADD(c->kinds, c->kind_count, c->kind_room);
        c->kinds[c->kind_count++] = (struct html_kind){
            .style = kind.style, .text = texts_add(&c->recording->texts, "(merged)", 8)};
    }
    return html_path(c, parent, (uint32_t)number);
}

/* Appends an entry, or merges it into an earlier one. */
static void place(struct html_collected *c, struct html_entry e)
{
    bool is_short = c->width && e.end - e.start < c->width;

    if (is_short && c->names_merged && c->tracks[e.track].style != SPAN_COUNTER) {
        e.path = nameless(c, e.path);
    }
    if (is_short) {
        uint64_t *last = map_add(&c->last, key_of(&e), UINT64_MAX);
        if (*last != UINT64_MAX && merges(c, &c->entries[*last], &e)) {
            merge(c, &c->entries[*last], &e);
            return;
        }
        *last = c->count;
    }
    ARRAY_ADD(c->entries, c->count, c->room);
    c->entries[c->count++] = e;
}

/* Widens the slots, and places every entry again. */
static void coarsen(struct html_collected *c)
{
    size_t before = c->count;

    int64_t first = (c->entries[before - 1].start - c->entries[0].start) / (int64_t)before * 2;
    c->width = c->width ? c->width + c->width / 2 : first > FIRST_WIDTH ? first : FIRST_WIDTH;
    /* If even slots this wide are not enough, there are too many names: from now on, different names are merged. */
    c->names_merged |= c->width > FIRST_WIDTH && c->width > c->end / 4096;
    map_free(&c->last);
    c->count = 0;
    for (size_t i = 0; i < before; i++) {
        place(c, c->entries[i]); /* writes to an index that is at most i */
    }
}

void html_add(struct html_collected *c, const struct html_entry *entry)
{
    while (c->count >= HTML_MOST && c->width < INT64_MAX / 4) {
        coarsen(c);
        if (c->count < HTML_MOST / 5 * 4) {
            break;
        }
    }
    place(c, *entry);
}
