/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "findings.h"
#include "name.h"
#include "../util/memory.h"

#include <math.h>
#include <stdlib.h>

/* Sorts a finding in by the time that it explains. The last one of too many is dropped. */
static void add(struct findings *f, struct finding new) {
    size_t i = f->count;

    for (; i > 0 && f->all[i - 1].explains < new.explains; i--) {
        if (i < FINDINGS) {
            f->all[i] = f->all[i - 1];
        }
    }
    if (i < FINDINGS) {
        f->all[i] = new;
        f->count += f->count < FINDINGS;
    }
}

void findings_join(struct findings *f, const struct findings *more) {
    for (size_t i = 0; i < more->count; i++) {
        add(f, more->all[i]);
    }
}

static struct finding of_row(enum finding_kind kind, const struct summary *s,
                             const struct summary_row *row, uint32_t thread) {
    return (struct finding){.kind = kind,
                            .source = s->source,
                            .domain_name = row->domain_name,
                            .text = row->text,
                            .thread = thread == SUMMARY_SEVERAL ? NULL : &s->threads[thread]};
}

/* SELF or PREEMPTED: of the ranges that have a fifth of the whole or more, the largest. */
static void add_largest(struct findings *f, const struct summary *s, enum finding_kind kind) {
    struct finding new = {.figure = 0};

    for (size_t i = 0; i < s->count; i++) {
        const struct summary_row *row = &s->rows[i];
        bool is_self = kind == FINDING_SELF;
        double self = row->style == SPAN_PUSH_POP ? row->self : 0;
        double ns = is_self ? self : row->off ? row->off[SWITCHES_PREEMPTED] : 0;
        double whole = is_self ? s->busy : row->durations.total;
        if (ns > new.figure && ns >= 0.2 * whole) {
            new = of_row(kind, s, row, row->thread);
            new.explains = new.figure = ns;
            new.usual = 100 * ns / whole;
        }
    }
    if (new.figure > 0) {
        add(f, new);
    }
}

/* An instance is far from the rest if it takes at least 10 times the median and 5 times the 99th
 * percentile, and what it takes beyond the latter is at least 5 % of the range's total time. Of a
 * range that is nested in itself, the outermost one always is. */
static void add_instance(struct findings *f, const struct summary *s,
                         const struct summary_row *row) {
    const struct distribution *d = &row->durations;
    double longest = (double)d->max;
    bool is_nested = row->style == SPAN_PUSH_POP && row->inclusive < d->total;

    if (row->style > SPAN_START_END || is_nested || d->count < 100 || longest < 0.05 * d->total) {
        return;
    }
    double median = distribution_quantile(d, 0.5), p99 = distribution_quantile(d, 0.99);
    if (longest > 0 && longest >= 10 * median && longest >= 5 * p99 &&
        longest - p99 >= 0.05 * d->total) {
        struct finding new = of_row(FINDING_INSTANCE, s, row, row->longest_thread);
        new.at = row->longest_at;
        new.explains = longest - p99;
        new.figure = longest;
        new.usual = median;
        add(f, new);
    }
}

static void add_counter(struct findings *f, const struct summary *s,
                        const struct summary_row *row) {
    const struct summary_counter *c = row->counter;
    double all = (double)(s->last - s->first);

    if (!c || row->thread == SUMMARY_SEVERAL || !(c->min < c->max)) {
        return;
    }
    bool is_high = c->high_since != INT64_MAX;
    double ns = c->high_for + (is_high ? (double)(c->last_at - c->high_since) : 0);
    if (all > 0 && ns >= 0.1 * all) {
        struct finding new = of_row(FINDING_COUNTER, s, row, row->thread);
        new.at = c->high_from;
        new.explains = ns;
        new.figure = c->max;
        new.usual = 100 * ns / all;
        add(f, new);
    }
}

/* A thread, with what decides to which others it is compared. Threads without names are alike if
 * their first spans are of the same range. */
struct like {
    uint32_t exe, name;
    uint64_t first;
    const struct summary_thread *thread;
};

ARRAY_ORDER(by_name, struct like,
            ORDER(x->exe, y->exe) ?: ORDER(x->name, y->name) ?: ORDER(x->first, y->first)
            ?: ORDER(x->thread->busy, y->thread->busy))

/* Compares threads that are alike, sorted by their busy times. */
static void add_idle(struct findings *f, const struct source *source, const struct like *all,
                     size_t count) {
    double median = (all[(count - 1) / 2].thread->busy + all[count / 2].thread->busy) / 2;

    for (size_t i = 0; count >= 3 && i < count && all[i].thread->busy < median / 2; i++) {
        add(f, (struct finding){.kind = FINDING_IDLE,
                                .source = source,
                                .explains = median - all[i].thread->busy,
                                .thread = all[i].thread,
                                .figure = all[i].thread->busy,
                                .usual = median});
    }
}

