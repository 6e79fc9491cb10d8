/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "compare.h"
#include "../base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const comparison_words[COMPARISON_VERDICTS] = {
    "same",    "unclear",   "faster",    "slower",      "within drift", "beyond drift",
    "too few", "only in A", "only in B", "same number", "other number",
};

struct member {
    const struct summary_row *row;
    const struct summary *summary;
};

static const struct text *text_of_member(const struct member *m, uint32_t number)
{
    return texts_at(&m->summary->source->texts, number);
}

static int by_text(const struct text *x, const struct text *y)
{
    int order = memcmp(x->bytes, y->bytes, x->size < y->size ? x->size : y->size);
    return order ? order : ORDER(x->size, y->size);
}

static int by_name(const struct member *x, const struct member *y)
{
    int order = ORDER(x->row->style, y->row->style);
    order = order ? order : by_text(text_of_member(x, x->row->domain_name), text_of_member(y, y->row->domain_name));
    return order ? order : by_text(text_of_member(x, x->row->text), text_of_member(y, y->row->text));
}

static int by_name_and_run(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    int order = by_name(x, y);
    return order ? order : ORDER(x->summary, y->summary);
}

static struct member *members_of(const struct summary *runs, size_t count, size_t *ret_count)
{
    size_t all = 0, next = 0;

    for (size_t i = 0; i < count; i++) {
        all += runs[i].count;
    }
    struct member *members = must_alloc(NULL, all, sizeof(*members));
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < runs[i].count; k++) {
            members[next++] = (struct member){&runs[i].rows[k], &runs[i]};
        }
    }
    if (all) {
        qsort(members, all, sizeof(*members), by_name_and_run);
    }
    *ret_count = all;
    return members;
}

/* The logarithms of one side's medians, one median for each run. */
struct sample {
    double mean, variance; /* variance: that of the mean */
    double least, most;
    double drift; /* the largest drift within a run; NaN: a run's is unknown */
};

static struct sample take_side(struct comparison_side *side, const struct member *members, size_t count)
{
    struct sample s = {.least = INFINITY, .most = -INFINITY};
    double squares = 0;

    *side = (struct comparison_side){.runs = count, .median = NAN};
    for (size_t i = 0; i < count; i++) {
        const struct summary_row *row = members[i].row;
        double n = (double)(i + 1);
        side->instances += ((double)row->instances - side->instances) / n;
        side->total += (row->durations.total - side->total) / n;
        if (row->style >= SPAN_MARK) {
            continue;
        }
        double value = drift_log(distribution_quantile(&row->durations, 0.5)), away = value - s.mean;
        double drift = row->instances < COMPARISON_FEW ? NAN : drift_spread(row->drift);
        s.mean += away / n;
        squares += away * (value - s.mean);
        s.least = fmin(s.least, value);
        s.most = fmax(s.most, value);
        s.drift = isnan(drift) || isnan(s.drift) ? NAN : fmax(s.drift, drift);
        side->median = exp(s.mean);
    }
    s.variance = count < 2 ? 0 : squares / (double)(count - 1) / (double)count;
    return s;
}

static double percent(double logarithm)
{
    return 100 * expm1(logarithm);
}

/* Continued fraction of the incomplete beta function (Lentz; NIST DLMF 8.17.22), fast for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double x, double a, double b)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);

    d = 1 / (fabs(d) < tiny ? tiny : d);
    double result = d;
    for (int m = 1; m < 500; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), before = result;
        for (int i = 0; i < 2; i++) {
            double term = i ? odd : even;
            d = 1 + term * d;
            c = 1 + term / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            result *= d * c;
        }
        if (fabs(result - before) <= 1e-15 * fabs(result)) {
            break;
        }
    }
    return result;
}

/* The regularized incomplete beta function I(x; a, b). */
static double beta_regularized(double x, double a, double b)
{
    if (x <= 0 || x >= 1) {
        return x > 0;
    }
    if (x > (a + 1) / (a + b + 2)) {
        return 1 - beta_regularized(1 - x, b, a);
    }
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return front * beta_fraction(x, a, b) / a;
}

/* The probability of a value at least as far from 0 as t, in Student's distribution of `freedom` degrees of freedom. */
static double student_outside(double t, double freedom)
{
    return beta_regularized(freedom / (freedom + t * t), freedom / 2, 0.5);
}

/* The t for which student_outside is p: 0 < p < 1. */
static double student_bound(double p, double freedom)
{
    double low = 0, high = 1;

    while (student_outside(high, freedom) > p && high < 1e150) {
        high *= 2;
    }
    for (int i = 0; i < 200 && high - low > 1e-12 * high; i++) {
        double middle = (low + high) / 2;
        *(student_outside(middle, freedom) > p ? &low : &high) = middle;
    }
    return high;
}

/* Welch's t-test. */
static void test(struct comparison_row *row, const struct sample *a, const struct sample *b, double alpha)
{
    double away = b->mean - a->mean, variance = a->variance + b->variance;
    double freedom =
        variance * variance /
        (a->variance * a->variance / (double)(row->a.runs - 1) + b->variance * b->variance / (double)(row->b.runs - 1));

    /* Clock and rounding cannot resolve so small a variance, and the test would divide by almost 0. */
    if (!(variance > 1e-24)) {
        row->p = fabs(away) > 1e-9 ? 0 : 1;
        row->low = row->high = row->change;
        return;
    }
    double error = sqrt(variance), reach = student_bound(alpha, freedom) * error;
    row->p = student_outside(away / error, freedom);
    row->low = percent(away - reach);
    row->high = percent(away + reach);
}

