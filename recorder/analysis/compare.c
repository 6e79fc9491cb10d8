/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "compare.h"
#include "../util/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const comparison_words[COMPARISON_VERDICTS] = {
    "same", "unclear",   "faster",    "slower",      "within drift", "beyond drift", "too few",
    "",     "only in A", "only in B", "same number", "other number", "other values",
};
const char *const comparison_figure_words[COMPARISON_FIGURES] = {
    "total",   "self",    "median", "P99", "CPU",  "GPU busy",
    "GPU sum", "GPU ops", "count",  "sum", "value"};

struct place { /* a row, and the summary that has it */
    const struct summary_row *row;
    const struct summary *summary;
};

static const struct str *text_of_place(const struct place *p, uint32_t number) {
    return string_table_at(&p->summary->source->strings, number);
}

static int by_text(const struct str *x, const struct str *y) {
    return ORDERS(memcmp(x->bytes, y->bytes, x->size < y->size ? x->size : y->size)
                      ?: ORDER(x->size, y->size));
}

struct reading {
    const char *at, *end, *instead;
};

/* The next byte of a text, or -1. What gcc calls "{anonymous}" is what clang calls "(anonymous
 * namespace)". */
static int next_byte(struct reading *r) {
    static const char gcc[] = "{anonymous}";
    size_t size = sizeof(gcc) - 1, left = (size_t)(r->end - r->at);

    if (!*r->instead && left >= size && !memcmp(r->at, gcc, size)) {
        r->at += size;
        r->instead = "(anonymous namespace)";
    }
    if (*r->instead) {
        return (unsigned char)*r->instead++;
    }
    return r->at < r->end ? (unsigned char)*r->at++ : -1;
}

/* As by_text, but 0 for names of a function by two compilers. */
static int by_function(const struct str *x, const struct str *y) {
    struct reading a = {x->bytes, x->bytes + x->size, ""}, b = {y->bytes, y->bytes + y->size, ""};
    int next_a, next_b;

    if (!memchr(x->bytes, '{', x->size) && !memchr(y->bytes, '{', y->size)) {
        return by_text(x, y);
    }
    do {
        next_a = next_byte(&a);
        next_b = next_byte(&b);
    } while (next_a == next_b && next_a >= 0);
    return next_a - next_b;
}

/* 0 if nvtxh stats shows both places as one row, or as rows whose names are equal for by_function.
 * The default domain is not a domain named "". */
static int by_name(const struct place *x, const struct place *y) {
    return ORDERS(ORDER(x->row->style, y->row->style)
                  ?: ORDER(!x->row->domain_name, !y->row->domain_name)
                  ?: by_text(text_of_place(x, x->row->domain_name),
                             text_of_place(y, y->row->domain_name))
                  ?: by_function(text_of_place(x, x->row->text),
                                 text_of_place(y, y->row->text)));
}

ARRAY_ORDER(by_name_and_run, struct place, by_name(x, y) ?: ORDER(x->summary, y->summary))

ARRAY_ORDER(by_spelling_and_run, struct place,
            by_text(text_of_place(x, x->row->text), text_of_place(y, y->row->text))
                ?: ORDER(x->summary, y->summary))

static struct place *places_of(const struct summary *runs, size_t count, size_t *ret_count) {
    size_t all = 0, next = 0;

    for (size_t i = 0; i < count; i++) {
        all += runs[i].count;
    }
    struct place *places = must_alloc(NULL, all, sizeof(*places)); /* exact size: may be large */
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < runs[i].count; k++) {
            places[next++] = (struct place){&runs[i].rows[k], &runs[i]};
        }
    }
    ARRAY_SORT(places, all, by_name_and_run);
    *ret_count = all;
    return places;
}

/* Returns the index after those places from index i on that are one range, mark or counter. A run
 * that has a name in both spellings has two, which are then compared with their own spelling. */
static size_t end_of_group(struct place *places, size_t i, size_t count) {
    size_t end = i + 1, one = i + 1;

    while (end < count && !by_name(&places[i], &places[end])) {
        end++;
    }
    ARRAY_SORT(places + i, end - i, by_name_and_run);
    while (one < end && places[one].summary != places[one - 1].summary) {
        one++;
    }
    if (one < end) {
        ARRAY_SORT(places + i, end - i, by_spelling_and_run);
        for (end = i + 1; !by_text(text_of_place(&places[i], places[i].row->text),
                                   text_of_place(&places[end], places[end].row->text));) {
            end++;
        }
    }
    return end;
}

