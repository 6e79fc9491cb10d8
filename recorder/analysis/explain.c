/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "explain.h"
#include "filter.h"
#include "fold.h"
#include "name.h"
#include "../util/memory.h"

#include <math.h>
#include <stdlib.h>

struct explaining {
    struct explanation *e;
    struct source *source;
    struct filter *chosen; /* the source's own filter, which selects the instances */
    double median;
    const struct span *in;  /* the instance that is read: the longest or the usual one */
    uint32_t pushes;        /* of the instance's thread so far */
    struct map names;       /* domain << 32 | text -> a number */
    struct map rows;        /* see row_of */
    struct sampled {        /* by row of `e`, if that is a counter */
        uint64_t then, all; /* how many samples count in explained.then, and in .usual */
        int64_t last;       /* ns; of the last sample before the instance */
    } * samples;
    size_t sample_count, sample_capacity;
    struct map threads, alike; /* process << 32 | tid, program << 32 | name -> index in e->groups */
};

static struct explained *row_of(struct explaining *x, enum explained_what what, uint32_t index,
                                const struct span *span) {
    struct explanation *e = x->e;
    /* a missing message looks like an empty one */
    uint32_t text = string_table_at(&x->source->strings, span->text)->size ? span->text : 0;
    uint64_t name = (uint64_t)span->domain_name << 32 | text;
    uint64_t number = *map_add(&x->names, name, x->names.count + 1);
    uint32_t i =
        MAP_INTERN(&x->rows, number << 32 | index << 2 | what, e->rows, e->count, e->capacity,
                   (struct explained){.what = what,
                                      .domain_name = span->domain_name,
                                      .text = text,
                                      .index = index,
                                      .then = what == EXPLAINED_COUNTER ? NAN : 0});

    return &e->rows[i];
}

static bool is_on_thread_of(const struct span *a, const struct span *b) {
    return a->process == b->process && a->tid == b->tid;
}

/* Called before other rows than those of counters are added. */
static void add_sample(struct explaining *x, const struct span *span) {
    const struct span *in = &x->e->longest;
    struct explained *row = row_of(x, EXPLAINED_COUNTER, 0, span);
    size_t number = (size_t)(row - x->e->rows);
    double value = value_number(span);

    if (number == x->sample_count) {
        *ARRAY_NEW(x->samples, x->sample_count, x->sample_capacity) =
            (struct sampled){.last = INT64_MIN};
    }
    struct sampled *s = &x->samples[number];
    row->usual += (value - row->usual) / (double)++s->all;
    if (span->start >= in->start && span->start < in->end) {
        row->then = s->then ? row->then + (value - row->then) / (double)(s->then + 1) : value;
        s->then++;
    } else if (span->start < in->start && !s->then && span->start >= s->last) {
        row->then = value;
        s->last = span->start;
    }
}

/* Of several instances that are as usual, the first one is taken. */
static void find_typical(struct explaining *x, const struct span *span) {
    struct explanation *e = x->e;
    const struct span *l = &e->longest, *t = &e->typical;
    double away = fabs((double)(span->end - span->start) - x->median);
    double least = fabs((double)(t->end - t->start) - x->median);
    bool is_longest = is_on_thread_of(span, l) && span->start == l->start && span->end == l->end;
    int order = ORDERS(ORDER(away, least) ?: ORDER(span->start, t->start)
                       ?: ORDER(span->process, t->process) ?: ORDER(span->tid, t->tid)
                       ?: ORDER(span->end, t->end));

    if (!is_longest && (!e->has_typical || order < 0)) {
        e->typical = *span;
        e->has_typical = true;
    }
}

static void add_whole(void *arg, const struct span *span) {
    struct explaining *x = arg;

    if (span->style == SPAN_COUNTER) {
        add_sample(x, span);
    } else if (span->style == x->e->longest.style && filter_wants(x->chosen, x->source, span)) {
        find_typical(x, span);
    }
}

/* A span_enter. Numbers the pushes of the instance's thread. */
static uint32_t enter(void *arg, const struct span *span, const struct span *outer) {
    struct explaining *x = arg;

    (void)outer;
    return is_on_thread_of(span, x->in) ? ++x->pushes & SPAN_PLACE : 0;
}

static uint32_t group_of(struct explaining *x, const struct span *span) {
    struct explanation *e = x->e;
    const struct source_process *p = span->process;
    uint64_t thread = (uint64_t)p->number << 32 | span->tid, *group = map_find(&x->threads, thread);

    if (!group) {
        uint32_t name = name_shared(x->source, p, span->tid);
        uint32_t i =
            MAP_INTERN(&x->alike, (uint64_t)p->exe << 32 | name, e->groups, e->group_count,
                       e->group_capacity, (struct explained_group){p, span->tid, name, 0, 0});
        e->groups[i].threads++;
        group = map_add(&x->threads, thread, i);
    }
    return (uint32_t)*group;
}

