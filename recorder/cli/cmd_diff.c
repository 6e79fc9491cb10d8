/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "options.h"
#include "../util/memory.h"
#include "../output/report.h"
#include "../analysis/findings.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const examples[] = {"nvtxh diff before1.nvtxh after1.nvtxh",
                                       "nvtxh diff before?.nvtxh -- after?.nvtxh",
                                       "nvtxh diff --fail-above 5 before?.nvtxh -- after?.nvtxh"};
static const char about[] =
    "Shows what changed from program A to program B. Record each at least three times, A and B in "
    "turn: two runs of one program differ, too, and a single run of each does not show how much. "
    "For each range, the runs' totals, self times, medians, 99th percentiles (if each run has 100 "
    "instances or more) and counts are compared, by Welch's t-test on their logarithms; marks and "
    "counters by their counts, and counters by the averages of their samples. Total and self are "
    "as in nvtxh stats, and figures of GPUs (--gpu) "
    "as in nvtxh stats --gpu. P is the probability of such a difference between equal programs, "
    "adjusted by Holm's method for the number of all tests. Changed names the figures whose P is "
    "below --alpha. The verdict is the median's, or that of --figure: slower or faster if it "
    "changed; same if Low and High are within 5 %, else unclear. Low and High bound the change "
    "with a confidence of 1 - alpha, for this range alone. With fewer than three runs of A or of B "
    "there is no test: a change of the median is \"beyond drift\" if it is larger than the range's "
    "drift. The drift is the larger of two differences: between the mean durations in the eighths "
    "of one run's time, and between the medians of the runs of one program. Ranges in which a "
    "figure changed come first, then the others, both sorted by the change of total and self time.";

static const struct report_column columns[] = {
    {"Change (%)", "change", REPORT_CHANGE, 2, 1, "Med Change", 17},
    {"Low (%)", "low", REPORT_CHANGE, 2, 1, "Low", 23},
    {"High (%)", "high", REPORT_CHANGE, 2, 1, "High", 24},
    {"Drift (%)", "drift", REPORT_CHANGE, 2, 1, "Drift", 18},
    {"Med A (ns)", "med_a", REPORT_NS, 1, 0, "Med A", 21},
    {"Med B (ns)", "med_b", REPORT_NS, 1, 0, "Med B", 22},
    {"Runs A", "runs_a", REPORT_NUMBER, 0, 0, "Runs A", 0},
    {"Runs B", "runs_b", REPORT_NUMBER, 0, 0, "Runs B", 0},
    {"Instances A", "instances_a", REPORT_NUMBER, 0, 0, "Count A", 26},
    {"Instances B", "instances_b", REPORT_NUMBER, 0, 0, "Count B", 27},
    {"Total A (ns)", "total_a", REPORT_NS, 0, 0, "Total A", 19},
    {"Total B (ns)", "total_b", REPORT_NS, 0, 0, "Total B", 20},
    {"Total Change (ns)", "total_change", REPORT_NS, 0, 0, "Total Change", 12},
    {"P", "p", REPORT_NUMBER, 6, 4, "P", 28},
    {"Verdict", "verdict", REPORT_TEXT, 0, 0, "Verdict", 14},
    {"Style", "style", REPORT_TEXT, 0, 0, "Style", 29},
    {"Range", "range", REPORT_TEXT, 0, 0, "Range", 1},
    {"Inclusive A (ns)", "inclusive_a", REPORT_NS, 0, 0, "Inclusive A", 0},
    {"Inclusive B (ns)", "inclusive_b", REPORT_NS, 0, 0, "Inclusive B", 0},
    {"Inclusive Change (%)", "inclusive_change", REPORT_CHANGE, 2, 1, "Total %", 13},
    {"Inclusive P", "inclusive_p", REPORT_NUMBER, 6, 4, "Total P", 0},
    {"Self A (ns)", "self_a", REPORT_NS, 0, 0, "Self A", 0},
    {"Self B (ns)", "self_b", REPORT_NS, 0, 0, "Self B", 0},
    {"Self Change (ns)", "self_change", REPORT_NS, 0, 0, "Self Change", 15},
    {"Self P", "self_p", REPORT_NUMBER, 6, 4, "Self P", 0},
    {"P99 A (ns)", "p99_a", REPORT_NS, 1, 0, "P99 A", 0},
    {"P99 B (ns)", "p99_b", REPORT_NS, 1, 0, "P99 B", 0},
    {"P99 Change (%)", "p99_change", REPORT_CHANGE, 2, 1, "P99 Change", 25},
    {"P99 P", "p99_p", REPORT_NUMBER, 6, 4, "P99 P", 0},
    {"Instances P", "instances_p", REPORT_NUMBER, 6, 4, "Count P", 0},
    {"Changed", "changed", REPORT_TEXT, 0, 0, "Changed", 16},
    /* Only with --gpu: */
    {"GPU Busy A (ns)", "gpu_busy_a", REPORT_NS, 0, 0, "GPU Busy A", 3},
    {"GPU Busy B (ns)", "gpu_busy_b", REPORT_NS, 0, 0, "GPU Busy B", 4},
    {"GPU Busy Change (%)", "gpu_busy_change", REPORT_CHANGE, 2, 1, "GPU Busy %", 2},
    {"GPU Busy P", "gpu_busy_p", REPORT_NUMBER, 6, 4, "GPU Busy P", 0},
    {"GPU Sum A (ns)", "gpu_sum_a", REPORT_NS, 0, 0, "GPU Sum A", 0},
    {"GPU Sum B (ns)", "gpu_sum_b", REPORT_NS, 0, 0, "GPU Sum B", 0},
    {"GPU Sum Change (%)", "gpu_sum_change", REPORT_CHANGE, 2, 1, "GPU Sum %", 5},
    {"GPU Sum P", "gpu_sum_p", REPORT_NUMBER, 6, 4, "GPU Sum P", 0},
    {"GPU Ops A", "gpu_ops_a", REPORT_NUMBER, 0, 0, "Ops A", 30},
    {"GPU Ops B", "gpu_ops_b", REPORT_NUMBER, 0, 0, "Ops B", 31},
    {"GPU Ops Change (%)", "gpu_ops_change", REPORT_CHANGE, 2, 1, "Ops %", 0},
    {"GPU Ops P", "gpu_ops_p", REPORT_NUMBER, 6, 4, "Ops P", 0},
};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]), HOST_COLUMNS = COLUMNS - 12 };

