/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "html_collect.h"
#include "html.h"
#include "../base/memory.h"
#include "../read/registry.h"
#include "../report/payload_text.h"
#include "../spans/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PAYLOADS ((size_t)24 << 20) /* bytes of payloads with schemas, as text */

/* Returns one number for a pair of numbers, always the same. A key of several numbers is built from pairs of pairs. */
static uint64_t pair(struct html_collected *c, uint64_t a, uint64_t b)
{
    return *map_add(&c->keys, a << 32 | b, c->keys.count + 1);
}

static uint64_t process_number(const struct html_collected *c, const struct process *p)
{
    return (uint64_t)(p - c->recording->processes);
}

static uint32_t category_of(struct html_collected *c, const struct span *s)
{
    uint32_t name = registry_category(s->process, s->domain, s->category);
    uint64_t number =
        *map_add(&c->category_index, (uint64_t)s->category << 32 | name, c->category_count);

    if (number == c->category_count) {
        ARRAY_ADD(c->categories, c->category_count, c->category_room);
        c->categories[c->category_count++] =
            (struct html_category){.number = s->category, .name = name};
    }
    return (uint32_t)number + 1;
}

static uint32_t kind_of(struct html_collected *c, const struct span *s)
{
    struct html_kind kind = {
        .style = s->style,
        .domain_name = s->domain_name,
        /* No message and an empty one look the same. */
        .text = texts_at(&c->recording->texts, s->text)->size ? s->text : 0,
        .color = s->has_color ? s->color : 0,
        .has_color = s->has_color,
        .category = s->has_category ? category_of(c, s) : 0,
    };
    uint64_t key = pair(c, kind.domain_name, kind.text);

    key = pair(c, key, kind.color);
    key = pair(c, key, kind.category);
    key = key << 3 | (uint64_t)kind.has_color << 2 | kind.style;
    uint64_t number = *map_add(&c->kind_index, key, c->kind_count);
    if (number == c->kind_count) {
        ARRAY_ADD(c->kinds, c->kind_count, c->kind_room);
        c->kinds[c->kind_count++] = kind;
    }
    return (uint32_t)number;
}

static uint32_t enter(void *arg, const struct span *s, const struct span *outer)
{
    struct html_collected *c = arg;
    return html_path(c, outer ? outer->place : 0, kind_of(c, s));
}

static uint32_t thread_of(struct html_collected *c, const struct process *p, uint32_t tid)
{
    uint64_t number = *map_add(&c->thread_index, process_number(c, p) << 32 | tid, c->thread_count);

    if (number == c->thread_count) {
        ARRAY_ADD(c->threads, c->thread_count, c->thread_room);
        c->threads[c->thread_count++] = (struct html_thread){.process = p, .tid = tid};
    }
    return (uint32_t)number;
}

static uint32_t track_of(struct html_collected *c, const struct span *s)
{
    struct html_track track = {.style = s->style, .process = s->process};
    uint64_t process = process_number(c, s->process) << 2, key;

    if (s->style == SPAN_START_END || s->style == SPAN_COUNTER) {
        track.domain_name = s->domain_name;
        track.text = s->style == SPAN_COUNTER ? s->text : 0;
        key = pair(c, pair(c, process | s->style, track.domain_name), track.text);
    } else {
        track.style = SPAN_PUSH_POP;
        track.tid = s->tid;
        track.stream = s->stream;
        key = pair(c, pair(c, process, s->stream), s->tid);
    }
    uint64_t number = *map_add(&c->track_index, key, c->track_count);
    if (number == c->track_count) {
        ARRAY_ADD(c->tracks, c->track_count, c->track_room);
        c->tracks[c->track_count++] = track;
        if (track.style == SPAN_PUSH_POP) {
            thread_of(c, track.process, track.tid);
        }
    }
    return (uint32_t)number;
}

/* Takes the payload of a range or mark: if it has a schema, as text, else as a number. */
static void take_payload(struct html_collected *c, const struct span *s, struct html_entry *entry)
{
    struct value value = value_of_span(s);
    char *text = payload_json(c->recording, s);

    entry->payload = value.u;
    entry->flags |= (uint8_t)(s->payload_type << 1);
    if (text && c->payload_bytes + strlen(text) > MOST_PAYLOADS) {
        c->payloads_left_out++;
    } else if (text) {
        uint32_t before = c->payloads.count;
        entry->payload = texts_add(&c->payloads, text, strlen(text));
        c->payload_bytes += c->payloads.count > before ? strlen(text) : 0;
        entry->flags = (uint8_t)((entry->flags & 1u) | HTML_PAYLOAD_TEXT << 1);
    }
    free(text);
}

static void take(void *arg, const struct span *s)
{
    struct html_collected *c = arg;
    struct html_entry entry = {.start = s->start, .end = s->end, .count = 1, .flags = s->open};

    if (s->style == SPAN_COUNTER) {
        struct value value = value_of_span(s);
        double number = value_number(&value);
        if (!isfinite(number)) {
            return;
        }
        entry.last = entry.low = entry.high = entry.sum = number;
    } else {
        entry.total = entry.least = entry.most = (uint64_t)(s->end - s->start);
        entry.inner = s->style == SPAN_PUSH_POP ? entry.total - (uint64_t)s->self : 0;
        take_payload(c, s, &entry);
    }
    entry.path = s->style == SPAN_PUSH_POP ? s->place : html_path(c, 0, kind_of(c, s));
    entry.track = track_of(c, s);
    if (s->style == SPAN_START_END) {
        entry.thread = thread_of(c, s->process, s->tid);
        entry.end_thread = thread_of(c, s->process, s->end_tid);
    }
    c->end = s->end > c->end ? s->end : c->end;
    c->spans++;
    html_add(c, &entry);
}

bool html_collect(struct html_collected *c, struct recording *r, char *ret_error, size_t error_size)
{
    *c = (struct html_collected){.recording = r};
    ARRAY_ADD(c->kinds, c->kind_count, c->kind_room);
    c->kinds[c->kind_count++] = (struct html_kind){.style = SPAN_PUSH_POP};
    ARRAY_ADD(c->paths, c->path_count, c->path_room);
    c->paths[c->path_count++] = (struct html_path){0};
    return spans_in_order_nested(r, take, enter, c, &c->totals, ret_error, error_size);
}
