/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "summary.h"
#include "../util/memory.h"
#include "filter.h"

#include <stdlib.h>

/* Identifies a row. It is smaller than a row, because one is made for every span. */
struct identity {
    const struct source_process *process;
    enum span_style style;
    uint32_t domain_name, text, tid, category, category_name;
    bool has_category;
};

static bool is_same_row(const struct summary_row *a, const struct identity *b) {
    return a->text == b->text && a->domain_name == b->domain_name && a->style == b->style &&
           a->process == b->process && a->tid == b->tid && a->category == b->category &&
           a->has_category == b->has_category && a->category_name == b->category_name;
}

/* Finds or adds a row. */
static struct summary_row *row_of_identity(struct summary *s, const struct identity *new) {
    uint64_t process = new->process ? (uint64_t) new->process->number + 1 : 0;
    uint64_t hash =
        map_mix((uint64_t) new->domain_name << 32 | new->text, process << 32 | new->tid);
    uint64_t *found;

    hash = map_mix(hash, (uint64_t) new->category_name << 32 | new->category);
    hash = map_mix(hash, (uint64_t) new->has_category << 2 | new->style);
    while ((found = map_find(&s->index, hash)) && !is_same_row(&s->rows[*found], new)) {
        hash = map_mix(hash, 1); /* another row has the same hash */
    }
    if (found) {
        return &s->rows[*found];
    }
    map_add(&s->index, hash, s->count);
    ARRAY_ADD(s->rows, s->count, s->capacity);
    s->rows[s->count] = (struct summary_row){.style = new->style,
                                             .process = new->process,
                                             .domain_name = new->domain_name,
                                             .text = new->text,
                                             .tid = new->tid,
                                             .category = new->category,
                                             .has_category = new->has_category,
                                             .category_name = new->category_name};
    return &s->rows[s->count++];
}

struct summary_row *summary_row(struct summary *s, const struct span *span) {
    struct identity new = {.style = span->style};

    if (s->by == BY_THREAD) {
        new.process = span->process;
        new.tid = span->tid;
    } else if (s->by != BY_CATEGORY || span->has_category) {
        /* BY_CATEGORY, spans without a category share a row, whatever their domains. */
        new.domain_name = span->domain_name;
    }
    if (s->by == BY_RANGE || span->style == SPAN_COUNTER) {
        /* A missing message looks like an empty one. */
        new.text = string_table_at(&s->source->strings, span->text)->size ? span->text : 0;
        new.domain_name = span->domain_name;
    }
    if (span->has_category && s->by == BY_CATEGORY && span->style != SPAN_COUNTER) {
        new.has_category = true;
        new.category = span->category;
        new.category_name = source_category(span->process, span->domain, span->category);
    }
    return row_of_identity(s, &new);
}

/* A span_enter. */
static uint32_t enter(void *summary, const struct span *span, const struct span *outer) {
    struct summary *s = summary;

    (void)outer;
    /* Rows of threads add up busy times, so they need no inclusive times: see add. */
    return ((uint32_t)(summary_row(s, span) - s->rows) + 1) |
           (s->by == BY_THREAD ? 0 : SPAN_INCLUSIVE);
}

/* Returns the index of the span's thread in `threads`. Most spans are of the last one's thread. */
static uint32_t thread_of(struct summary *s, const struct span *span) {
    const struct summary_thread *last = s->thread_count ? &s->threads[s->last_thread] : NULL;

    if (!last || last->process != span->process || last->tid != span->tid) {
        s->last_thread =
            MAP_INTERN(&s->thread_index, (uint64_t)span->process->number << 32 | span->tid,
                       s->threads, s->thread_count, s->thread_capacity,
                       (struct summary_thread){.process = span->process,
                                               .tid = span->tid,
                                               .domain_name = span->domain_name,
                                               .text = span->text});
    }
    return s->last_thread;
}

/* Adds up the time for which a counter had its largest value. Call it before `max` and `last_at`
 * are changed. */
static void add_high(struct summary_counter *c, bool is_first, double value, int64_t at) {
    if (is_first || value > c->max) {
        c->high_from = c->high_since = at;
        c->high_for = 0;
    } else if (value < c->max && c->high_since != INT64_MAX) {
        c->high_for += (double)(at - c->high_since);
        c->high_since = INT64_MAX;
    } else if (value >= c->max && c->high_since == INT64_MAX) {
        c->high_since = at;
    }
}

