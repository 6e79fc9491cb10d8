/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "follow_rows.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

uint32_t follow_row(struct follow *f, enum span_style style, uint32_t domain_name, uint32_t text)
{
    uint64_t name =
        *map_add(&f->row_keys, (uint64_t)domain_name << 32 | text, f->row_keys.count + 1);
    uint64_t number = *map_add(&f->row_index, name << 2 | style, f->count);

    if (number == f->count) {
        ARRAY_ADD(f->rows, f->count, f->room);
        f->rows[f->count++] =
            (struct follow_row){.style = style, .domain_name = domain_name, .text = text};
    }
    return (uint32_t)number;
}

static double within(const struct follow *f, int64_t start, int64_t end)
{
    start = start > f->from ? start : f->from;
    return end > start ? (double)(end - start) : 0;
}

static void say(const struct follow *f, uint32_t number, uint32_t pid, int64_t start, int64_t end,
                bool is_open)
{
    const struct follow_row *row = &f->rows[number];
    const struct follow_event e = {number, pid, row->style, start, end, row->value, is_open};

    if (f->event) {
        f->event(f->arg, &e);
    }
}

void follow_ended(struct follow *f, uint32_t number, int64_t start, int64_t end)
{
    struct follow_row *row = &f->rows[number];

    end = end > start ? end : start;
    say(f, number, f->pid, start, end, false);
    row->count++;
    row->closed_time += (double)(end - start);
    int64_t ago = f->first && end < f->from ? (f->from - end - 1) / f->window + 1 : 0; /* windows */
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
        if (f->halves[i].pid == pid && f->halves[i].at < before) {
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
        f->halves[f->half_count++] = (struct follow_half){key, row, at, f->pid, is_end};
    } else if (f->halves[*found].is_end != is_end) {
        struct follow_half other = f->halves[*found];
        drop_half(f, *found);
        follow_ended(f, is_end ? other.row : row, is_end ? other.at : at, is_end ? at : other.at);
    }
}

static void still_open(struct follow *f, uint32_t number, uint32_t pid, int64_t start)
{
    struct follow_row *row = &f->rows[number];

    if (f->now > start) {
        say(f, number, pid, start, f->now, true);
    }
    row->oldest = row->open++ && row->oldest < start ? row->oldest : start;
    row->time += f->now > start ? (double)(f->now - start) : 0;
    row->time_now += within(f, start, f->now);
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
        for (size_t k = 0; k < s->open_count; k++) {
            still_open(f, s->open[k].row, s->pid, s->open[k].start);
        }
    }
    for (size_t i = 0; i < f->half_count; i++) {
        if (!f->halves[i].is_end) {
            still_open(f, f->halves[i].row, f->halves[i].pid, f->halves[i].at);
        } else if (f->halves[i].at < f->from) { /* its beginning would have been met by now */
            drop_half(f, i--);
        }
    }
    for (size_t i = 0; i < f->count; i++) {
        distribution_finish(&f->rows[i].ended);
    }
}

void follow_begin(struct follow *f, const char *path, int64_t window)
{
    *f = (struct follow){.path = path, .window = window};
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
    free(f->rows);
    free(f->streams);
    free(f->halves);
    texts_free(&f->texts);
    map_free(&f->row_keys);
    map_free(&f->row_index);
    map_free(&f->stream_index);
    map_free(&f->ranges);
}