/* Adds a range's self time. All of it is in the instance, because the filter has cut the range. */
static void add_part(void *arg, const struct span *span) {
    struct explaining *x = arg;
    struct explanation *e = x->e;
    bool is_own = x->in->style == SPAN_PUSH_POP && is_on_thread_of(span, x->in),
         is_longest = x->in == &e->longest;

    if (span->style != SPAN_PUSH_POP || (!is_own && !is_longest)) {
        return;
    }
    if (is_own && is_longest && span->start == x->in->start && span->end == x->in->end) {
        *ARRAY_NEW(e->around, e->around_count, e->around_capacity) = *span;
    }
    if (is_own) {
        struct explained *row = row_of(x, EXPLAINED_INSIDE, 0, span);
        *(is_longest ? &row->then : &row->usual) += (double)span->self;
    } else {
        uint32_t group = group_of(x, span);
        row_of(x, EXPLAINED_MEANWHILE, group, span)->then += (double)span->self;
        e->groups[group].busy += (double)span->self;
    }
}

static void read_instance(struct explaining *x, const struct span *in) {
    struct filter window = {.from = in->start, .to = in->end};
    struct span_totals totals;

    x->in = in;
    x->source->filter = &window;
    spans_each(x->source, add_part, enter, x, &totals);
}

ARRAY_ORDER(by_place, struct span, ORDER(x->place, y->place))

/* `around` has all ranges that last as long as the instance. Keeps those that were pushed before
 * the first one of the instance's name, which is the instance. */
static void add_around(struct explaining *x) {
    struct explanation *e = x->e;
    const struct span *l = &e->longest;
    uint32_t i = 0;

    ARRAY_SORT(e->around, e->around_count, by_place);
    for (; i < e->around_count; i++) {
        const struct span *s = &e->around[i];
        if (s->domain_name == l->domain_name && s->text == e->text) {
            break;
        }
        *ARRAY_NEW(e->rows, e->count, e->capacity) =
            (struct explained){EXPLAINED_AROUND, s->domain_name, s->text, i, 0, 0};
    }
    e->around_count = i;
}

static const struct explained_group *groups; /* for by_weight, to which qsort passes no argument */

static double difference(const struct explained *row) {
    return row->what == EXPLAINED_COUNTER ? 0 : fabs(row->then - row->usual);
}

static int by_weight(const void *a, const void *b) {
    const struct explained *x = a, *y = b;
    bool threads = x->what == EXPLAINED_MEANWHILE && y->what == EXPLAINED_MEANWHILE;

    return ORDERS(ORDER(x->what, y->what)
                  ?: (threads ? ORDER(groups[y->index].busy, groups[x->index].busy) : 0)
                  ?: ORDER(x->index, y->index)
                  ?: ORDER(difference(y), difference(x))
                  ?: ORDER(x->domain_name, y->domain_name) ?: ORDER(x->text, y->text));
}

void explain(struct explanation *e, struct source *source, const struct span *longest,
             double median) {
    struct filter *chosen = source->filter, whole = {.from = chosen->from, .to = chosen->to};
    struct explaining x = {.e = e, .source = source, .chosen = chosen, .median = median};
    struct span_totals totals;

    *e = (struct explanation){.longest = *longest, .text = longest->text};
    if (source->fold) {
        e->text = fold_text(source, longest);
    }
    source->is_again = true;
    source->filter = &whole;
    spans_each(source, add_whole, NULL, &x, &totals);
    read_instance(&x, &e->longest);
    add_around(&x);
    if (e->has_typical && e->typical.style == SPAN_PUSH_POP) {
        read_instance(&x, &e->typical);
    }
    source->filter = chosen;
    size_t kept = 0;
    for (size_t i = 0; i < e->count; i++) { /* ranges that were never the innermost say nothing */
        const struct explained *row = &e->rows[i];
        bool is_timed = row->what == EXPLAINED_INSIDE || row->what == EXPLAINED_MEANWHILE;
        if (!is_timed || row->then + row->usual > 0) {
            e->rows[kept++] = *row;
        }
    }
    e->count = kept;
    groups = e->groups;
    ARRAY_SORT(e->rows, e->count, by_weight);
    map_free(&x.names);
    map_free(&x.rows);
    map_free(&x.threads);
    map_free(&x.alike);
    free(x.samples);
}

void explanation_free(struct explanation *e) {
    free(e->rows);
    free(e->around);
    free(e->groups);
    *e = (struct explanation){0};
}
