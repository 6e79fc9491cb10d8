/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "deferred_halves.h"
#include "span_output.h"
#include "../base/memory.h"
#include "../read/recording.h"

#include <stdlib.h>

enum { THREAD = 22, INNERMOST = 31 }; /* NVTX_SCOPE_CURRENT_SW_THREAD and _INNERMOST */

void deferred_halves_add(struct deferred_halves *d, const struct deferred_half *half)
{
    ARRAY_ADD(d->all, d->count, d->room);
    struct deferred_half *h = &d->all[d->count++];
    *h = *half;
    if (h->range || h->scope == THREAD || h->scope == INNERMOST) {
        h->scope = 0; /* such halves pair by id, or within the submitting thread */
    }
}

static int order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Without scope and id, only halves of the same thread pair. */
static uint32_t thread_of(const struct deferred_half *h)
{
    return h->range || h->scope ? 0 : h->span.tid;
}

/* Returns 0 if the two halves may pair. */
static int compare_kind(const struct deferred_half *a, const struct deferred_half *b)
{
    int by = order(a->is_push, b->is_push);

    by = by ? by : order(a->span.domain, b->span.domain);
    by = by ? by : order(a->range, b->range);
    by = by ? by : order(a->scope, b->scope);
    return by ? by : order(thread_of(a), thread_of(b));
}

static int compare(const void *a, const void *b)
{
    const struct deferred_half *x = a, *y = b;
    int by = compare_kind(x, y);

    by = by ? by : (x->span.start > y->span.start) - (x->span.start < y->span.start);
    return by ? by : order(x->place, y->place);
}

/* Where both halves have a text, colour or category, the range gets that of the end. */
static struct span joined(const struct deferred_half *begin, const struct deferred_half *end)
{
    struct span span = begin->span;
    const struct span *last = &end->span;

    span.end = last->start;
    span.end_tid = last->tid;
    span.stream = last->stream;
    span.end_blobs = last->begin;
    span.text = last->text ? last->text : span.text;
    if (last->has_color) {
        span.has_color = true;
        span.color = last->color;
    }
    if (last->has_category) {
        span.has_category = true;
        span.category = last->category;
    }
    return span;
}

/* Takes a half without another: counts it if it is an end, and hands it out as an open range if it is a beginning. */
static void alone(const struct deferred_half *h, const struct span_output *p, int64_t end,
                  struct span_totals *totals)
{
    struct span span = h->span;

    if (h->is_end) {
        *(h->is_push ? &totals->pops : &totals->ends) += span_output_is_error(p);
        return;
    }
    span.end = end > span.start ? end : span.start;
    span.open = true;
    totals->open++;
    span_output_kept(p, &span);
}

/* Hands out the beginnings from `from` to `to`, which have no end, and returns `from`. If `end` is negative, keeps them
 * and returns `to`. */
static size_t leave_open(const struct deferred_half *all, size_t from, size_t to,
                         const struct span_output *p, int64_t end, struct span_totals *totals)
{
    if (end < 0) {
        return to;
    }
    for (size_t i = from; i < to; i++) {
        alone(&all[i], p, end, totals);
    }
    return from;
}

void deferred_halves_pair(struct deferred_halves *d, const struct span_output *p, int64_t end,
                          struct span_totals *totals)
{
    size_t kept = 0, open = 0; /* beginnings without an end so far are moved to [kept, open) */

    if (d->count) {
        qsort(d->all, d->count, sizeof(*d->all), compare);
    }
    for (size_t i = 0; i < d->count; i++) {
        struct deferred_half h = d->all[i];
        if (open > kept && compare_kind(&d->all[open - 1], &h)) {
            kept = open = leave_open(d->all, kept, open, p, end, totals);
        }
        if (!h.is_end) {
            d->all[open++] = h;
        } else if (open > kept) {
            struct span span = joined(&d->all[--open], &h);
            span_output_kept(p, &span);
        } else {
            alone(&h, p, end, totals);
        }
    }
    d->kept = d->count = leave_open(d->all, kept, open, p, end, totals);
}

void deferred_halves_free(struct deferred_halves *d)
{
    free(d->all);
    *d = (struct deferred_halves){0};
}
