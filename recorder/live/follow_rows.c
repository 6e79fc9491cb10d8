/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "follow_rows.h"
#include "../base/memory.h"

#include <stdlib.h>
#include <string.h>

uint32_t follow_text(struct follow *f, const char *bytes, size_t size)
{
    if (!size) {
        return 0;
    }
    if (f->most && (size > FOLLOW_TEXT_MOST || f->texts.count >= 4 * f->most)) {
        uint32_t found = texts_find(&f->texts, bytes, size);
        return found ? found : f->other;
    }
    return texts_add(&f->texts, bytes, size);
}

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
    uint64_t *found;

    hash = map_mix(hash, (uint64_t)key->category_name << 32 | key->category);
    while ((found = map_find(&f->row_index, hash)) && !is_of(&f->rows[*found], key)) {
        hash = map_mix(hash, 1);
    }
    if (found) {
        return (uint32_t)*found;
    }
    const struct follow_key other = {.style = key->style, .text = f->other};
    bool is_other = key->text == f->other || key->domain_name == f->other || f->count >= f->most;
    bool is_it = key->text == f->other && !key->domain_name && !key->has_category;
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

/* Gives an event to the listener. */
static void say(const struct follow *f, uint32_t number, uint32_t pid, int64_t start, int64_t end,
                int64_t self, bool is_open)
{
    const struct follow_row *row = &f->rows[number];
    const struct follow_event e = {number, pid, row->style, start, end, self, row->value, is_open};

    if (f->event) {
        f->event(f->arg, &e);
    }
}

void follow_ended(struct follow *f, uint32_t number, int64_t start, int64_t end, int64_t self)
{
    struct follow_row *row = &f->rows[number];

    end = end > start ? end : start;
    say(f, number, f->pid, start, end, self, false);
    row->count++;
    row->closed_time += (double)(end - start);
    /* How many windows ago the range ended: 0, except when the recording is read for the first time. */
    int64_t ago = f->first && end < f->from ? (f->from - end - 1) / f->window + 1 : 0;
    if (ago < FOLLOW_PAST) {
        row->past[FOLLOW_PAST - 1 - ago]++;
    }
    if (ago == 0) {
        row->count_now++;
        row->time_now += within(f, start, end);
        distribution_add(&row->ended, &f->budget, (uint64_t)(end - start));
    }
}

static void drop_half(struct follow *f, size_t i)
{
    map_remove(&f->ranges, f->halves[i].key);
    f->halves[i] = f->halves[--f->half_count];
    if (i < f->half_count) {
        *map_find(&f->ranges, f->halves[i].key) = i;
    }
}

void follow_drop_halves(struct follow *f, uint32_t pid, int64_t before)
{
    for (size_t i = 0; i < f->half_count; i++) {
        if (f->halves[i].pid == pid && f->halves[i].at < before && !f->halves[i].is_end) {
            drop_half(f, i--);
        }
    }
}

void follow_half(struct follow *f, uint64_t key, uint32_t row, int64_t at, bool is_end)
{
    uint64_t *found = map_find(&f->ranges, key);

    if (!found) {
        map_add(&f->ranges, key, f->half_count);
        ARRAY_ADD(f->halves, f->half_count, f->half_room);
        f->halves[f->half_count++] = (struct follow_half){key, row, at, f->pid, f->stream, is_end};
    } else if (f->halves[*found].is_end != is_end) {
        struct follow_half other = f->halves[*found];
        drop_half(f, *found);
        follow_ended(f, is_end ? other.row : row, is_end ? other.at : at, is_end ? at : other.at,
                     0);
    }
}

int64_t follow_over(const struct follow *f, size_t stream)
{
    return f->streams[stream].over < f->now ? f->streams[stream].over : f->now;
}

/* Counts a range that is open at the end of a look. `over`: see follow_over. */
static void still_open(struct follow *f, uint32_t number, uint32_t pid, int64_t start, int64_t over,
                       int64_t self)
{
    struct follow_row *row = &f->rows[number];
    int64_t open_for = over > start ? over - start : 0;

    if (f->now > start) {
        say(f, number, pid, start, over, self, true);
    }
    row->open_for = row->open++ && row->open_for > open_for ? row->open_for : open_for;
    row->time += (double)open_for;
    row->time_now += within(f, start, over);
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
    for (size_t i = 0; i < f->stream_count; i++) {
        f->streams[i].events = 0;
    }
}

void follow_rows_end(struct follow *f)
{
    for (size_t i = 0; i < f->count; i++) {
        f->rows[i].time = f->rows[i].closed_time;
    }
    for (size_t i = 0; i < f->stream_count; i++) {
        const struct follow_stream *s = &f->streams[i];
        int64_t over = follow_over(f, i);
        for (size_t k = 0; k < s->open_count; k++) {
            const struct follow_open *o = &s->open[k];
            int64_t since = s->since > o->start ? s->since : o->start;
            int64_t last = k + 1 == s->open_count && over > since ? over - since : 0;
            still_open(f, o->row, s->pid, o->start, over, o->self + last);
        }
    }
    for (size_t i = 0; i < f->half_count; i++) {
        const struct follow_half *h = &f->halves[i];
        if (!h->is_end) {
            still_open(f, h->row, h->pid, h->at, follow_over(f, h->stream), 0);
        } else if (h->at < f->from) { /* the beginning would have been read by now */
            drop_half(f, i--);
        }
    }
    for (size_t i = 0; i < f->count; i++) {
        distribution_finish(&f->rows[i].ended);
    }
}

void follow_begin(struct follow *f, const char *path, int64_t window)
{
    follow_begin_bounded(f, path, window, 0);
}

void follow_begin_bounded(struct follow *f, const char *path, int64_t window, uint32_t most)
{
    *f = (struct follow){.path = path, .window = window, .most = most};
    f->other = most ? texts_add(&f->texts, FOLLOW_OTHER, sizeof(FOLLOW_OTHER) - 1) : 0;
}

void follow_end(struct follow *f)
{
    for (size_t i = 0; i < f->count; i++) {
        distribution_free(&f->rows[i].ended);
    }
    for (size_t i = 0; i < f->stream_count; i++) {
        free(f->streams[i].open);
        free(f->streams[i].presets.all);
        map_free(&f->streams[i].texts);
    }
    for (size_t i = 0; i < f->before_count; i++) {
        distribution_free(&f->before[i]);
    }
    free(f->before);
    free(f->rows);
    free(f->streams);
    free(f->halves);
    texts_free(&f->texts);
    map_free(&f->row_index);
    map_free(&f->stream_index);
    map_free(&f->ranges);
}
