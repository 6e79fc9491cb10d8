/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "options.h"
#include "../base/memory.h"
#include "../report/report.h"
#include "../sums/compare.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char about[] =
    "Shows what changed from program A to program B. Record each at least three times, A and B in turn: two runs of "
    "one program differ, too, and a single run of each does not show how much. For each range, Welch's t-test compares "
    "the logarithms of the runs' medians; rare slow instances of a range change its totals, but not its median. P is "
    "the probability of such a difference between equal programs, adjusted for the number of ranges by Holm's method. "
    "If P is below --alpha, the range is called slower or faster. Low and High bound the change with a confidence of "
    "1 - alpha, for this range alone. If P is not below --alpha, the range is called same if Low and High are within 5 "
    "%, else unclear. With fewer than three runs of A or of B there is no test: a change is \"beyond drift\" if it is "
    "larger than the range's drift. The drift is the larger of two differences: between the mean durations in the "
    "eighths of one run's time, and between the medians of the runs of one program. Ranges that changed come first, "
    "then the others, both sorted by the change of total time.";

static const struct report_column columns[] = {
    {"Change (%)", "change", REPORT_CHANGE, 2, 1, "Change", 2},
    {"Low (%)", "low", REPORT_CHANGE, 2, 1, "Low", 6},
    {"High (%)", "high", REPORT_CHANGE, 2, 1, "High", 7},
    {"Drift (%)", "drift", REPORT_CHANGE, 2, 1, "Drift", 8},
    {"Med A (ns)", "med_a", REPORT_NS, 1, 0, "Med A", 4},
    {"Med B (ns)", "med_b", REPORT_NS, 1, 0, "Med B", 5},
    {"Runs A", "runs_a", REPORT_NUMBER, 0, 0, "Runs A", 0},
    {"Runs B", "runs_b", REPORT_NUMBER, 0, 0, "Runs B", 0},
    {"Instances A", "instances_a", REPORT_NUMBER, 0, 0, "Count A", 10},
    {"Instances B", "instances_b", REPORT_NUMBER, 0, 0, "Count B", 11},
    {"Total A (ns)", "total_a", REPORT_NS, 0, 0, "Total A", 13},
    {"Total B (ns)", "total_b", REPORT_NS, 0, 0, "Total B", 14},
    {"Total Change (ns)", "total_change", REPORT_NS, 0, 0, "Total Change", 12},
    {"P", "p", REPORT_NUMBER, 6, 4, "P", 9},
    {"Verdict", "verdict", REPORT_TEXT, 0, 0, "Verdict", 3},
    {"Style", "style", REPORT_TEXT, 0, 0, "Style", 15},
    {"Range", "range", REPORT_TEXT, 0, 0, "Range", 1},
};
#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static void add_comparison_row(struct report *report, const struct comparison_row *row, bool for_people)
{
    bool is_range = row->row->style < SPAN_MARK;
    int tone = row->verdict == COMPARISON_FASTER ? 1 : row->verdict == COMPARISON_SLOWER ? -1 : 0;
    size_t size;
    char *name = summary_name(row->summary, row->row, for_people, &size);

    report_number(report, row->change);
    report_tone(report, tone);
    report_number(report, row->low);
    report_number(report, row->high);
    report_number(report, row->drift);
    report_number(report, row->a.median);
    report_number(report, row->b.median);
    report_number(report, (double)row->a.runs);
    report_number(report, (double)row->b.runs);
    report_number(report, row->a.instances);
    report_number(report, row->b.instances);
    report_number(report, is_range && row->a.runs ? row->a.total : NAN);
    report_number(report, is_range && row->b.runs ? row->b.total : NAN);
    report_number(report, is_range ? row->weight : NAN);
    report_number(report, row->p);
    report_string(report, comparison_words[row->verdict]);
    report_tone(report, tone);
    report_string(report, span_style_names[row->row->style]);
    report_text(report, name, size);
    report_mark(report, row->row->color);
    free(name);
}

/* How many ranges: */
struct verdicts {
    size_t over;  /* have become slower by more than the limit */
    size_t gone;  /* are in A alone */
    size_t known; /* are in A */
    size_t few;   /* have too few instances or runs to compare */
    bool tested;
};

static void judge(struct verdicts *v, const struct comparison_row *row, double limit)
{
    if (!row->a.runs || row->row->style >= SPAN_MARK) {
        return;
    }
    v->known++;
    v->gone += row->verdict == COMPARISON_ONLY_A;
    v->over += comparison_exceeds(row, limit);
    v->few += row->verdict == COMPARISON_TOO_FEW;
}

static struct verdicts print_comparison(const struct summary *runs, size_t a_count, size_t b_count, double alpha,
                                        double limit, const struct report_style *style)
{
    struct comparison c;
    struct report report;
    struct verdicts v = {0};

    compare(&c, runs, a_count, b_count, alpha);
    v.tested = c.tested;
    report_begin(&report, columns, COLUMNS);
    report_stream(&report, style, stdout);
    for (size_t i = 0; i < c.count; i++) {
        add_comparison_row(&report, &c.rows[i], style->form == REPORT_TABLE);
        judge(&v, &c.rows[i], limit);
    }
    report_print(&report, style, stdout);
    report_free(&report);
    comparison_free(&c);
    return v;
}