/* For people, and for programs that choose columns. */
static const struct report_column more_columns[] = {
    {"Value A", "value_a", REPORT_VALUE, -1, 0, "Value A", 26},
    {"Value B", "value_b", REPORT_VALUE, -1, 0, "Value B", 27},
    /* of recordings with context switches */
    {"CPU A (ns)", "cpu_a", REPORT_NS, 0, 0, "CPU A", 0},
    {"CPU B (ns)", "cpu_b", REPORT_NS, 0, 0, "CPU B", 0},
    {"CPU Change (%)", "cpu_change", REPORT_CHANGE, 2, 1, "CPU %", 32},
    {"CPU P", "cpu_p", REPORT_NUMBER, 6, 4, "CPU P", 0},
};
enum { MORE_COLUMNS = 6, ALL_COLUMNS = COLUMNS + MORE_COLUMNS };

/* Adds a cell with the change of a figure, green or red if the change is significant. */
static void change_cell(struct report *report, const struct comparison_row *row,
                        enum comparison_figure f, bool percent) {
    double gain = comparison_gain(row, f), a = row->a.figures[f];

    report_number(report, !percent ? gain : a > 0 && row->b.runs ? 100 * gain / a : NAN);
    report_better(report, row->changed & 1u << f ? (gain < 0 ? 1 : -1) : 0);
}

static void side_cells(struct report *report, const struct comparison_row *row,
                       enum comparison_figure f) {
    /* process ranges have no inclusive time */
    bool none = f == COMPARISON_TOTAL && row->style == SPAN_START_END;

    report_number(report, none ? NAN : row->a.figures[f]);
    report_number(report, none ? NAN : row->b.figures[f]);
}

static void changed_cell(struct report *report, unsigned changed) {
    char words[64] = "";

    for (int f = 0; f < COMPARISON_FIGURES; f++) {
        if (changed & 1u << f) {
            text_append(words, sizeof(words), ", ", "%s", comparison_figure_words[f]);
        }
    }
    report_string(report, words);
}

static void figure_cells(struct report *report, const struct comparison_row *row,
                         enum comparison_figure f) {
    side_cells(report, row, f);
    change_cell(report, row, f, f != COMPARISON_SELF);
    report_number(report, row->p[f]);
}