static void add_sample(struct summary_row *row, const struct span *span) {
    double value = value_number(span);
    bool is_first = row->instances == 1;

    if (!row->counter) {
        row->counter = must_alloc(NULL, 1, sizeof(*row->counter));
        *row->counter = (struct summary_counter){0};
    }
    struct summary_counter *c = row->counter;
    add_high(c, is_first, value, span->start);
    row->thread = span->start < c->last_at ? SUMMARY_SEVERAL : row->thread;
    c->total += value;
    c->min = is_first || value < c->min ? value : c->min;
    c->max = is_first || value > c->max ? value : c->max;
    c->last = span->start >= c->last_at ? value : c->last;
    c->last_at = span->start > c->last_at ? span->start : c->last_at;
    row->unit = span->unit ? span->unit : row->unit;
}

/* Notes which thread a row's span is of, and its longest instance. */
static void add_thread(struct summary *s, struct summary_row *row, const struct span *span) {
    uint32_t thread = thread_of(s, span);
    bool is_longest =
        row->durations.count == 0 || (uint64_t)(span->end - span->start) > row->durations.max;

    row->thread = row->instances == 1 || row->thread == thread ? thread : SUMMARY_SEVERAL;
    if (is_longest) {
        row->longest_at = span->start;
        row->longest_thread = thread;
    }
    s->threads[thread].busy += (double)span->busy;
}

static void add(void *summary, const struct span *span) {
    struct summary *s = summary;
    struct summary_row *row = span->place ? &s->rows[span->place - 1] : summary_row(s, span);

    row->color = span->has_color && s->by == BY_RANGE ? span->color : row->color;
    row->instances++;
    s->first = span->start < s->first ? span->start : s->first;
    s->last = span->end > s->last ? span->end : s->last;
    if (s->by == BY_RANGE) {
        add_thread(s, row, span);
    }
    if (span->style == SPAN_COUNTER) {
        add_sample(row, span);
    } else if (span->style != SPAN_MARK) {
        if (span->style == SPAN_PUSH_POP) {
            spans_add_off(&row->off, row->durations.total, span);
        }
        distribution_add(&row->durations, &s->budget, (uint64_t)(span->end - span->start));
        row->self += (double)span->self;
        /* Rows of threads add up busy times. These are right even if pops in wrong domains make it
         * doubtful which range was open. */
        row->inclusive += (double)(s->by == BY_THREAD ? span->busy : span->inclusive);
        s->busy += (double)span->busy;
        if (s->with_drift) {
            drift_add(&row->drift, span->start, (uint64_t)(span->end - span->start));
        }
    }
}

static double weight(const struct summary_row *row) {
    return row->style == SPAN_PUSH_POP ? row->inclusive : row->durations.total;
}

ARRAY_ORDER(by_rank, struct summary_row,
            ORDER(x->style, y->style) ?: ORDER(weight(y), weight(x))
            ?: ORDER(y->instances, x->instances) ?: ORDER(x->text, y->text))

static void free_row(struct summary_row *row) {
    free(row->drift);
    free(row->counter);
    free(row->off);
    distribution_free(&row->durations);
}

static void make_rows(struct summary *s, struct source *source) {
    s->source = source;
    s->first = INT64_MAX;
    spans_each(source, add, enter, s, &s->totals);
    const struct filter *f = source->filter;
    s->first = f && f->from > INT64_MIN ? f->from : s->first;
    s->last = f && f->to < INT64_MAX ? f->to : s->last;
    map_free(&s->index);
    map_free(&s->thread_index);
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (s->rows[i].instances) {
            distribution_finish(&s->rows[i].durations);
            s->rows[count++] = s->rows[i];
        } else { /* all its ranges end before the window */
            free_row(&s->rows[i]);
        }
    }
    s->count = count;
    ARRAY_SORT(s->rows, s->count, by_rank);
}

void summary_make(struct summary *s, struct source *source, enum summary_by by) {
    *s = (struct summary){.by = by, .budget = DISTRIBUTION_BUDGET};
    make_rows(s, source);
}

void summary_make_with_drift(struct summary *s, struct source *source, size_t among) {
    *s =
        (struct summary){.by = BY_RANGE, .budget = DISTRIBUTION_BUDGET / among, .with_drift = true};
    make_rows(s, source);
}

void summary_free(struct summary *s) {
    for (size_t i = 0; i < s->count; i++) {
        free_row(&s->rows[i]);
    }
    free(s->rows);
    free(s->threads);
    map_free(&s->index);
    map_free(&s->thread_index);
    *s = (struct summary){0};
}

void summary_count_names(const struct summary *s, struct source *source, struct fold *f) {
    for (size_t i = 0; i < s->count; i++) {
        const struct summary_row *row = &s->rows[i];
        if (row->style != SPAN_COUNTER) {
            fold_count(f, source, row->domain_name, row->text, row->instances);
        }
    }
}