static int conclude(const struct verdicts *v, double limit)
{
    const char *ranges = PLURAL(v->known, "range", "ranges");

    if (!v->tested) {
        cli_say("with fewer than %d runs of A or of B, a change may be no more than the difference "
                "between two runs; record more: nvtxh diff A1 A2 A3 -- B1 B2 B3",
                COMPARISON_RUNS);
    }
    if (v->few && v->tested) {
        cli_say("%zu of %zu %s %s in fewer than %d runs of A or B, and not tested", v->few, v->known, ranges,
                PLURAL(v->few, "is", "are"), COMPARISON_RUNS);
    } else if (v->few) {
        cli_say("%zu of %zu %s had fewer than %d instances in a run, or too short a time between them "
                "to measure a drift",
                v->few, v->known, ranges, COMPARISON_FEW);
    }
    if (isinf(limit)) {
        return EXIT_DONE;
    }
    if (v->over) {
        cli_say("%zu %s slower by more than %g %%%s", v->over, PLURAL(v->over, "range is", "ranges are"), limit,
                v->tested ? "" : " plus the drift");
    }
    if (v->gone) {
        cli_say("%zu of %zu %s of A %s not in B", v->gone, v->known, ranges, PLURAL(v->gone, "is", "are"));
    }
    return v->over + v->gone ? EXIT_OVER : EXIT_DONE;
}

/* The recordings of A, then the recordings of B. */
struct runs {
    char **paths;
    size_t a_count, b_count;
};

static int compare_runs(const struct runs *runs, struct source *const *all, const struct summary *of, double alpha,
                        double limit, const struct report_style *style)
{
    struct verdicts v = print_comparison(of, runs->a_count, runs->b_count, alpha, limit, style);

    fflush(stdout);
    for (size_t i = 0; i < runs->a_count + runs->b_count; i++) {
        losses_print_all(all[i], &of[i].totals, stderr);
    }
    return conclude(&v, limit);
}

static int diff(const struct runs *runs, double alpha, double limit, const struct report_style *style,
                const struct filter *filter)
{
    size_t count = runs->a_count + runs->b_count;
    struct source **all = must_alloc(NULL, count, sizeof(*all));
    struct summary *of = must_alloc(NULL, count, sizeof(*of));
    struct filter *filters = must_alloc(NULL, count, sizeof(*filters));
    int status = EXIT_FAILED;

    if (cli_open_all(all, runs->paths, count)) {
        bool can = true;
        for (size_t i = 0; i < count && can; i++) {
            can = options_can_filter(filter, all[i], runs->paths[i], false);
        }
        if (!can) {
            status = EXIT_FAILED;
        } else if (count == 2 || cli_all_differ("diff", all, runs->paths, count)) {
            size_t done = 0; /* how many were read */
            for (bool was_read = true; was_read && done < count; done += was_read) {
                filters[done] = *filter; /* a filter belongs to one recording */
                options_filter("diff", &filters[done]);
                filter_use(&filters[done], all[done]);
                summary_make_with_drift(&of[done], all[done], count);
                was_read = cli_was_read(all[done], runs->paths[done]);
            }
            cli_progress_done();
            if (done == count) {
                status = compare_runs(runs, all, of, alpha, limit, style);
            }
            for (size_t i = 0; i < count && i <= done; i++) {
                summary_free(&of[i]);
                filter_end(&filters[i]);
            }
        } else {
            status = EXIT_USAGE;
        }
        for (size_t i = 0; i < count; i++) {
            cli_close(all[i], runs->paths[i]);
        }
    }
    free(filters);
    free(of);
    free(all);
    return status;
}

int cmd_diff(int argc, char **argv)
{
    double alpha = 0.01, limit = INFINITY;
    struct report_keys names = report_keys(columns, COLUMNS);
    struct report_style style = REPORT_USUAL;
    struct filter filter = FILTER_ALL;
    const struct cli_option all[] = {{"fail-over", 0, "PERCENT",
                                      "exit status 3 if the median of a range is longer in B by more than PERCENT, or "
                                      "if a range of A is not in B; with fewer than three runs of A or of B, if it is "
                                      "longer by more than PERCENT plus the drift",
                                      .number = {&limit, 0, 1e9, "a percentage"}},
                                     {"alpha", 0, "P",
                                      "the probability below which a change is significant (0.01 if not given)",
                                      .number = {&alpha, 1e-12, 0.5, "a number up to 0.5"}},
                                     OPTIONS_FILTER(filter, "to"),
                                     OPTIONS_REPORT(style, names),
                                     {.name = NULL}};
    struct options o = {"diff", "[OPTION...] A B | A... -- B...", about, NULL, all, RECORDINGS};
    size_t after = 0; /* words after the last "--" */

    for (int i = argc - 1; i > 0 && strcmp(argv[i], "--") != 0; i--) {
        after = i == 1 ? 0 : after + 1;
    }
    options_parse(&o, argc, argv);
    size_t count = (size_t)(argc - optind);
    struct runs runs = {.paths = argv + optind, .b_count = after && after < count ? after : 1};
    for (size_t i = 0; i < count; i++) {
        if (strncmp(runs.paths[i], "--", 2) == 0) { /* a file --NAME is given as ./--NAME */
            return cli_usage("diff", "%s: options go before the recordings", runs.paths[i]);
        }
    }
    if (count < 2 || (count > 2 && runs.b_count != after)) {
        return cli_usage("diff", "two recordings are wanted, before and after; or several of each, with -- in between");
    }
    runs.a_count = count - runs.b_count;
    return diff(&runs, alpha, limit, &style, &filter);
}