static void add_comparison_row(struct report *report, const struct comparison_row *row,
                               enum comparison_figure lead, bool for_people) {
    /* In tables for people, Total is the inclusive time, as in nvtxh stats. */
    bool inclusive = for_people && row->style == SPAN_PUSH_POP;
    enum comparison_figure total = inclusive ? COMPARISON_TOTAL : COMPARISON_SUM;

    report_number(report, row->change);
    report_better(report, row->changed & 1u << lead ? (row->change < 0 ? 1 : -1) : 0);
    report_number(report, row->low);
    report_number(report, row->high);
    report_number(report, row->drift);
    side_cells(report, row, COMPARISON_MEDIAN);
    report_number(report, (double)row->a.runs);
    report_number(report, (double)row->b.runs);
    report_number(report, row->a.runs ? row->a.figures[COMPARISON_COUNT] : 0);
    report_number(report, row->b.runs ? row->b.figures[COMPARISON_COUNT] : 0);
    side_cells(report, row, total);
    change_cell(report, row, total, false);
    report_number(report, row->p[lead]);
    report_string(report, comparison_words[row->verdict]);
    report_string(report, span_style_names[row->style]);
    report_range(report, row->source, row->domain_name, row->text, row->color, 0, for_people);
    figure_cells(report, row, COMPARISON_TOTAL);
    figure_cells(report, row, COMPARISON_SELF);
    figure_cells(report, row, COMPARISON_P99);
    report_number(report, row->p[COMPARISON_COUNT]);
    changed_cell(report, row->changed);
    for (enum comparison_figure f = COMPARISON_GPU_BUSY;
         report->given >= COLUMNS && f <= COMPARISON_GPU_OPS; f++) {
        figure_cells(report, row, f);
    }
    if (report->given != HOST_COLUMNS && report->given != COLUMNS) {
        side_cells(report, row, COMPARISON_VALUE);
        figure_cells(report, row, COMPARISON_CPU);
    }
}

struct verdicts {
    size_t over;                 /* ranges that became slower by more than the limit */
    size_t gone;                 /* ranges that are in A alone */
    size_t known;                /* ranges that are in A */
    size_t few;                  /* ranges that have too few instances or runs to compare */
    bool tested;                 /* whether A and B have enough runs for the test */
    enum comparison_figure lead; /* the figure that verdicts are about */
};

static void judge(struct verdicts *v, const struct comparison_row *row, double limit) {
    if (!row->a.runs || row->style >= SPAN_MARK) {
        return;
    }
    v->known++;
    v->gone += row->verdict == COMPARISON_ONLY_A;
    v->over += comparison_exceeds(row, limit);
    v->few += row->verdict == COMPARISON_TOO_FEW;
}

static int conclude(const struct verdicts *v, double limit) {
    const char *ranges = PLURAL(v->known, "range", "ranges");

    if (!v->tested) {
        cli_say("with fewer than %d runs of A or of B, a change may be no more than the difference "
                "between two runs; record more: nvtxh diff A1 A2 A3 -- B1 B2 B3",
                COMPARISON_RUNS);
    }
    if (v->few && v->tested) {
        cli_say("%zu of %zu %s %s in fewer than %d runs of A or B%s, and not tested", v->few,
                v->known, ranges, PLURAL(v->few, "is", "are"), COMPARISON_RUNS,
                v->lead == COMPARISON_P99 ? ", or in one with fewer than 100 instances" : "");
    } else if (v->few) {
        cli_say("%zu of %zu %s had fewer than %d instances in a run, or too short a time between "
                "them to measure a drift",
                v->few, v->known, ranges, COMPARISON_FEW);
    }
    if (isinf(limit)) {
        return EXIT_DONE;
    }
    if (v->over) {
        cli_say("%zu %s slower by more than %g %%%s", v->over,
                PLURAL(v->over, "range is", "ranges are"), limit,
                v->tested ? "" : " beyond the drift");
    }
    if (v->gone) {
        cli_say("%zu of %zu %s of A %s not in B", v->gone, v->known, ranges,
                PLURAL(v->gone, "is", "are"));
    }
    return v->over + v->gone ? EXIT_REGRESSION : EXIT_DONE;
}

/* The recordings of A, then the recordings of B. */
struct runs {
    char **paths;
    size_t a_count, b_count;
    bool gpu;
    struct fold *fold;
};

