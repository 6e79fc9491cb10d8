/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "follow.h"
#include "../util/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct follow_row *row_of_span(struct follow_rows *t, const struct span *span) {
    const struct summary_row *name = summary_row(&t->names, span);
    size_t i = (size_t)(name - t->names.rows);

    if (i == t->count) {
        *ARRAY_NEW(t->rows, t->count, t->capacity) = (struct follow_row){
            .style = name->style, .domain_name = name->domain_name, .text = name->text};
    }
    return &t->rows[i];
}

static double inclusive(const struct span *span) {
    return (double)(span->style == SPAN_PUSH_POP ? span->inclusive : span->end - span->start);
}

/* In the first look: the part of inclusive() that is in the window. */
static double in_window(const struct follow *f, const struct span *span) {
    int64_t start = span->start > f->from ? span->start : f->from;

    if (span->style == SPAN_PUSH_POP) {
        return (double)span->late;
    }
    return span->end > start ? (double)(span->end - start) : 0;
}

static uint32_t enter_row(void *arg, const struct span *span, const struct span *outer) {
    struct follow_rows *t = arg;

    (void)outer;
    return ((uint32_t)(row_of_span(t, span) - t->rows) + 1) | SPAN_INCLUSIVE;
}

/* Counts a range that has ended, a mark or a sample. */
static void count_span(void *arg, const struct span *span) {
    struct follow_rows *t = arg;
    const struct follow *f = &t->follow;
    struct follow_row *row = row_of_span(t, span);

    row->color = span->has_color ? span->color : row->color;
    if (span->style == SPAN_COUNTER && span->start >= row->value_at) {
        row->value = value_number(span);
        row->value_at = span->start;
    }
    row->count++;
    row->closed_time += inclusive(span);
    row->time_now += f->first ? in_window(f, span) : 0;
    /* How many windows ago the range ended: above 0 only in the first look, which also hands out
     * older ranges. */
    int64_t ago = f->first && span->end < f->from ? (f->from - span->end - 1) / f->window + 1 : 0;
    if (ago < FOLLOW_PAST) {
        row->past[FOLLOW_PAST - 1 - ago]++;
    }
    if (ago == 0) {
        row->count_now++;
        distribution_add(&row->ended, &t->budget, (uint64_t)(span->end - span->start));
    }
}

/* Marks a stream's thread busy. A stream of signal handlers has the tid of their thread. */
static void set_busy(struct follow_rows *t, const struct engine_stream *stream) {
    map_add(&t->busy, (uint64_t)stream->process << 32 | stream->place.tid, 0);
}

/* Counts a range without an end so far. If it no longer `lasts`, only its time counts. */
static void count_open(void *arg, const struct span *span, const struct engine_stream *stream,
                       bool lasts) {
    struct follow_rows *t = arg;
    struct follow_row *row = row_of_span(t, span);
    int64_t lasted = span->end - span->start;

    row->color = span->has_color ? span->color : row->color;
    row->time += inclusive(span);
    row->time_now += t->follow.first ? in_window(&t->follow, span) : 0;
    if (!lasts) {
        return;
    }
    row->open_for = row->open++ && row->open_for > lasted ? row->open_for : lasted;
    if (stream) {
        set_busy(t, stream);
    }
    *ARRAY_NEW(t->open, t->open_count, t->open_capacity) = (struct follow_open){
        (uint32_t)(row - t->rows), span->process->number, span->tid, span->style, lasted};
}

/* Begins a new window: resets the figures of the previous one. */
static void begin_window(struct follow_rows *t) {
    for (size_t i = 0; i < t->count; i++) {
        struct follow_row *row = &t->rows[i];
        memmove(row->past, row->past + 1, (FOLLOW_PAST - 1) * sizeof(*row->past));
        row->past[FOLLOW_PAST - 1] = 0;
        row->count_now = row->open = 0;
        row->time_then = row->time;
        row->time_now = 0;
        row->time = 0;
        distribution_free(&row->ended);
        row->ended = (struct distribution){0};
    }
    t->open_count = t->threads = 0;
    map_free(&t->busy);
}

static void end_window(struct follow_rows *t) {
    const struct engine *e = &t->follow.engine;

    for (size_t i = 0; i < t->count; i++) {
        struct follow_row *row = &t->rows[i];
        row->time += row->closed_time;
        if (!t->follow.first) { /* the difference is < 0 if a range seemed open but had ended */
            row->time_now = fmax(row->time - row->time_then, 0);
        }
        distribution_finish(&row->ended);
    }
    for (size_t i = 0; i < e->stream_count; i++) {
        t->threads += !e->streams[i].in_handlers;
        if (e->streams[i].last >= t->follow.from) {
            set_busy(t, &e->streams[i]);
        }
    }
}

void follow_rows_begin(struct follow_rows *t, const char *path, int64_t window) {
    *t = (struct follow_rows){0};
    follow_begin(&t->follow, path, window, count_span, count_open, t);
    t->names.source = &t->follow.recording.source;
    t->follow.engine.enter = enter_row;
}

bool follow_rows_read(struct follow_rows *t, struct error *ret_error) {
    begin_window(t);
    t->budget = DISTRIBUTION_BUDGET / 8;
    if (!follow_read(&t->follow, ret_error)) {
        return false;
    }
    end_window(t);
    return true;
}

void follow_rows_end(struct follow_rows *t) {
    for (size_t i = 0; i < t->count; i++) {
        distribution_free(&t->rows[i].ended);
    }
    free(t->rows);
    free(t->open);
    map_free(&t->busy);
    summary_free(&t->names);
    follow_end(&t->follow);
}
