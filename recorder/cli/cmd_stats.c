/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "form.h"
#include "../read/losses.h"
#include "../read/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: nvtxh stats [--by WHAT] [--sort COLUMN] [--csv | --json] REC\n\n"
    "For each range, over all threads and processes of the recording: its share of the time of "
    "all\n"
    "ranges, total time, time spent in it and not in ranges nested in it, number, average, "
    "median,\n"
    "90th and 99th percentile, shortest, longest, standard deviation, in nanoseconds. Nested "
    "ranges\n"
    "count in each other. A range in a domain is named domain:message. Marks and counters "
    "follow.\n\n"
    "      --by WHAT      range (the default), domain, category or thread\n"
    "      --sort COLUMN  total (the default), self, instances, avg, med, p90, p99, min, max,\n"
    "                     stddev or name\n"
    "      --csv          comma-separated values; marks and counters are rows without times\n"
    "      --json         an array of objects\n"
    "  -h, --help         this text\n";

enum column {
    SHARE,
    TOTAL,
    INSTANCES,
    AVG,
    MED,
    MIN,
    MAX,
    STDDEV,
    SELF,
    P90,
    P99,
    STYLE,
    NAME,
    VALUE_AVG,
    VALUE_MIN,
    VALUE_MAX,
    VALUE_LAST,
    COLUMNS
};

static const struct report_column all_columns[COLUMNS] = {
    [SHARE] = {"Time (%)", "share", REPORT_NUMBER, 1, 1},
    [TOTAL] = {"Total Time (ns)", "total", REPORT_NUMBER, 0, 0},
    [INSTANCES] = {"Instances", "instances", REPORT_NUMBER, 0, 0},
    [AVG] = {"Avg (ns)", "avg", REPORT_NUMBER, 1, 0},
    [MED] = {"Med (ns)", "med", REPORT_NUMBER, 1, 0},
    [MIN] = {"Min (ns)", "min", REPORT_NUMBER, 0, 0},
    [MAX] = {"Max (ns)", "max", REPORT_NUMBER, 0, 0},
    [STDDEV] = {"StdDev (ns)", "stddev", REPORT_NUMBER, 1, 0},
    [SELF] = {"Self (ns)", "self", REPORT_NUMBER, 0, 0},
    [P90] = {"P90 (ns)", "p90", REPORT_NUMBER, 1, 0},
    [P99] = {"P99 (ns)", "p99", REPORT_NUMBER, 1, 0},
    [STYLE] = {"Style", "style", REPORT_TEXT, 0, 0},
    [NAME] = {"Range", "name", REPORT_TEXT, 0, 0},
    [VALUE_AVG] = {"Avg Value", "value_avg", REPORT_NUMBER, 6, 3},
    [VALUE_MIN] = {"Min Value", "value_min", REPORT_NUMBER, 6, 3},
    [VALUE_MAX] = {"Max Value", "value_max", REPORT_NUMBER, 6, 3},
    [VALUE_LAST] = {"Last Value", "value_last", REPORT_NUMBER, 6, 3},
};

static const enum column of_ranges[] = {SHARE, TOTAL, SELF, INSTANCES, AVG,   MED, P90,
                                        P99,   MIN,   MAX,  STDDEV,    STYLE, NAME};
static const enum column of_marks[] = {INSTANCES, NAME};
static const enum column of_counters[] = {INSTANCES, VALUE_AVG,  VALUE_MIN,
                                          VALUE_MAX, VALUE_LAST, NAME};
static const enum column of_all[] = {SHARE, TOTAL,     INSTANCES, AVG,       MED,       MIN,
                                     MAX,   STDDEV,    SELF,      P90,       P99,       STYLE,
                                     NAME,  VALUE_AVG, VALUE_MIN, VALUE_MAX, VALUE_LAST};

static const char *const styles[] = {"PushPop", "StartEnd", "Mark", "Counter"};
static const char *const groups[] = {"range", "domain", "category", "thread"};
static const char *const heads[] = {"Range", "Domain", "Category", "Thread"};

static double number_of(const struct summary *s, const struct summary_row *row, enum column column)
{
    const struct samples *d = &row->durations;
    bool counter = row->style == SPAN_COUNTER;
    bool range = row->style != SPAN_MARK && !counter;

    if (column == INSTANCES) {
        return (double)row->instances;
    }
    if (column >= VALUE_AVG) {
        return !counter              ? NAN
               : column == VALUE_AVG ? row->value_total / (double)row->instances
               : column == VALUE_MIN ? row->value_min
               : column == VALUE_MAX ? row->value_max
                                     : row->value_last;
    }
    if (!range || (column == SELF && row->style != SPAN_PUSH_POP)) {
        return NAN;
    }
    switch (column) {
    case SHARE:
        return s->total > 0 ? 100 * d->total / s->total : 0;
    case TOTAL:
        return d->total;
    case SELF:
        return row->self;
    case AVG:
        return d->total / (double)d->count;
    case MED:
        return samples_quantile(d, 0.5);
    case P90:
        return samples_quantile(d, 0.9);
    case P99:
        return samples_quantile(d, 0.99);
    case MIN:
        return (double)d->min;
    case MAX:
        return (double)d->max;
    default:
        return samples_deviation(d);
    }
}