/* Frees the summaries as soon as they are compared: there may be millions of names. */
static int compare_runs(const struct runs *runs, struct source *const *all, struct summary *of,
                        struct gpu *gpus, struct comparison *c, double limit,
                        const struct report_style *style) {
    struct report_column own[ALL_COLUMNS];
    size_t own_count = runs->gpu ? COLUMNS : HOST_COLUMNS, count = runs->a_count + runs->b_count;
    struct span_totals *totals = must_alloc(NULL, count, sizeof(*totals));
    struct report report;
    struct verdicts v = {.lead = c->lead};

    compare(c, of, gpus, runs->a_count, runs->b_count);
    for (size_t i = 0; i < count; i++) {
        totals[i] = runs->gpu ? gpus[i].totals : of[i].totals;
        summary_free(&of[i]);
        gpu_free(&gpus[i]);
    }
    v.tested = c->is_tested;
    memcpy(own, columns, sizeof(columns));
    own[0].title = c->lead == COMPARISON_MEDIAN ? own[0].title : "Change";
    if (style->form == REPORT_TABLE || style->column_count) {
        memcpy(own + own_count, more_columns, sizeof(more_columns));
        own_count += MORE_COLUMNS;
    }
    report_begin(&report, own, own_count);
    report_stream(&report, style, stdout);
    for (size_t i = 0; i < c->count; i++) {
        add_comparison_row(&report, &c->rows[i], c->lead, style->form == REPORT_TABLE);
        judge(&v, &c->rows[i], limit);
    }
    bool is_none = !report.rows && all[0]->filter && all[0]->filter->is_given;
    if (!is_none || style->form != REPORT_TABLE) {
        report_print(&report, style, stdout);
    }
    report_free(&report);
    if (style->form == REPORT_TABLE) {
        struct findings f = findings_of_changes(c);
        cli_findings(&f, style);
    }
    comparison_free(c);
    fflush(stdout);
    if (is_none) {
        options_no_match("nothing", all[0]->filter, all, count, runs->paths[0]);
    }
    for (size_t i = 0; i < count; i++) {
        losses_print_all(all[i], &totals[i], stderr);
    }
    free(totals);
    return is_none ? EXIT_FAILED : conclude(&v, limit);
}

/* Reads all recordings, for the first time or again. False: a message was printed. */
static bool read_all(const struct runs *runs, struct source *const *all, struct summary *of,
                     struct gpu *gpus) {
    size_t count = runs->a_count + runs->b_count;
    bool was_read = true;
    struct error error;

    for (size_t i = 0; was_read && i < count; i++) {
        summary_free(&of[i]);
        gpu_free(&gpus[i]);
        summary_make_with_drift(&of[i], all[i], count);
        was_read = cli_was_read(all[i], runs->paths[i]);
        if (was_read && runs->gpu && !gpu_make(&gpus[i], all[i], GPU_BY_RANGE, count, &error)) {
            was_read = cli_fail("%s: %s", runs->paths[i], error.text) == EXIT_DONE;
        }
    }
    for (size_t i = 0; was_read && i < count && !all[i]->fold; i++) {
        summary_count_names(&of[i], all[i], runs->fold);
    }
    cli_progress_done();
    return was_read;
}

static int diff(const struct runs *runs, struct comparison *c, double limit,
                const struct report_style *style, const struct filter *filter) {
    size_t count = runs->a_count + runs->b_count;
    struct source **all = must_alloc(NULL, count, sizeof(*all));
    struct summary *of = must_alloc(NULL, count, sizeof(*of));
    struct gpu *gpus = must_alloc(NULL, count, sizeof(*gpus));
    struct filter *filters = must_alloc(NULL, count, sizeof(*filters));
    int status = EXIT_FAILED;

    if (cli_open_all(all, runs->paths, count, false)) {
        if (count == 2 || cli_all_differ("diff", all, runs->paths, count)) {
            for (size_t i = 0; i < count; i++) {
                of[i] = (struct summary){0};
                gpus[i] = (struct gpu){0};
                filters[i] = *filter; /* a filter belongs to one recording */
                options_filter("diff", &filters[i]);
                filter_use(&filters[i], all[i]);
            }
            bool was_read;
            fold_use(runs->fold, all, count);
            do {
                was_read = read_all(runs, all, of, gpus);
            } while (was_read && !all[0]->fold && fold_use(runs->fold, all, count));
            if (was_read) {
                status = compare_runs(runs, all, of, gpus, c, limit, style);
            }
            for (size_t i = 0; i < count; i++) {
                summary_free(&of[i]);
                gpu_free(&gpus[i]);
                filter_end(&filters[i]);
            }
        } else {
            status = EXIT_USAGE;
        }
        cli_close_all(all, runs->paths, count);
    }
    fold_free(runs->fold);
    free(filters);
    free(gpus);
    free(of);
    free(all);
    return status;
}