static void hold_against_drift(struct comparison_row *row, const struct sample *a, const struct sample *b)
{
    double drift = isnan(a->drift) || isnan(b->drift) ? NAN : fmax(a->drift, b->drift);

    drift = isnan(drift) ? NAN : fmax(drift, fmax(a->most - a->least, b->most - b->least));
    row->drift = percent(drift);
    if (!isnan(drift)) {
        row->verdict = fabs(b->mean - a->mean) > drift ? COMPARISON_BEYOND_DRIFT : COMPARISON_WITHIN_DRIFT;
    }
}

static void add_comparison(struct comparison *c, const struct member *members, size_t a_runs, size_t b_runs,
                           double alpha)
{
    const struct summary_row *any = members->row;
    struct comparison_row row = {.summary = members->summary,
                                 .row = any,
                                 .verdict = COMPARISON_TOO_FEW,
                                 .change = NAN,
                                 .low = NAN,
                                 .high = NAN,
                                 .p = NAN,
                                 .drift = NAN};
    struct sample a = take_side(&row.a, members, a_runs), b = take_side(&row.b, members + a_runs, b_runs);

    row.weight = row.b.total - row.a.total;
    if (!a_runs || !b_runs) {
        row.verdict = a_runs ? COMPARISON_ONLY_A : COMPARISON_ONLY_B;
    } else if (any->style >= SPAN_MARK) {
        bool same = row.a.instances == row.b.instances;
        row.verdict = same ? COMPARISON_SAME_NUMBER : COMPARISON_OTHER_NUMBER;
    } else {
        row.change = percent(b.mean - a.mean);
        if (!c->tested) {
            hold_against_drift(&row, &a, &b);
        } else if (a_runs >= COMPARISON_RUNS && b_runs >= COMPARISON_RUNS) {
            test(&row, &a, &b, alpha);
        }
    }
    *ARRAY_NEW(c->rows, c->count, c->room) = row;
}

static int by_p(const void *a, const void *b)
{
    const struct comparison_row *x = a, *y = b;
    bool x_none = isnan(x->p), y_none = isnan(y->p);

    if (x_none || y_none) { /* NaN comes last */
        return x_none - y_none;
    }
    return ORDER(x->p, y->p);
}

/* Adjusts p by Holm's method, because some of many ranges differ by chance. The rows are sorted by p. */
static void adjust(struct comparison *c, double alpha)
{
    size_t tests = 0;
    double highest = 0;

    for (size_t i = 0; i < c->count; i++) {
        tests += isnan(c->rows[i].p) ? 0 : 1;
    }
    for (size_t i = 0; i < c->count && !isnan(c->rows[i].p); i++) {
        struct comparison_row *row = &c->rows[i];
        highest = fmin(fmax(row->p * (double)(tests - i), highest), 1);
        row->p = highest;
        bool near = fmax(fabs(row->low), fabs(row->high)) <= (int)COMPARISON_NEAR;
        row->verdict = row->p >= alpha   ? (near ? COMPARISON_SAME : COMPARISON_UNCLEAR)
                       : row->change > 0 ? COMPARISON_SLOWER
                                         : COMPARISON_FASTER;
    }
}

static bool changed(const struct comparison_row *row)
{
    switch (row->verdict) {
    case COMPARISON_FASTER:
    case COMPARISON_SLOWER:
    case COMPARISON_BEYOND_DRIFT:
    case COMPARISON_ONLY_A:
    case COMPARISON_ONLY_B:
        return true;
    default:
        return false;
    }
}

static int by_importance(const void *a, const void *b)
{
    const struct comparison_row *x = a, *y = b;

    int order = changed(y) - changed(x);
    return order ? order : ORDER(fabs(y->weight), fabs(x->weight));
}

void compare(struct comparison *c, const struct summary *runs, size_t a_count, size_t b_count, double alpha)
{
    size_t count;
    struct member *members = members_of(runs, a_count + b_count, &count);

    *c = (struct comparison){.tested = a_count >= COMPARISON_RUNS && b_count >= COMPARISON_RUNS};
    for (size_t i = 0, next; i < count; i = next) {
        size_t a_runs = 0;
        for (next = i; next < count && !by_name(&members[i], &members[next]); next++) {
            a_runs += members[next].summary < runs + a_count;
        }
        add_comparison(c, &members[i], a_runs, next - i - a_runs, alpha);
    }
    free(members);
    if (c->count) {
        qsort(c->rows, c->count, sizeof(*c->rows), by_p);
        adjust(c, alpha);
        qsort(c->rows, c->count, sizeof(*c->rows), by_importance);
    }
}

bool comparison_exceeds(const struct comparison_row *row, double limit)
{
    if (row->verdict == COMPARISON_SLOWER) {
        return row->change > limit;
    }
    /* the limit comes on top of the drift */
    return row->verdict == COMPARISON_BEYOND_DRIFT &&
           row->change > 100 * ((1 + limit / 100) * (1 + row->drift / 100) - 1);
}

void comparison_free(struct comparison *c)
{
    free(c->rows);
    *c = (struct comparison){0};
}
