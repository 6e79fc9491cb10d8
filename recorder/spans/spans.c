/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "spans.h"
#include "engine.h"
#include "filter.h"

const char *const span_style_names[] = {"PushPop", "StartEnd", "Mark", "Counter"};

/* With a filter, the two functions below stand between the engine and the caller's functions. */
struct filtering {
    struct filter *filter;
    const struct recording *recording;
    span_function *f;
    span_enter *enter;
    void *arg;
};

static void hand_out(void *arg, const struct span *span)
{
    struct filtering *f = arg;
    struct span cut = *span;

    if (filter_cut(f->filter, &cut) && filter_wants(f->filter, f->recording, span)) {
        f->f(f->arg, &cut);
    }
}

/* A range that is left out gets the place of the range around it, so that ranges in it seem to lie in that one. */
static uint32_t enter_wanted(void *arg, const struct span *span, const struct span *outer)
{
    struct filtering *f = arg;
    uint32_t place = outer ? outer->place : 0;

    if (span->start >= f->filter->to || !filter_wants(f->filter, f->recording, span)) {
        return place;
    }
    return f->enter(f->arg, span, place ? outer : NULL);
}

void spans_nested(struct recording *r, span_function *f, span_enter *enter, void *arg,
                  struct span_totals *ret_totals)
{
    struct filtering filtering = {r->filter, r, f, enter, arg};
    struct engine e = {.out = {.f = f, .arg = arg}, .enter = enter, .filter = r->filter};

    if (r->filter) {
        e.out.f = hand_out;
        e.out.arg = &filtering;
        e.enter = enter ? enter_wanted : NULL;
    }
    engine_read(&e, r);
    *ret_totals = e.totals;
    engine_free(&e);
}

void spans_each(struct recording *r, span_function *f, void *arg, struct span_totals *ret_totals)
{
    spans_nested(r, f, NULL, arg, ret_totals);
}