static void add_threads(struct findings *f, const struct summary *s, struct source *source) {
    struct like *all = must_alloc(NULL, s->thread_count + 1, sizeof(*all));
    size_t count = 0;

    for (size_t i = 0; i < s->thread_count; i++) {
        const struct summary_thread *t = &s->threads[i];
        if (t->busy > 0 && t->tid < SOURCE_LANES) { /* a thread that only has marks is not idle */
            uint32_t name = name_shared(source, t->process, t->tid);
            bool is_named = string_table_at(&source->strings, name)->size != 0;
            uint64_t first = is_named ? 0 : (uint64_t)t->domain_name << 32 | t->text;
            all[count++] = (struct like){t->process->exe, name, first, t};
        }
    }
    ARRAY_SORT(all, count, by_name);
    for (size_t i = 0, from = 0; i < count; i++) {
        if (i + 1 == count || all[i + 1].exe != all[i].exe || all[i + 1].name != all[i].name ||
            all[i + 1].first != all[i].first) {
            add_idle(f, source, &all[from], i + 1 - from);
            from = i + 1;
        }
    }
    free(all);
}

struct findings findings_of(const struct summary *s, struct source *source) {
    struct findings f = {.count = 0};

    add_largest(&f, s, FINDING_SELF);
    add_largest(&f, s, FINDING_PREEMPTED);
    add_threads(&f, s, source);
    for (size_t i = 0; i < s->count; i++) {
        add_instance(&f, s, &s->rows[i]);
        add_counter(&f, s, &s->rows[i]);
    }
    if (s->totals.dropped) {
        add(&f, (struct finding){.kind = FINDING_LOST,
                                 .explains = INFINITY,
                                 .figure = (double)s->totals.dropped});
    }
    return f;
}

struct findings findings_of_gpu(const struct gpu *g) {
    struct findings f = {.count = 0};

    for (size_t i = 1; i < g->count; i++) {
        const struct gpu_row *row = &g->rows[i];
        double idle = row->around.total - row->busy.total;
        if (row->ops && idle > 0 && idle >= 0.2 * row->around.total) {
            add(&f, (struct finding){.kind = FINDING_GPU_IDLE,
                                     .source = g->source,
                                     .explains = idle,
                                     .domain_name = row->domain_name,
                                     .text = row->text,
                                     .figure = idle,
                                     .usual = 100 * idle / row->around.total});
        }
    }
    return f;
}

/* The first of a range's times that changed, as its verdict says; COMPARISON_FIGURES: none did. */
static enum comparison_figure changed_of(const struct comparison_row *row) {
    enum comparison_figure f = COMPARISON_TOTAL;

    if (row->verdict == COMPARISON_ONLY_A || row->verdict == COMPARISON_ONLY_B) {
        return f;
    }
    if (row->verdict == COMPARISON_BEYOND_DRIFT) {
        return COMPARISON_MEDIAN;
    }
    while (f < COMPARISON_GPU_OPS && !(row->changed & 1u << f)) {
        f++;
    }
    return f < COMPARISON_GPU_OPS ? f : COMPARISON_FIGURES;
}

struct findings findings_of_changes(const struct comparison *c) {
    struct findings f = {.count = 0};

    for (size_t i = 0; i < c->count; i++) {
        const struct comparison_row *row = &c->rows[i];
        enum comparison_figure changed = changed_of(row);
        if (row->style < SPAN_MARK && changed < COMPARISON_FIGURES) {
            add(&f, (struct finding){.kind = FINDING_CHANGE,
                                     .source = row->source,
                                     .explains = comparison_weight(row),
                                     .domain_name = row->domain_name,
                                     .text = row->text,
                                     .changed = changed,
                                     .figure = row->b.runs ? row->b.figures[changed] : NAN,
                                     .usual = row->a.runs ? row->a.figures[changed] : NAN});
        }
    }
    return f;
}

struct findings findings_of_ranks(const struct ranks *all) {
    struct findings f = {.count = 0};

    for (size_t i = 0; i < all->count; i++) {
        const struct rank *rank = &all->all[i];
        if (rank->after > fmax(all->latest_start, rank_error(all, rank))) {
            add(&f, (struct finding){.kind = FINDING_LATE,
                                     .explains = rank->after,
                                     .ranks = all,
                                     .rank = rank,
                                     .figure = rank->after});
        }
    }
    for (size_t i = 0; i < all->row_count; i++) {
        const struct rank_row *row = &all->rows[i];
        if (row->is_worth && row->straggler) {
            add(&f, (struct finding){.kind = FINDING_STRAGGLER,
                                     .explains =
                                         row->typical * row->straggler_above / 100 * row->instances,
                                     .ranks = all,
                                     .rank = row->straggler,
                                     .range = row->range,
                                     .figure = row->straggler_above,
                                     .usual = (double)row->stragglers});
        }
    }
    return f;
}