/* A range, mark or counter in one run. */
struct member {
    const struct summary_row *row;
    double figures[COMPARISON_FIGURES];
};

static struct member member_of(const struct summary_row *row, const struct gpu *g) {
    const struct gpu_row *gpu = gpu_find(g, row->style, row->domain_name, row->text);
    bool range = row->style < SPAN_MARK, pushed = row->style == SPAN_PUSH_POP;
    double sum = range ? row->durations.total : NAN;
    bool is_known = row->off && row->off[SWITCHES_UNKNOWN] <= 0.01 * sum;

    return (struct member){
        row,
        {[COMPARISON_TOTAL] = pushed ? row->inclusive : sum,
         [COMPARISON_SELF] = pushed ? row->self : NAN,
         [COMPARISON_MEDIAN] = distribution_quantile(&row->durations, 0.5),
         [COMPARISON_P99] = distribution_quantile(&row->durations, 0.99),
         [COMPARISON_CPU] = is_known ? spans_time(row->off, sum, SPANS_CPU) : NAN,
         [COMPARISON_GPU_BUSY] = gpu ? gpu->busy.total : NAN,
         [COMPARISON_GPU_SUM] = gpu ? gpu->sum : NAN,
         [COMPARISON_GPU_OPS] = gpu ? (double)gpu->ops : NAN,
         [COMPARISON_COUNT] = (double)row->instances,
         [COMPARISON_SUM] = sum,
         [COMPARISON_VALUE] = row->counter ? row->counter->total / (double)row->instances : NAN}};
}

/* Describes the logarithms of a figure in the runs of one program. */
struct sample {
    double mean, variance; /* `variance` is that of `mean`, not of the logarithms */
};

static struct sample sample_of(struct comparison_side *side, const struct member *members,
                               enum comparison_figure f) {
    struct sample s = {0};
    double squares = 0, mean = 0, runs = (double)side->runs;

    for (size_t i = 0; i < side->runs; i++) {
        double value = members[i].figures[f], n = (double)(i + 1), away = drift_log(value) - s.mean;
        mean += (value - mean) / n;
        s.mean += away / n;
        squares += away * (drift_log(value) - s.mean);
    }
    bool quantile = f == COMPARISON_MEDIAN || f == COMPARISON_P99;
    side->figures[f] = !side->runs || isnan(mean) ? NAN : quantile ? exp(s.mean) : mean;
    /* Figures are rounded to whole ns or counts, so runs whose figures are all 10 may still differ.
     * A standard deviation below 1/2 counts as 1/2, which is `unit` for the logarithms. */
    double unit = exp(-s.mean) / 2;
    s.variance = side->runs < 2 ? NAN : fmax(squares / (runs - 1), unit * unit) / runs;
    return s;
}

static double percent(double logarithm) {
    return 100 * expm1(logarithm);
}

/* The regularized incomplete beta function I(x; a, b), by its series (NIST DLMF 8.17.8). */
static double beta_regularized(double x, double a, double b) {
    double term = 1, sum = 1;

    if (x <= 0 || x >= 1) {
        return x > 0;
    }
    if (x > (a + 1) / (a + b + 2)) {
        return 1 - beta_regularized(1 - x, b, a);
    }
    for (double n = 0; term > 1e-17 * sum; n++) {
        term *= x * (a + b + n) / (a + 1 + n);
        sum += term;
    }
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return front * sum / a;
}

/* The probability of a value at least as far from 0 as t, in Student's distribution of `freedom`
 * degrees of freedom. */
static double student_outside(double t, double freedom) {
    return beta_regularized(freedom / (freedom + t * t), freedom / 2, 0.5);
}