/* Divides `count` recordings into A and B. `after`: how many words follow the last "--"; 0
 * without a "--". Returns an exit status; errors have been reported. */
static int divide(struct runs *runs, size_t count, size_t after) {
    for (size_t i = 0; i < count; i++) {
        if (strncmp(runs->paths[i], "--", 2) == 0) { /* for a file --NAME, users write ./--NAME */
            return cli_usage("diff", "%s: options go before the recordings", runs->paths[i]);
        }
    }
    runs->b_count = after && after < count ? after : 1;
    if (count < 2 || (count > 2 && runs->b_count != after)) {
        return cli_usage("diff", "expected two recordings, before and after; or several of each, "
                                 "with -- in between");
    }
    runs->a_count = count - runs->b_count;
    return EXIT_DONE;
}

/* The first column of GPUs that was chosen, or NULL. */
static const char *gpu_column_of(const struct report_style *style) {
    for (size_t i = 0; i < style->column_count; i++) {
        if (strncmp(style->columns[i], "gpu_", 4) == 0) {
            return style->columns[i];
        }
    }
    return NULL;
}

int cmd_diff(int argc, char **argv) {
    static const char *const figures[] = {"total", "self",     "median", "p99",
                                          "cpu",   "gpu_busy", "gpu_sum"};
    struct comparison c = COMPARISON_USUAL;
    double limit = INFINITY;
    size_t figure = SIZE_MAX, which = SIZE_MAX;
    bool gpu = false;
    struct report_keys names = report_keys(columns, COLUMNS);
    report_keys_add(&names, more_columns, MORE_COLUMNS);
    struct report_style style = REPORT_USUAL;
    struct filter filter = FILTER_ALL;
    const struct cli_option all[] = {
        {"fail-above", 0, "PERCENT",
         "exit status 3 if the median of a range (or what --figure says) is longer in B by more "
         "than PERCENT, or if a range of A is not in B; with fewer than three runs of A or of B, "
         "if it is longer by more than PERCENT beyond the drift",
         .number = {&limit, 0, 1e9, "a percentage"}},
        {"alpha", 0, "P", "the probability below which a change is significant (0.01 if not given)",
         .number = {&c.alpha, 1e-12, 0.5, "a number up to 0.5"}},
        {"figure", 0, "FIGURE",
         "test only this figure; the verdicts and --fail-above then refer to it; fewer tests "
         "detect "
         "smaller changes",
         .choice = {.ret = &figure, .words = figures, .count = 7}},
        {"gpu", 0, NULL, "also compare the GPU operations launched in the ranges", .flag = &gpu},
        OPTIONS_NAMES(which),
        OPTIONS_FILTER(filter),
        OPTIONS_REPORT(style, names),
        {.name = NULL}};
    struct options o = {"diff",  "[OPTION...] A B | A... -- B...", about, NULL, all, RECORDINGS,
                        examples};
    size_t after = 0; /* how many words follow the last "--"; 0: there is no "--" */

    for (int i = argc - 1; i > 0 && strcmp(argv[i], "--") != 0; i--) {
        after = i == 1 ? 0 : after + 1;
    }
    options_parse(&o, argc, argv);
    struct fold fold = {.which = FOLD_OF(which, style)};
    struct runs runs = {.paths = argv + optind, .gpu = gpu, .fold = &fold};
    const char *lacks = gpu ? NULL : gpu_column_of(&style);
    if (lacks || (!gpu && figure >= COMPARISON_GPU_BUSY && figure < COMPARISON_FIGURES)) {
        return cli_usage("diff", "%s requires --gpu", lacks ? lacks : figures[figure]);
    }
    int status = divide(&runs, (size_t)(argc - optind), after);
    if (status != EXIT_DONE) {
        return status;
    }
    if (figure < COMPARISON_FIGURES) {
        c.lead = (enum comparison_figure)figure;
        c.tested = 1u << c.lead;
    }
    if (c.lead != COMPARISON_MEDIAN &&
        (runs.a_count < COMPARISON_RUNS || runs.b_count < COMPARISON_RUNS)) {
        return cli_usage("diff", "--figure %s requires at least %d runs of A and of B",
                         figures[c.lead], COMPARISON_RUNS);
    }
    return diff(&runs, &c, limit, &style, &filter);
}
