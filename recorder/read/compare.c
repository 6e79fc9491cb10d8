/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "compare.h"
#include "memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double count_at(const struct distribution *s, size_t i)
{
    return s->counts ? (double)s->counts[i] : 1;
}

/* Takes all samples of one value. */
static double take_equal(const struct distribution *s, size_t *i, uint64_t value)
{
    double n = 0;

    for (; *i < s->value_count && s->values[*i] == value; ++*i) {
        n += count_at(s, *i);
    }
    return n;
}

/* The p-value of the Mann-Whitney test, two-sided, with corrections for ties and continuity. NaN if
 * there are too few samples to tell anything. */
static double mann_whitney(const struct distribution *a, const struct distribution *b)
{
    double n = (double)a->count, m = (double)b->count, all = n + m;
    double below = 0, ranks = 0, ties = 0;

    if (a->count < 2 || b->count < 2) {
        return NAN;
    }
    for (size_t i = 0, k = 0; i < a->value_count || k < b->value_count;) {
        uint64_t x = i < a->value_count ? a->values[i] : UINT64_MAX;
        uint64_t y = k < b->value_count ? b->values[k] : UINT64_MAX;
        uint64_t value = x < y ? x : y;
        double of_a = take_equal(a, &i, value);
        double both = of_a + take_equal(b, &k, value);
        ranks += of_a * (below + (both + 1) / 2);
        ties += both * both * both - both;
        below += both;
    }
    double u = ranks - n * (n + 1) / 2;
    double variance = n * m / 12 * (all + 1 - ties / (all * (all - 1)));
    double distance = fabs(u - n * m / 2) - 0.5;
    return variance > 0 && distance > 0 ? erfc(distance / sqrt(2 * variance)) : 1;
}

static int by_p(const void *a, const void *b)
{
    const struct comparison_row *x = a, *y = b;
    bool x_none = isnan(x->p), y_none = isnan(y->p);

    if (x_none || y_none) { /* those come last */
        return x_none - y_none;
    }
    return ORDER(x->p, y->p);
}

static int by_importance(const void *a, const void *b)
{
    const struct comparison_row *x = a, *y = b;

    if (x->matters != y->matters) {
        return x->matters ? -1 : 1;
    }
    return ORDER(fabs(y->weight), fabs(x->weight));
}

/* Holm's way: of so many ranges, some will differ by chance. Only those that were tested count. */
static void adjust(struct comparison *c, double alpha)
{
    size_t tests = 0;
    double highest = 0;

    if (c->count) {
        qsort(c->rows, c->count, sizeof(*c->rows), by_p);
    }
    for (size_t i = 0; i < c->count; i++) {
        tests += isnan(c->rows[i].p) ? 0 : 1;
    }
    for (size_t i = 0; i < c->count; i++) {
        struct comparison_row *row = &c->rows[i];
        if (!isnan(row->p)) {
            double p = row->p * (double)tests--;
            highest = p > highest ? p : highest;
            row->p = highest < 1 ? highest : 1;
        }
        row->matters = !row->a || !row->b || row->p < alpha;
    }
}

static void add(struct comparison *c, const struct summary_row *a, const struct summary_row *b)
{
    struct comparison_row row = {.a = a, .b = b, .p = NAN, .change = NAN};

    if (a && b && a->style < SPAN_MARK) {
        double before = distribution_quantile(&a->durations, 0.5);
        double after = distribution_quantile(&b->durations, 0.5);
        row.p = mann_whitney(&a->durations, &b->durations);
        row.change = before > 0 ? 100 * (after - before) / before : NAN;
    }
    row.weight = (b ? b->durations.total : 0) - (a ? a->durations.total : 0);
    ARRAY_ADD(c->rows, c->count, c->room);
    c->rows[c->count++] = row;
}

/* The row of the same name in the other recording. */
struct named {
    const struct summary_row *row;
    const struct text *domain, *message;
};

static int by_text(const struct text *x, const struct text *y)
{
    int order = memcmp(x->bytes, y->bytes, x->size < y->size ? x->size : y->size);
    return order ? order : ORDER(x->size, y->size);
}

static int by_name(const void *a, const void *b)
{
    const struct named *x = a, *y = b;

    int order = ORDER(x->row->style, y->row->style);
    order = order ? order : by_text(x->domain, y->domain);
    return order ? order : by_text(x->message, y->message);
}

static struct named *names_of(const struct summary *s)
{
    struct named *all = must_alloc(NULL, s->count, sizeof(*all));

    for (size_t i = 0; i < s->count; i++) {
        all[i] = (struct named){.row = &s->rows[i],
                                .domain = texts_at(&s->recording->texts, s->rows[i].domain_name),
                                .message = texts_at(&s->recording->texts, s->rows[i].text)};
    }
    if (s->count) {
        qsort(all, s->count, sizeof(*all), by_name);
    }
    return all;
}

void compare(struct comparison *c, const struct summary *a, const struct summary *b, double alpha)
{
    struct named *left = names_of(a), *right = names_of(b);

    *c = (struct comparison){0};
    for (size_t i = 0, k = 0; i < a->count || k < b->count;) {
        int order = i == a->count ? 1 : k == b->count ? -1 : by_name(&left[i], &right[k]);
        add(c, order <= 0 ? left[i].row : NULL, order >= 0 ? right[k].row : NULL);
        i += order <= 0;
        k += order >= 0;
    }
    adjust(c, alpha);
    if (c->count) {
        qsort(c->rows, c->count, sizeof(*c->rows), by_importance);
    }
    free(left);
    free(right);
}

void comparison_free(struct comparison *c)
{
    free(c->rows);
    *c = (struct comparison){0};
}