/* The t for which student_outside(t, freedom) is p; 0 < p < 1. */
static double student_bound(double p, double freedom) {
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

/* Whether Holm's method counts the test of a figure. It does not count a figure that is equal in
 * all runs, or that equals an earlier tested figure in each run, such as the self time of a range
 * without nested ranges. The result does not depend on which runs are A's. */
static bool counts(const struct comparison_row *row, const struct member *members,
                   enum comparison_figure f) {
    for (enum comparison_figure g = 0; g <= f; g++) {
        bool same = !isnan(row->p[g]);
        for (size_t i = 0; i < row->a.runs + row->b.runs; i++) {
            same = same && members[i].figures[f] == members[g == f ? 0 : i].figures[g];
        }
        if (same) {
            return false;
        }
    }
    return true;
}

/* Welch's t-test. */
static void test(struct comparison *c, struct comparison_row *row, enum comparison_figure f,
                 const struct sample *a, const struct sample *b) {
    double away = b->mean - a->mean, variance = a->variance + b->variance;
    double freedom = variance * variance /
                     (a->variance * a->variance / (double)(row->a.runs - 1) +
                      b->variance * b->variance / (double)(row->b.runs - 1));
    double error = sqrt(variance);

    row->p[f] = student_outside(away / error, freedom);
    if (f == c->lead) {
        double reach = student_bound(c->alpha, freedom) * error;
        row->low = percent(away - reach);
        row->high = percent(away + reach);
    }
    *ARRAY_NEW(c->tests, c->test_count, c->test_capacity) =
        (struct comparison_test){c->count, f, row->p[f], false};
}

static bool is_testable(const struct comparison *c, const struct comparison_row *row,
                        const struct member *members, enum comparison_figure f) {
    size_t few = row->a.runs < row->b.runs ? row->a.runs : row->b.runs;
    bool testable =
        c->tested & 1u << f && few >= COMPARISON_RUNS && !isnan(comparison_gain(row, f));

    for (size_t i = 0; i < row->a.runs + row->b.runs && f == COMPARISON_P99; i++) {
        testable = testable && members[i].row->instances >= COMPARISON_MANY;
    }
    return testable;
}

static void compare_with_drift(struct comparison_row *row, const struct member *members,
                               double away) {
    double least = 0, most = 0, drift = 0;

    for (size_t i = 0; i < row->a.runs + row->b.runs; i++) {
        bool is_first = i == 0 || i == row->a.runs; /* the first run of its program */
        double median = drift_log(members[i].figures[COMPARISON_MEDIAN]);
        double within =
            members[i].row->instances < COMPARISON_FEW ? NAN : drift_spread(members[i].row->drift);
        least = is_first ? median : fmin(least, median);
        most = is_first ? median : fmax(most, median);
        drift = isnan(within) || isnan(drift) ? NAN : fmax(fmax(drift, within), most - least);
    }
    row->drift = percent(drift);
    if (!isnan(drift)) {
        row->verdict = fabs(away) > drift ? COMPARISON_BEYOND_DRIFT : COMPARISON_WITHIN_DRIFT;
    }
}

/* If a range launched operations in any run, its GPU figures in other runs are 0, not unknown. */
static void complete_gpu(struct member *members, size_t count) {
    double ops = NAN;

    for (size_t i = 0; i < count; i++) {
        ops = fmax(ops, members[i].figures[COMPARISON_GPU_OPS]);
    }
    for (size_t i = 0; i < count && !isnan(ops); i++) {
        for (enum comparison_figure f = COMPARISON_GPU_BUSY; f <= COMPARISON_GPU_OPS; f++) {
            members[i].figures[f] = fmax(members[i].figures[f], 0);
        }
    }
}

static void add_comparison(struct comparison *c, const struct source *source,
                           const struct member *members, size_t a_runs, size_t b_runs) {
    const struct summary_row *any = members->row;
    struct comparison_row row = {.source = source,
                                 .domain_name = any->domain_name,
                                 .text = any->text,
                                 .color = any->color,
                                 .style = any->style,
                                 .a.runs = a_runs,
                                 .b.runs = b_runs,
                                 .verdict = COMPARISON_TOO_FEW};

    row.change = row.low = row.high = row.drift = NAN;
    for (enum comparison_figure f = 0; f < COMPARISON_FIGURES; f++) {
        struct sample a = sample_of(&row.a, members, f), b = sample_of(&row.b, members + a_runs, f);
        bool compared = a_runs && b_runs && !isnan(comparison_gain(&row, f));
        row.p[f] = NAN;
        if (c->is_tested && is_testable(c, &row, members, f)) {
            test(c, &row, f, &a, &b);
            c->tests[c->test_count - 1].counts = counts(&row, members, f);
        }
        if (f == c->lead && compared) {
            row.change = percent(b.mean - a.mean);
            if (!c->is_tested && f == COMPARISON_MEDIAN) {
                compare_with_drift(&row, members, b.mean - a.mean);
            }
        } else if (f == c->lead) {
            row.verdict = COMPARISON_NO_FIGURE;
        }
    }
    if (!a_runs || !b_runs) {
        row.verdict = a_runs ? COMPARISON_ONLY_A : COMPARISON_ONLY_B;
    } else if (any->style >= SPAN_MARK) {
        row.verdict = fabs(comparison_gain(&row, COMPARISON_VALUE)) > 0 ? COMPARISON_OTHER_VALUES
                      : comparison_gain(&row, COMPARISON_COUNT) == 0    ? COMPARISON_SAME_NUMBER
                                                                        : COMPARISON_OTHER_NUMBER;
    }
    *ARRAY_NEW(c->rows, c->count, c->capacity) = row;
}

ARRAY_ORDER(by_p, struct comparison_test, ORDER(x->p, y->p))

/* Adjusts p by Holm's method, because among many figures, some differ by chance. */
static void adjust(struct comparison *c) {
    size_t left = 0;
    double highest = 0;

    for (size_t i = 0; i < c->test_count; i++) {
        left += c->tests[i].counts;
    }
    ARRAY_SORT(c->tests, c->test_count, by_p);
    for (size_t i = 0; i < c->test_count; i++) {
        const struct comparison_test *t = &c->tests[i];
        struct comparison_row *row = &c->rows[t->row];
        highest = fmin(fmax(t->p * (double)(left ? left : 1), highest), 1);
        left -= t->counts;
        row->p[t->figure] = highest;
        row->changed |= highest < c->alpha ? 1u << t->figure : 0;
        if (t->figure == c->lead && row->style < SPAN_MARK) {
            bool near = fmax(fabs(row->low), fabs(row->high)) <= (int)COMPARISON_NEAR;
            if (highest >= c->alpha) {
                row->verdict = near ? COMPARISON_SAME : COMPARISON_UNCLEAR;
            } else {
                row->verdict = row->change > 0 ? COMPARISON_SLOWER : COMPARISON_FASTER;
            }
        }
    }
}

double comparison_gain(const struct comparison_row *row, enum comparison_figure f) {
    return (row->b.runs ? row->b.figures[f] : 0) - (row->a.runs ? row->a.figures[f] : 0);
}

static double size_of_gain(const struct comparison_row *row, enum comparison_figure f) {
    return fmax(fabs(comparison_gain(row, f)), 0); /* 0 if the gain is unknown */
}

/* A range whose self time changed should come before the ranges around it, whose totals changed as
 * much. So the change of self time is added, too. */
double comparison_weight(const struct comparison_row *row) {
    return size_of_gain(row, COMPARISON_TOTAL) + size_of_gain(row, COMPARISON_SELF);
}

static int by_importance(const void *a, const void *b) {
    const struct comparison_row *x = a, *y = b;
    bool x_changed = x->changed || !x->a.runs || !x->b.runs,
         y_changed = y->changed || !y->a.runs || !y->b.runs;

    return ORDERS(y_changed - x_changed
                  ?: ORDER(size_of_gain(y, COMPARISON_GPU_BUSY),
                           size_of_gain(x, COMPARISON_GPU_BUSY))
                  ?: ORDER(comparison_weight(y), comparison_weight(x)));
}

void compare(struct comparison *c, const struct summary *runs, const struct gpu *gpus,
             size_t a_count, size_t b_count) {
    size_t count;
    struct place *places = places_of(runs, a_count + b_count, &count);
    struct member *members = must_alloc(NULL, a_count + b_count, sizeof(*members));

    c->is_tested = a_count >= COMPARISON_RUNS && b_count >= COMPARISON_RUNS;
    for (size_t i = 0, next; i < count; i = next) {
        size_t a_runs = 0, end = end_of_group(places, i, count);
        for (next = i; next < end; next++) {
            size_t run = (size_t)(places[next].summary - runs);
            members[next - i] = member_of(places[next].row, &gpus[run]);
            a_runs += run < a_count;
        }
        complete_gpu(members, next - i);
        add_comparison(c, places[i].summary->source, members, a_runs, next - i - a_runs);
    }
    free(members);
    free(places);
    adjust(c);
    ARRAY_SORT(c->rows, c->count, by_importance);
}

bool comparison_exceeds(const struct comparison_row *row, double limit) {
    if (row->verdict == COMPARISON_SLOWER) {
        return row->change > limit;
    }
    /* the change must exceed the limit on top of the drift */
    return row->verdict == COMPARISON_BEYOND_DRIFT &&
           row->change > 100 * ((1 + limit / 100) * (1 + row->drift / 100) - 1);
}

void comparison_free(struct comparison *c) {
    free(c->rows);
    free(c->tests);
    *c = (struct comparison){0};
}
