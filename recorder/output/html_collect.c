/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "html_collect.h"
#include "html.h"
#include "quote.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PAYLOADS ((size_t)24 << 20) /* most bytes of JSON for payloads with schemas */

/* How entries are merged: time is cut into slots of equal width. Entries of the same track and path
 * are merged if they are shorter than a slot and begin in the same slot. When there are too many
 * entries, the slots are made wider. */
#define FIRST_WIDTH 64 /* the first slots are at least this wide; ns */

/* Returns the number of a path; adds the path if it is new. */
static uint32_t path_of(struct html_collected *c, uint32_t parent, uint32_t kind) {
    return MAP_INTERN(&c->path_index, (uint64_t)parent << 32 | kind, c->paths, c->path_count,
                      c->path_capacity, (struct html_path){.parent = parent, .kind = kind});
}

static void merge(const struct html_collected *c, struct html_entry *into,
                  const struct html_entry *e) {
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

/* The path of a range "(merged)", which stands for short ranges that are merged though their names
 * differ. Its parent is the parent of `path`. */
static uint32_t nameless(struct html_collected *c, uint32_t path) {
    enum span_style style = c->kinds[c->paths[path].kind].style;
    uint32_t kind = MAP_INTERN(
        &c->kind_index, UINT64_C(1) << 63 | style, c->kinds, c->kind_count, c->kind_capacity,
        (struct html_kind){.style = style,
                           .text = string_table_add(&c->source->strings, "(merged)", 8)});

    return path_of(c, c->paths[path].parent, kind);
}

/* Appends an entry, or merges it into an earlier entry. */
static void place(struct html_collected *c, struct html_entry e) {
    bool is_short = c->width && e.end - e.start < c->width;

    if (is_short && c->names_merged && c->tracks[e.track].style != SPAN_COUNTER) {
        e.path = nameless(c, e.path);
    }
    if (is_short) {
        uint64_t *last = map_add(&c->last, (uint64_t)e.track << 32 | e.path, UINT64_MAX);
        if (*last != UINT64_MAX && c->entries[*last].start / c->width == e.start / c->width) {
            merge(c, &c->entries[*last], &e);
            return;
        }
        *last = c->count;
    }
    *ARRAY_NEW(c->entries, c->count, c->capacity) = e;
}

static void coarsen(struct html_collected *c) {
    size_t before = c->count;

    int64_t first = (c->entries[before - 1].start - c->entries[0].start) / (int64_t)before * 2;
    c->width = c->width ? c->width + c->width / 4 : first > FIRST_WIDTH ? first : FIRST_WIDTH;
    /* If slots must be wider than 1/4096 of the recording, it has too many names: from now on,
     * different names are merged. */
    c->names_merged |= c->width > FIRST_WIDTH && c->width > c->end / 4096;
    map_free(&c->last);
    c->count = 0;
    for (size_t i = 0; i < before; i++) {
        place(c, c->entries[i]); /* overwrites only entries that were read: c->count <= i */
    }
}

/* A number for a pair of numbers: the same for equal pairs. For longer keys, pair it again. */
static uint64_t pair(struct html_collected *c, uint64_t a, uint64_t b) {
    return *map_add(&c->keys, a << 32 | b, c->keys.count + 1);
}

static uint32_t category_of(struct html_collected *c, const struct span *s) {
    uint32_t name = source_category(s->process, s->domain, s->category);

    return 1 + MAP_INTERN(&c->category_index, (uint64_t)s->category << 32 | name, c->categories,
                          c->category_count, c->category_capacity,
                          (struct html_category){.number = s->category, .name = name});
}

static uint32_t kind_of(struct html_collected *c, const struct span *s) {
    struct html_kind kind = {
        .style = s->style,
        .domain_name = s->domain_name,
        /* A missing and an empty message look the same, so both are 0. */
        .text = string_table_at(&c->source->strings, s->text)->size ? s->text : 0,
        .color = s->has_color ? s->color : 0,
        .has_color = s->has_color,
        .category = s->has_category ? category_of(c, s) : 0,
    };
    uint64_t key = pair(c, kind.domain_name, kind.text);

    key = pair(c, key, kind.color);
    key = pair(c, key, kind.category);
    key = key << 3 | (uint64_t)kind.has_color << 2 | kind.style;
    return MAP_INTERN(&c->kind_index, key, c->kinds, c->kind_count, c->kind_capacity, kind);
}

static uint32_t enter_path(void *arg, const struct span *s, const struct span *outer) {
    struct html_collected *c = arg;
    return path_of(c, outer ? outer->place : 0, kind_of(c, s));
}

static uint32_t number_of_thread(struct html_collected *c, const struct source_process *p,
                                 uint32_t tid) {
    return MAP_INTERN(&c->thread_index, (uint64_t)p->number << 32 | tid, c->threads,
                      c->thread_count, c->thread_capacity,
                      (struct html_thread){.process = p, .tid = tid});
}

static uint32_t track_of(struct html_collected *c, const struct span *s) {
    struct html_track track = {.style = s->style, .process = s->process};
    uint64_t process = (uint64_t)s->process->number << 2, key;

    if (s->tid >= SOURCE_LANES && s->style != SPAN_PUSH_POP) {
        track.style = SPAN_START_END;
        track.tid = s->tid;
        key = pair(c, pair(c, process | SPAN_START_END, UINT32_MAX), s->tid);
    } else if (s->style == SPAN_START_END || s->style == SPAN_COUNTER) {
        track.domain_name = s->domain_name;
        track.text = s->style == SPAN_COUNTER ? s->text : 0;
        track.unit = s->style == SPAN_COUNTER ? s->unit : 0;
        key = pair(c, pair(c, process | s->style, track.domain_name), track.text);
    } else {
        track.style = SPAN_PUSH_POP;
        track.tid = s->tid;
        track.stream = s->stream;
        key = pair(c, pair(c, process, s->stream), s->tid);
    }
    size_t before = c->track_count;
    uint32_t number =
        MAP_INTERN(&c->track_index, key, c->tracks, c->track_count, c->track_capacity, track);
    if (c->track_count > before && (track.style == SPAN_PUSH_POP || track.tid)) {
        number_of_thread(c, track.process, track.tid);
    }
    return number;
}

/* Sets the payload of an entry: JSON if the payload has a schema, else a number. */
static void add_payload(struct html_collected *c, const struct span *s, struct html_entry *entry) {
    struct value value = value_of_span(s);
    char *text = payload_text(c->source, s, true);

    entry->payload = value.u;
    entry->flags |= (uint8_t)(s->payload_type << 1);
    if (text && c->payload_bytes + strlen(text) > MOST_PAYLOADS) {
        c->payloads_left_out++;
    } else if (text) {
        uint32_t before = c->payloads.count;
        entry->payload = string_table_add(&c->payloads, text, strlen(text));
        c->payload_bytes += c->payloads.count > before ? strlen(text) : 0;
        entry->flags = (uint8_t)((entry->flags & 1u) | HTML_PAYLOAD_TEXT << 1);
    }
    free(text);
}

static void collect_span(void *arg, const struct span *s) {
    struct html_collected *c = arg;
    struct html_entry entry = {.start = s->start, .end = s->end, .count = 1, .flags = s->open};

    if (s->style == SPAN_COUNTER) {
        double number = value_number(s);
        if (!isfinite(number)) {
            return;
        }
        entry.last = entry.low = entry.high = entry.sum = number;
    } else {
        entry.total = entry.least = entry.most = (uint64_t)(s->end - s->start);
        entry.inner = s->style == SPAN_PUSH_POP ? entry.total - (uint64_t)s->self : 0;
        add_payload(c, s, &entry);
    }
    entry.path = s->style == SPAN_PUSH_POP ? s->place : path_of(c, 0, kind_of(c, s));
    entry.track = track_of(c, s);
    bool is_launched = s->on_gpu && s->launch > INT64_MIN;
    if (c->tracks[entry.track].style == SPAN_START_END || is_launched) { /* also marks in lanes */
        entry.thread = number_of_thread(c, s->process, s->tid);
        entry.end_thread = number_of_thread(c, s->process, s->end_tid);
        entry.launch = s->on_gpu ? s->launch : 0;
        entry.flags |= is_launched ? HTML_LAUNCHED : 0;
    }
    c->end = s->end > c->end ? s->end : c->end;
    c->spans++;
    while (c->count >= HTML_MOST && c->width < INT64_MAX / 4) {
        coarsen(c);
        if (c->count < HTML_MOST / 10 * 9) {
            break;
        }
    }
    place(c, entry);
}

bool html_collect(struct html_collected *c, struct source *source, struct error *ret_error) {
    *c = (struct html_collected){.source = source};
    *ARRAY_NEW(c->kinds, c->kind_count, c->kind_capacity) =
        (struct html_kind){.style = SPAN_PUSH_POP};
    *ARRAY_NEW(c->paths, c->path_count, c->path_capacity) = (struct html_path){0};
    source->launches = true;
    bool done = spans_in_order_nested(source, collect_span, enter_path, c, &c->totals, ret_error);
    source->launches = false;
    return done;
}

void html_collected_free(struct html_collected *c) {
    struct map *maps[] = {&c->keys,        &c->kind_index,   &c->path_index, &c->category_index,
                          &c->track_index, &c->thread_index, &c->last};

    for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
        map_free(maps[i]);
    }
    free(c->entries);
    free(c->kinds);
    free(c->paths);
    free(c->categories);
    free(c->tracks);
    free(c->threads);
    string_table_free(&c->payloads);
    *c = (struct html_collected){0};
}
