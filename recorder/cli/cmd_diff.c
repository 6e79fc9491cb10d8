/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "form.h"
#include "../read/compare.h"
#include "../read/losses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: nvtxh diff [--fail-over PERCENT] [--alpha P] [--csv | --json] A B\n\n"
    "What changed from recording A to recording B: for each range the number, median and total in\n"
    "both, and P: how probable it is to see such a difference by chance if there is none (Mann-\n"
    "Whitney test on all durations, adjusted for the number of ranges by Holm's method). Below\n"
    "--alpha a range is called slower or faster. Those come first, by the change of total time.\n"
    "The test knows how durations vary within a recording, not how one run differs from another:\n"
    "record long enough, on a quiet machine.\n\n"
    "      --fail-over PERCENT  exit status 3 if the median of a range has become slower by more\n"
    "      --alpha P            0.01 if it is not given\n"
    "      --csv                comma-separated values\n"
    "      --json               an array of objects\n"
    "  -h, --help               this text\n";

static const struct report_column columns[] = {
    {"Change (%)", "change", REPORT_NUMBER, 2, 1},
    {"Med A (ns)", "med_a", REPORT_NUMBER, 1, 0},
    {"Med B (ns)", "med_b", REPORT_NUMBER, 1, 0},
    {"Instances A", "instances_a", REPORT_NUMBER, 0, 0},
    {"Instances B", "instances_b", REPORT_NUMBER, 0, 0},
    {"Total A (ns)", "total_a", REPORT_NUMBER, 0, 0},
    {"Total B (ns)", "total_b", REPORT_NUMBER, 0, 0},
    {"Total Change (ns)", "total_change", REPORT_NUMBER, 0, 0},
    {"P", "p", REPORT_NUMBER, 6, 4},
    {"Verdict", "verdict", REPORT_TEXT, 0, 0},
    {"Style", "style", REPORT_TEXT, 0, 0},
    {"Range", "range", REPORT_TEXT, 0, 0},
};
#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static const char *const styles[] = {"PushPop", "StartEnd", "Mark", "Counter"};

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
        return row->a->instances < 5 || row->b->instances < 5 ? "too few" : "same";
    }
    *ret_tone = row->change < 0 ? 1 : row->change > 0 ? -1 : 0;
    return row->change < 0 ? "faster" : row->change > 0 ? "slower" : "differs";
}

static double median(const struct summary_row *row)
{
    return row && row->style < SPAN_MARK ? samples_quantile(&row->durations, 0.5) : NAN;
}

static double total(const struct summary_row *row)
{
    return row && row->style < SPAN_MARK ? row->durations.total : NAN;
}

static void add_row(struct report *report, const struct summary *a, const struct summary *b,
                    const struct comparison_row *row, double alpha)
{
    const struct summary_row *any = row->a ? row->a : row->b;
    int tone;
    size_t size;
    const char *word = verdict(row, alpha, &tone);
    char *name = summary_name(row->a ? a : b, any, &size);

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
    report_text(report, word, strlen(word));
    report_tone(report, tone);
    report_text(report, styles[any->style], strlen(styles[any->style]));
    report_text(report, name, size);
    free(name);
}

/* Prints it; returns how many ranges have become slower by more than a limit. */
static size_t print(const struct summary *a, const struct summary *b, double alpha, double limit,
                    enum report_form form, bool *ret_printed)
{
    struct comparison c;
    struct report report;
    size_t over = 0;

    compare(&c, a, b, alpha);
    report_begin(&report, columns, COLUMNS);
    for (size_t i = 0; i < c.count; i++) {
        add_row(&report, a, b, &c.rows[i], alpha);
        over += c.rows[i].p < alpha && c.rows[i].change > limit;
    }
    *ret_printed = report_print(&report, form, stdout);
    report_free(&report);
    comparison_free(&c);
    return over;
}

static int diff(const char *path_a, const char *path_b, double alpha, double limit,
                enum report_form form)
{
    struct recording a, b;
    struct summary of_a, of_b;
    bool printed;

    if (!cli_open(&a, path_a)) {
        return EXIT_FAILED;
    }
    if (!cli_open(&b, path_b)) {
        cli_close(&a, path_a);
        return EXIT_FAILED;
    }
    summary_make(&of_a, &a, BY_RANGE);
    summary_make(&of_b, &b, BY_RANGE);
    cli_progress_done();
    size_t over = print(&of_a, &of_b, alpha, limit, form, &printed);
    fflush(stdout);
    losses_print_all(&a, &of_a.totals, stderr);
    losses_print_all(&b, &of_b.totals, stderr);
    summary_free(&of_a);
    summary_free(&of_b);
    cli_close(&a, path_a);
    cli_close(&b, path_b);
    if (!printed) {
        return EXIT_FAILED;
    }
    if (over) {
        fprintf(stderr, "nvtxh: %zu %s slower by more than %g %%\n", over,
                over == 1 ? "range is" : "ranges are", limit);
        return EXIT_OVER;
    }
    return EXIT_DONE;
}

int cmd_diff(int argc, char **argv)
{
    static const struct option options[] = {{"fail-over", required_argument, NULL, 'f'},
                                            {"alpha", required_argument, NULL, 'a'},
                                            FORM_OPTIONS,
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    enum report_form form = REPORT_TABLE;
    double alpha = 0.01, limit = INFINITY;
    int option;

    while ((option = cli_getopt(argc, argv, "h", options)) != -1) {
        switch (option) {
        case 'f':
            if (!cli_number(optarg, 0, 1e9, &limit)) {
                return cli_usage("diff", "--fail-over %s: a number of percent", optarg);
            }
            break;
        case 'a':
            if (!cli_number(optarg, 1e-12, 1, &alpha)) {
                return cli_usage("diff", "--alpha %s: a number between 0 and 1", optarg);
            }
            break;
        case 'h':
            fputs(usage, stdout);
            return EXIT_DONE;
        default:
            if (!form_option(option, &form)) {
                return cli_bad_option("diff", argc, argv);
            }
        }
    }
    if (optind != argc - 2) {
        return cli_usage("diff", "two recordings are wanted, before and after");
    }
    return diff(argv[optind], argv[optind + 1], alpha, limit, form);
}
