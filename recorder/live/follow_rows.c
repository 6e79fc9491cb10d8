/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "follow_rows.h"
#include "../base/memory.h"
#include "../source/value.h"

#include <stdlib.h>
#include <string.h>

static bool is_of(const struct follow_row *row, const struct follow_key *key)
{
    return row->text == key->text && row->domain_name == key->domain_name &&
           row->style == key->style && row->has_category == key->has_category &&
           row->category == key->category && row->category_name == key->category_name;
}

uint32_t follow_row(struct follow *f, const struct follow_key *key)
{
    uint64_t hash = map_mix((uint64_t)key->domain_name << 32 | key->text,
                            (uint64_t)key->has_category << 2 | key->style);
    uint32_t other_text = f->recording.source.texts.other;
    uint64_t *found;

    hash = map_mix(hash, (uint64_t)key->category_name << 32 | key->category);
    while ((found = map_find(&f->row_index, hash)) && !is_of(&f->rows[*found], key)) {
        hash = map_mix(hash, 1);
    }
    if (found) {
        return (uint32_t)*found;
    }
    const struct follow_key other = {.style = key->style, .text = other_text};
    bool is_other =
        key->text == other_text || key->domain_name == other_text || f->count >= f->most;
    bool is_it = key->text == other_text && !key->domain_name && !key->has_category;
    if (f->most && is_other && !is_it) {
        return follow_row(f, &other);
    }
    map_add(&f->row_index, hash, f->count);
    ARRAY_ADD(f->rows, f->count, f->room);
    f->rows[f->count] = (struct follow_row){.style = key->style,
                                            .domain_name = key->domain_name,
                                            .text = key->text,
                                            .has_category = key->has_category,
                                            .category = key->category,
                                            .category_name = key->category_name};
    return (uint32_t)f->count++;
}

static double within(const struct follow *f, int64_t start, int64_t end)
{
    start = start > f->from ? start : f->from;
    return end > start ? (double)(end - start) : 0;
}

static uint32_t row_of(struct follow *f, const struct span *span)
{
    struct follow_key key = {.style = span->style, .domain_name = span->domain_name};

    key.text = span->text > TEXTS_EMPTY ? span->text : 0;
    if (f->most && span->has_category) {
        key.has_category = true;
        key.category = span->category;
        key.category_name = source_category(span->process, span->domain, span->category);
    }
    return follow_row(f, &key);
}

static void notify(const struct follow *f, uint32_t row, const struct span *span, bool is_open)
{
    const struct follow_event e = {row, span->process->pid, span, f->rows[row].value, is_open};

    if (f->event) {
        f->event(f->arg, &e);
    }
}

/* Counts a range that has ended, a mark or a sample. */
static void count(void *arg, const struct span *span)
{
    struct follow *f = arg;
    uint32_t number = row_of(f, span);
    struct follow_row *row = &f->rows[number];

    row->color = span->has_color ? span->color : row->color;
    if (span->style == SPAN_COUNTER) {
        struct value value = value_of_span(span);
        row->value = value_number(&value);
    }
    notify(f, number, span, false);
    row->count++;
    row->closed_time += (double)(span->end - span->start);
    /* How many windows ago the range ended: 0, except when the recording is read for the first time. */
    int64_t ago = f->first && span->end < f->from ? (f->from - span->end - 1) / f->window + 1 : 0;
    if (ago < FOLLOW_PAST) {
        row->past[FOLLOW_PAST - 1 - ago]++;
    }
    if (ago == 0) {
        row->count_now++;
        row->time_now += within(f, span->start, span->end);
        distribution_add(&row->ended, &f->budget, (uint64_t)(span->end - span->start));
    }
}

/* Counts a range that is open at the end of a look. */
static void count_open(void *arg, const struct span *span, const struct engine_stream *stream,
                       bool lasts)
{
    struct follow *f = arg;
    uint32_t number = row_of(f, span);
    struct follow_row *row = &f->rows[number];
    int64_t lasted = span->end - span->start;

    row->color = span->has_color ? span->color : row->color;
    row->time += (double)lasted;
    row->time_now += within(f, span->start, span->end);
    if (!lasts) {
        return;
    }
    notify(f, number, span, true);
    row->open_for = row->open++ && row->open_for > lasted ? row->open_for : lasted;
    if (stream && stream != f->counted && stream->last < f->from) {
        f->busy++;
        f->counted = stream;
    }
    ARRAY_ADD(f->open, f->open_count, f->open_room);
    f->open[f->open_count++] =
        (struct follow_open){number, span->process->number, span->tid, span->style, lasted};
}

void follow_rows_begin(struct follow *f)
{
    f->budget.left = DISTRIBUTION_BUDGET / 8;
    for (size_t i = 0; i < f->count; i++) {
        struct follow_row *row = &f->rows[i];
        memmove(row->past, row->past + 1, (FOLLOW_PAST - 1) * sizeof(*row->past));
        row->past[FOLLOW_PAST - 1] = 0;
        row->count_now = row->open = 0;
        row->time_now = 0;
        distribution_free(&row->ended);
        row->ended = (struct distribution){0};
    }
    f->open_count = f->busy = 0;
    f->counted = NULL;
}

void follow_rows_end(struct follow *f)
{
    for (size_t i = 0; i < f->count; i++) {
        f->rows[i].time = f->rows[i].closed_time;
    }
    for (size_t i = 0; i < f->engine.stream_count; i++) {
        f->busy += f->engine.streams[i].last >= f->from;
    }
    engine_open(&f->engine, f->now, count_open, f);
    for (size_t i = 0; i < f->count; i++) {
        distribution_finish(&f->rows[i].ended);
    }
}

void follow_begin(struct follow *f, const char *path, int64_t window)
{
    *f = (struct follow){.path = path, .window = window, .recording = {.fd = -1}};
    f->engine = (struct engine){.out = {.f = count, .arg = f}, .is_live = true};
}

void follow_begin_bounded(struct follow *f, const char *path, int64_t window, uint32_t most)
{
    struct texts *texts = &f->recording.source.texts;

    follow_begin(f, path, window);
    f->most = most;
    texts->other = texts_add(texts, FOLLOW_OTHER, sizeof(FOLLOW_OTHER) - 1);
    texts->most = 8 * most;
}

void follow_end(struct follow *f)
{
    for (size_t i = 0; i < f->count; i++) {
        distribution_free(&f->rows[i].ended);
    }
    for (size_t i = 0; i < f->before_count; i++) {
        distribution_free(&f->before[i]);
    }
    free(f->before);
    free(f->rows);
    free(f->open);
    map_free(&f->row_index);
    engine_free(&f->engine);
    recording_close(&f->recording);
}
