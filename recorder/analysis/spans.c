/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "source.h"
#include "filter.h"
#include "fold.h"
#include "../util/memory.h"

#include <math.h>
#include <string.h>

const char *const span_style_names[] = {"PushPop", "StartEnd", "Mark", "Counter"};

void span_totals_open(struct span_totals *t, const struct span *span) {
    t->open++;
    for (size_t i = 0; i < sizeof(t->open_names) / sizeof(t->open_names[0]); i++) {
        struct span_open_name *n = &t->open_names[i];
        if (!n->count || (n->domain_name == span->domain_name && n->text == span->text)) {
            *n = (struct span_open_name){span->domain_name, span->text, n->count + 1};
            return;
        }
    }
}

/* The `arg` of hand_out and enter_wanted, which call `f` and `enter` for what the filter wants, by
 * the names that source->fold gives. */
struct filtering {
    struct source *source;
    span_function *f;
    span_enter *enter;
    void *arg;
};

/* Whether the filter lets a span through. If source.by_launch is set, the window does not count,
 * and all operations of GPUs are let through. */
static bool is_span_wanted(const struct filtering *f, const struct span *span, bool in_window) {
    bool by_launch = f->source->by_launch;
    return !f->source->filter || (by_launch && span->on_gpu) ||
           ((by_launch || in_window) && filter_wants(f->source->filter, f->source, span));
}

static void hand_out(void *arg, const struct span *span) {
    struct filtering *f = arg;
    struct filter *filter = f->source->filter;
    struct span cut = *span;
    bool in_window = filter && !f->source->by_launch && filter_cut(filter, &cut);

    if (is_span_wanted(f, span, in_window)) {
        if (filter) {
            filter->has_matched = true;
        }
        cut.text = f->source->fold ? fold_text(f->source, span) : cut.text;
        f->f(f->arg, &cut);
    }
}

/* A range that is filtered out gets the place of the range around it. So in a report, the ranges
 * nested in the filtered range are children of the range around it. */
static uint32_t enter_wanted(void *arg, const struct span *span, const struct span *outer) {
    struct filtering *f = arg;
    const struct filter *filter = f->source->filter;
    uint32_t place = outer ? outer->place : 0;
    struct span named;

    if (!is_span_wanted(f, span, filter && span->start < filter->to)) {
        return place | SPAN_HIDDEN;
    }
    if (f->source->fold) {
        named = *span;
        named.text = fold_text(f->source, span);
        span = &named;
    }
    return f->enter(f->arg, span, place ? outer : NULL);
}

void spans_each(struct source *s, span_function *f, span_enter *enter, void *arg,
                struct span_totals *ret_totals) {
    struct filtering filtering = {s, f, enter, arg};

    if (s->filter || s->fold) {
        s->kind->spans(s, hand_out, enter ? enter_wanted : NULL, &filtering, ret_totals);
    } else {
        s->kind->spans(s, f, enter, arg, ret_totals);
    }
}

void spans_of_switches(const struct source *s, const struct source_process *p, uint32_t tid,
                       span_function *f, void *arg) {
    struct switches_time time;

    for (size_t i = 0; p->switches && switches_time(p->switches, tid, i, &time); i++) {
        struct span span = {.process = p, .tid = tid, .end_tid = tid, .start = time.from};
        span.end = time.to;
        span.place = time.state;
        span.payload = time.processor;
        bool is_wanted = !s->filter ||
                         (filter_wants_thread(s->filter, s, &span) && filter_cut(s->filter, &span));
        if (is_wanted && time.state != SWITCHES_UNKNOWN && time.to != INT64_MAX) {
            f(arg, &span);
        }
    }
}

void spans_add_off(double **off, double before, const struct span *span) {
    int64_t now[SWITCHES_OFF] = {[SWITCHES_UNKNOWN] = span->end - span->start};

    if (span->process->switches) {
        switches_between(span->process->switches, span->tid, span->start, span->end, now);
        if (!*off) {
            *off = must_alloc(NULL, SWITCHES_OFF, sizeof(**off));
            memset(*off, 0, SWITCHES_OFF * sizeof(**off));
            (*off)[SWITCHES_UNKNOWN] = before;
        }
    }
    for (int i = 0; *off && i < SWITCHES_OFF; i++) {
        (*off)[i] += (double)now[i];
    }
}

double spans_time(const double *off, double total, int which) {
    double cpu = total;

    for (int i = 0; off && i < SWITCHES_OFF; i++) {
        cpu -= off[i];
    }
    if (!off || (total > 0 && off[SWITCHES_UNKNOWN] >= total)) {
        return NAN;
    }
    return which == SPANS_CPU                  ? cpu
           : which < SPANS_PERCENT             ? off[which - SPANS_BLOCKED]
           : total > 2 * off[SWITCHES_UNKNOWN] ? 100 * cpu / (total - off[SWITCHES_UNKNOWN])
                                               : NAN;
}
