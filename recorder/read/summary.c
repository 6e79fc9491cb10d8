/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void take(void *arg, const struct span *span)
{
    struct summary *s = arg;
    /* No message and an empty one look the same. */
    uint32_t text = span->text && s->recording->texts.all[span->text].size ? span->text : 0;
    uint64_t key = (uint64_t)span->domain_name << 34 ^ (uint64_t)text << 2 ^ (uint64_t)span->style;
    uint64_t *at = map_add(&s->index, key, s->count);

    if (*at == s->count) {
        ARRAY_ADD(s->rows, s->count, s->room);
        s->rows[s->count++] = (struct summary_row){
            .style = span->style, .domain_name = span->domain_name, .text = text};
    }
    struct summary_row *row = &s->rows[*at];
    if (span->style != SPAN_MARK) {
        ARRAY_ADD(row->durations, row->instances, row->room);
        row->durations[row->instances] = (uint64_t)(span->end - span->start);
    }
    row->instances++;
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void finish_row(struct summary_row *row)
{
    size_t n = row->instances;
    uint64_t *d = row->durations;
    double squares = 0;

    if (!d) {
        return;
    }
    qsort(d, n, sizeof(*d), by_size);
    for (size_t i = 0; i < n; i++) {
        row->total += (double)d[i];
    }
    row->min = d[0];
    row->max = d[n - 1];
    row->average = row->total / (double)n;
    const uint64_t *middle = &d[n / 2];
    row->median = n % 2 ? (double)middle[0] : ((double)middle[-1] + (double)middle[0]) / 2;
    for (size_t i = 0; i < n; i++) {
        squares += ((double)d[i] - row->average) * ((double)d[i] - row->average);
    }
    row->deviation = n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
}

static int by_rank(const void *a, const void *b)
{
    const struct summary_row *x = a, *y = b;

    if ((x->style == SPAN_MARK) != (y->style == SPAN_MARK)) {
        return x->style == SPAN_MARK ? 1 : -1;
    }
    if (x->total > y->total || x->total < y->total) {
        return x->total > y->total ? -1 : 1;
    }
    if (x->instances != y->instances) {
        return x->instances > y->instances ? -1 : 1;
    }
    return x->text < y->text ? -1 : x->text > y->text;
}

void summary_make(struct summary *s, struct recording *r)
{
    *s = (struct summary){.recording = r};
    spans_each(r, take, s, &s->totals);
    for (size_t i = 0; i < s->count; i++) {
        finish_row(&s->rows[i]);
        s->total += s->rows[i].total;
    }
    if (s->count) {
        qsort(s->rows, s->count, sizeof(*s->rows), by_rank);
    }
}

void summary_free(struct summary *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->rows[i].durations);
    }
    free(s->rows);
    map_free(&s->index);
    *s = (struct summary){0};
}
