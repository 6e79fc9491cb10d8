/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sync_points.h"
#include "../base/memory.h"

#include <stdlib.h>

#define SPACING 100000000 /* ns; points so far apart give an exact rate: see timeline.c */
#define LONGEST 1e18      /* ns, 31 years */

int64_t sync_points_difference(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

int64_t sync_points_later(int64_t a, int64_t b, double rate)
{
    double since = (double)b * rate;

    if (!(since < LONGEST && since > -LONGEST)) {
        return since > 0 ? (int64_t)LONGEST : -(int64_t)LONGEST;
    }
    return (int64_t)((uint64_t)a + (uint64_t)(int64_t)(since + (since < 0 ? -0.5 : 0.5)));
}

void sync_points_add(struct sync_points *s, int64_t at, int64_t ns)
{
    if (ns < (int64_t)LONGEST && ns > -(int64_t)LONGEST) { /* else the file is damaged */
        ARRAY_ADD(s->all, s->count, s->room);
        s->all[s->count++] = (struct sync_point){at, ns};
    }
}

static int by_at(const void *a, const void *b)
{
    const struct sync_point *x = a, *y = b;
    int order = ORDER(x->at, y->at);
    return order ? order : ORDER(x->ns, y->ns);
}

static double rate_between(const struct sync_point *a, const struct sync_point *b)
{
    return (double)(b->ns - a->ns) / (double)sync_points_difference(b->at, a->at);
}

/* If the points are close together, the rate that the program gave is more exact. */
static double rate_of(const struct sync_point *a, const struct sync_point *b, double said)
{
    return a == b || (b->ns - a->ns < SPACING && said > 0) ? said : rate_between(a, b);
}

bool sync_points_ready(struct sync_points *s, double rate)
{
    size_t kept = 0, i;

    if (s->count) {
        qsort(s->all, s->count, sizeof(*s->all), by_at);
    }
    for (i = 0; i < s->count; i++) {
        const struct sync_point *p = &s->all[i], *last = kept ? &s->all[kept - 1] : NULL;
        if (!last || (p->ns >= last->ns && sync_points_difference(p->at, last->at) > 0)) {
            s->all[kept++] = *p;
        }
    }
    s->count = kept;
    if (!kept) {
        return false;
    }
    struct sync_point *first = &s->all[0], *last = &s->all[kept - 1];
    for (i = 0; i + 1 < kept && s->all[i].ns - first->ns < SPACING; i++) {
    }
    s->first_rate = rate_of(first, &s->all[i], rate);
    for (i = kept - 1; i > 0 && last->ns - s->all[i].ns < SPACING; i--) {
    }
    s->last_rate = rate_of(&s->all[i], last, rate);
    return kept > 1 || rate > 0;
}

int64_t sync_points_ns(const struct sync_points *s, int64_t at)
{
    size_t low = 0, high = s->count - 1;
    const struct sync_point *first = &s->all[0], *last = &s->all[high];

    if (at <= first->at) {
        return sync_points_later(first->ns, sync_points_difference(at, first->at), s->first_rate);
    }
    if (at >= last->at) {
        return sync_points_later(last->ns, sync_points_difference(at, last->at), s->last_rate);
    }
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        *(s->all[middle].at <= at ? &low : &high) = middle;
    }
    const struct sync_point *a = &s->all[low];
    return sync_points_later(a->ns, sync_points_difference(at, a->at),
                             rate_between(a, &s->all[high]));
}

void sync_points_free(struct sync_points *s)
{
    free(s->all);
    *s = (struct sync_points){0};
}
