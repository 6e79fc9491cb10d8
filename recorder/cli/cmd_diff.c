/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "commands.h"
#include "options.h"
#include "../read/compare.h"
#include "../report/losses.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char about[] =
    "What changed from recording A to recording B: for each range the number, median and total in "
    "both, and P: how probable it is to see such a difference by chance if there is none "
    "(Mann-Whitney test on all durations, adjusted for the number of ranges by Holm's method). "
    "Below --alpha a range is called slower or faster. Those come first, by the change of total "
    "time. The test knows how durations vary within a recording, not how one run differs from "
    "another: record long enough, on a quiet machine.";

static const struct report_column columns[] = {
    {"Change (%)", "change", REPORT_CHANGE, 2, 1, "Change", 2},
    {"Med A (ns)", "med_a", REPORT_NS, 1, 0, "Med A", 4},
    {"Med B (ns)", "med_b", REPORT_NS, 1, 0, "Med B", 5},
    {"Instances A", "instances_a", REPORT_NUMBER, 0, 0, "Count A", 7},
    {"Instances B", "instances_b", REPORT_NUMBER, 0, 0, "Count B", 8},
    {"Total A (ns)", "total_a", REPORT_NS, 0, 0, "Total A", 10},
    {"Total B (ns)", "total_b", REPORT_NS, 0, 0, "Total B", 11},
    {"Total Change (ns)", "total_change", REPORT_NS, 0, 0, "Total Change", 9},
    {"P", "p", REPORT_NUMBER, 6, 4, "P", 6},
    {"Verdict", "verdict", REPORT_TEXT, 0, 0, "Verdict", 3},
    {"Style", "style", REPORT_TEXT, 0, 0, "Style", 12},
    {"Range", "range", REPORT_TEXT, 0, 0, "Range", 1},
};
#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

enum { FEW = 5 }; /* instances, of which nothing can be said */

static const char *verdict(const struct comparison_row *row, double alpha, int *ret_tone)
{
    *ret_tone = 0;
    if (!row->a || !row->b) {
        return row->a ? "only in A" : "only in B";
    }
    if (row->a->style >= SPAN_MARK) {
        return row->a->instances == row->b->instances ? "same number" : "other number";
    }
    if (!(row->p < alpha)) {
        return row->a->instances < FEW || row->b->instances < FEW ? "too few" : "same";
    }
    *ret_tone = row->change < 0 ? 1 : row->change > 0 ? -1 : 0;
    return row->change < 0 ? "faster" : row->change > 0 ? "slower" : "differs";
}

static double median(const struct summary_row *row)
{
    return row && row->style < SPAN_MARK ? distribution_quantile(&row->durations, 0.5) : NAN;
}

static double total(const struct summary_row *row)
{
    return row && row->style < SPAN_MARK ? row->durations.total : NAN;
}

static void add_row(struct report *report, const struct summary *a, const struct summary *b,
                    const struct comparison_row *row, double alpha, bool for_people)
{
    const struct summary_row *any = row->a ? row->a : row->b;
    int tone;
    size_t size;
    const char *word = verdict(row, alpha, &tone);
    char *name = summary_name(row->a ? a : b, any, for_people, &size);

    report_number(report, row->change);
    report_tone(report, tone);
    report_number(report, median(row->a));
    report_number(report, median(row->b));
    report_number(report, row->a ? (double)row->a->instances : 0);
    report_number(report, row->b ? (double)row->b->instances : 0);
    report_number(report, total(row->a));
    report_number(report, total(row->b));
    report_number(report, any->style < SPAN_MARK ? row->weight : NAN);
    report_number(report, row->a && row->b && any->style < SPAN_MARK ? row->p : NAN);
    report_string(report, word);
    report_tone(report, tone);
    report_string(report, span_style_names[any->style]);
    report_text(report, name, size);
    report_mark(report, any->color);
    free(name);
}

/* Of ranges. */
struct verdicts {
    size_t over;  /* have become slower by more than the limit */
    size_t gone;  /* are in A alone */
    size_t known; /* are in A */
    size_t few;   /* had too few instances to tell */
    bool printed;
};