/* A report of the rows of some styles; false if there are none. */
static bool make(struct report *report, struct report_column *columns, const struct summary *s,
                 const enum column *which, size_t count, unsigned of_styles)
{
    bool any = false;

    for (size_t i = 0; i < count; i++) {
        columns[i] = all_columns[which[i]];
        if (which[i] == NAME) {
            columns[i].head = of_styles == 1u << SPAN_MARK && s->by == BY_RANGE ? "Mark"
                              : of_styles == 1u << SPAN_COUNTER                 ? "Counter"
                                                                                : heads[s->by];
        }
    }
    report_begin(report, columns, count);
    for (size_t i = 0; i < s->count; i++) {
        const struct summary_row *row = &s->rows[i];
        if (!(of_styles & 1u << row->style)) {
            continue;
        }
        any = true;
        for (size_t k = 0; k < count; k++) {
            if (which[k] == NAME) {
                size_t size;
                char *name = summary_name(s, row, &size);
                report_text(report, name, size);
                free(name);
            } else if (which[k] == STYLE) {
                report_text(report, styles[row->style], strlen(styles[row->style]));
            } else {
                report_number(report, number_of(s, row, which[k]));
            }
        }
    }
    return any;
}

/* One table; `sort` is a key that may not be among its columns. */
static bool print(const struct summary *s, const enum column *which, size_t count,
                  unsigned of_styles, const char *sort, enum report_form form, bool even_if_empty)
{
    struct report report;
    struct report_column columns[COLUMNS];
    bool any = make(&report, columns, s, which, count, of_styles);
    bool done = true;

    for (size_t i = 0; sort && i < count; i++) {
        if (!strcmp(columns[i].key, sort)) {
            report_sort(&report, i);
        }
    }
    if (any || even_if_empty) {
        done = report_print(&report, form, stdout);
    }
    report_free(&report);
    return done;
}

static bool has_style(const struct summary *s, enum span_style style)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->rows[i].style == style) {
            return true;
        }
    }
    return false;
}

#define PRINT(columns, styles, even_if_empty)                                                      \
    print(s, columns, sizeof(columns) / sizeof((columns)[0]), styles, sort, form, even_if_empty)

static bool print_all(const struct summary *s, const char *sort, enum report_form form)
{
    unsigned ranges = 1u << SPAN_PUSH_POP | 1u << SPAN_START_END;

    if (form != REPORT_TABLE) {
        return PRINT(of_all, ~0u, true);
    }
    PRINT(of_ranges, ranges, true);
    if (has_style(s, SPAN_MARK)) {
        putchar('\n');
        PRINT(of_marks, 1u << SPAN_MARK, false);
    }
    if (has_style(s, SPAN_COUNTER)) {
        putchar('\n');
        PRINT(of_counters, 1u << SPAN_COUNTER, false);
    }
    return true;
}

int cmd_stats(int argc, char **argv)
{
    static const struct option options[] = {{"by", required_argument, NULL, 'b'},
                                            {"sort", required_argument, NULL, 's'},
                                            FORM_OPTIONS,
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    enum report_form form = REPORT_TABLE;
    const char *sort = NULL;
    size_t by = BY_RANGE;
    int option, status;
    struct recording r;
    struct summary s;

    while ((option = cli_getopt(argc, argv, "h", options)) != -1) {
        switch (option) {
        case 'b':
            if (!cli_choice(optarg, groups, 4, &by)) {
                return cli_no_choice("stats", "--by", optarg, groups, 4);
            }
            break;
        case 's':
            sort = optarg;
            break;
        case 'h':
            fputs(usage, stdout);
            return EXIT_DONE;
        default:
            if (!form_option(option, &form)) {
                return cli_bad_option("stats", argc, argv);
            }
        }
    }
    if (sort) {
        const char *keys[COLUMNS];
        size_t count = 0, which;
        for (size_t i = 0; i < VALUE_AVG; i++) {
            keys[count++] = all_columns[i].key;
        }
        if (!cli_choice(sort, keys, count, &which)) {
            return cli_no_choice("stats", "--sort", sort, keys, count);
        }
        sort = keys[which];
    }
    if (optind != argc - 1) {
        return cli_usage("stats", optind < argc ? "one recording at a time" : "which recording?");
    }
    if (!cli_open(&r, argv[optind])) {
        return EXIT_FAILED;
    }
    summary_make(&s, &r, (enum summary_by)by);
    cli_progress_done();
    status = print_all(&s, sort, form) ? EXIT_DONE : EXIT_FAILED;
    fflush(stdout);
    losses_print_all(&r, &s.totals, stderr);
    summary_free(&s);
    cli_close(&r, argv[optind]);
    return status;
}