static void judge(struct verdicts *v, const struct comparison_row *row, double alpha, double limit)
{
    if (!row->a || row->a->style >= SPAN_MARK) {
        return;
    }
    v->known++;
    v->gone += !row->b;
    v->over += row->p < alpha && row->change > limit;
    v->few += row->b && !(row->p < alpha) && (row->a->instances < FEW || row->b->instances < FEW);
}

static struct verdicts print(const struct summary *a, const struct summary *b, double alpha,
                             double limit, const struct report_style *style)
{
    struct comparison c;
    struct report report;
    struct verdicts v = {0};

    compare(&c, a, b, alpha);
    report_begin(&report, columns, COLUMNS);
    for (size_t i = 0; i < c.count; i++) {
        add_row(&report, a, b, &c.rows[i], alpha, style->form == REPORT_TABLE);
        judge(&v, &c.rows[i], alpha, limit);
    }
    v.printed = report_print(&report, style, stdout);
    report_free(&report);
    comparison_free(&c);
    return v;
}

static int diff(char **paths, double alpha, double limit, const struct report_style *style,
                struct filter *const filters[2])
{
    struct recording both[2];
    struct summary of[2];

    if (!cli_open_all(both, paths, 2)) {
        return EXIT_FAILED;
    }
    for (int i = 0; i < 2; i++) {
        both[i].filter = filters[i];
        summary_make(&of[i], &both[i], BY_RANGE);
    }
    cli_progress_done();
    struct verdicts v = print(&of[0], &of[1], alpha, limit, style);
    fflush(stdout);
    for (int i = 0; i < 2; i++) {
        losses_print_all(&both[i], &of[i].totals, stderr);
        summary_free(&of[i]);
    }
    for (int i = 0; i < 2; i++) {
        cli_close(&both[i], paths[i]);
    }
    if (!v.printed) {
        return EXIT_FAILED;
    }
    if (v.few) {
        fprintf(stderr,
                "nvtxh: %zu of %zu %s had fewer than %d instances in A or B, too few to "
                "tell a change from chance\n",
                v.few, v.known, PLURAL(v.known, "range", "ranges"), FEW);
    }
    if (isinf(limit)) {
        return EXIT_DONE;
    }
    if (v.over) {
        fprintf(stderr, "nvtxh: %zu %s slower by more than %g %%\n", v.over,
                PLURAL(v.over, "range is", "ranges are"), limit);
    }
    if (v.gone) {
        fprintf(stderr, "nvtxh: %zu of %zu %s of A %s not in B\n", v.gone, v.known,
                PLURAL(v.known, "range", "ranges"), PLURAL(v.gone, "is", "are"));
    }
    return v.over + v.gone ? EXIT_OVER : EXIT_DONE;
}

int cmd_diff(int argc, char **argv)
{
    double alpha = 0.01, limit = INFINITY;
    const char *keys[COLUMNS];
    struct report_style style = REPORT_USUAL;
    struct filter filters[2] = {FILTER_ALL}; /* each keeps what it has found out of its recording */
    const struct cli_option all[] = {{"fail-over", 0, "PERCENT",
                                      "exit status 3 if the median of a range has become slower by "
                                      "more, or a range of A is not in B at all",
                                      .number = {&limit, 0, 1e9, "a number of percent"}},
                                     {"alpha", 0, "P", "0.01 if not given",
                                      .number = {&alpha, 1e-12, 1, "a number between 0 and 1"}},
                                     OPTIONS_FILTER(filters[0], "to"),
                                     OPTIONS_REPORT(style, keys, COLUMNS),
                                     {.name = NULL}};
    struct options o = {"diff", "[OPTION...] A B", about, NULL, all, RECORDINGS};

    report_keys(columns, COLUMNS, keys);
    options_parse(&o, argc, argv);
    if (optind != argc - 2) {
        return cli_usage("diff", "two recordings are wanted, before and after");
    }
    filters[1] = filters[0];
    struct filter *chosen[] = {options_filter("diff", &filters[0]),
                               options_filter("diff", &filters[1])};
    int status = diff(argv + optind, alpha, limit, &style, chosen);
    filter_end(&filters[0]);
    filter_end(&filters[1]);
    return status;
}
