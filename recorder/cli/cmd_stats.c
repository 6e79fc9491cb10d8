/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "../analysis/name.h"
#include "options.h"
#include "stats_tables.h"
#include "../analysis/findings.h"
#include "../output/report.h"
#include "../analysis/summary.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const examples[] = {"nvtxh stats app.nvtxh",
                                       "nvtxh stats --by thread --sort self app.nvtxh",
                                       "nvtxh stats --name '^train:' --csv app.nvtxh"};
static const char about[] =
    "Shows for each range its total time, share, self time, count, average, longest instance and "
    "percentiles; then marks and counters. A range in a domain is named domain:message. "
    "man nvtxh-stats says what each column means.";

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
    INCLUSIVE,
    CPU,
    BLOCKED,
    PREEMPTED,
    CPU_SHARE,
    VALUE_AVG, /* the first column of counters; --sort accepts only the columns before it */
    VALUE_MIN,
    VALUE_MAX,
    VALUE_LAST,
    UNIT,
    BUSY,
    COLUMNS
};

/* The last two values, title and rank, are for tables for people: see report.h. */
static const struct report_column all_columns[COLUMNS] = {
    [SHARE] = {"Time (%)", "share", REPORT_SHARE, -1, 1, "Share", 3},
    [TOTAL] = {"Total Time (ns)", "total", REPORT_NS, 0, 0, "Total", 2},
    [INSTANCES] = {"Instances", "instances", REPORT_NUMBER, 0, 0, "Count", 5},
    [AVG] = {"Avg (ns)", "avg", REPORT_NS, 1, 0, "Avg", 6},
    [MED] = {"Med (ns)", "med", REPORT_NS, 1, 0, "Med", 10},
    [MIN] = {"Min (ns)", "min", REPORT_NS, 0, 0, "Min", 11},
    [MAX] = {"Max (ns)", "max", REPORT_NS, 0, 0, "Max", 7},
    [STDDEV] = {"StdDev (ns)", "stddev", REPORT_NS, 1, 0, "StdDev", 13},
    [SELF] = {"Self (ns)", "self", REPORT_NS, 0, 0, "Self", 4},
    [P90] = {"P90 (ns)", "p90", REPORT_NS, 1, 0, "P90", 12},
    [P99] = {"P99 (ns)", "p99", REPORT_NS, 1, 0, "P99", 8},
    [STYLE] = {"Style", "style", REPORT_TEXT, 0, 0, "Style", 14},
    [NAME] = {"Range", "name", REPORT_TEXT, 0, 0, NULL, 1},
    [INCLUSIVE] = {"Inclusive (ns)", "inclusive", REPORT_NS, 0, 0, "Inclusive", 0},
    [CPU] = {"CPU (ns)", "cpu", REPORT_NS, 0, 0, "CPU", 0},
    [BLOCKED] = {"Blocked (ns)", "blocked", REPORT_NS, 0, 0, "Blocked", 0},
    [PREEMPTED] = {"Preempted (ns)", "preempted", REPORT_NS, 0, 0, "Preempted", 0},
    [CPU_SHARE] = {"CPU (%)", "cpu_share", REPORT_PERCENT, -1, 1, "CPU", 9},
    [VALUE_AVG] = {"Avg Value", "value_avg", REPORT_VALUE, -1, 0, "Avg", 5},
    [VALUE_MIN] = {"Min Value", "value_min", REPORT_VALUE, -1, 0, "Min", 6},
    [VALUE_MAX] = {"Max Value", "value_max", REPORT_VALUE, -1, 0, "Max", 7},
    [VALUE_LAST] = {"Last Value", "value_last", REPORT_VALUE, -1, 0, "Last", 8},
    [UNIT] = {"Unit", "unit", REPORT_TEXT, 0, 0, "Unit", 3},
    [BUSY] = {"Busy (%)", "busy", REPORT_SHARE, -1, 1, "Busy %", 2},
};

/* CSV and JSON are one table of everything; people get one table for each of these kinds. */
enum {
    RANGES = 1u << SPAN_PUSH_POP | 1u << SPAN_START_END,
    MARKS = 1u << SPAN_MARK,
    COUNTERS = 1u << SPAN_COUNTER
};

struct table {
    unsigned styles;  /* styles of its rows: bit 1u << s for each enum span_style s */
    const char *name; /* the title of the column NAME; NULL: what the rows are grouped by */
    enum column columns[COLUMNS];
    size_t count;
};

static const struct table for_programs = {
    RANGES | MARKS | COUNTERS,
    NULL,
    {SHARE,      TOTAL,     INSTANCES, AVG,     MED,       MIN,       MAX,       STDDEV,
     SELF,       P90,       P99,       STYLE,   NAME,      VALUE_AVG, VALUE_MIN, VALUE_MAX,
     VALUE_LAST, INCLUSIVE, CPU,       BLOCKED, PREEMPTED, UNIT,      BUSY,      CPU_SHARE},
    COLUMNS};
/* How many columns of the above CSV and JSON have without --columns, and how many more if context
 * switches were recorded. */
enum { USUAL = COLUMNS - 6, OF_SWITCHES = 3 };
static const struct table for_people[] = {
    {RANGES,
     NULL,
     {SHARE, TOTAL, INSTANCES, AVG, MED, MIN, MAX, STDDEV, SELF, P90, P99, STYLE, NAME, INCLUSIVE,
      BUSY, CPU, BLOCKED, PREEMPTED, CPU_SHARE},
     19},
    {MARKS, "Mark", {INSTANCES, NAME}, 2},
    {COUNTERS, "Counter", {INSTANCES, VALUE_AVG, VALUE_MIN, VALUE_MAX, VALUE_LAST, NAME, UNIT}, 7},
};

/* The words of --by, in the order of enum summary_by; then the word of BY_KERNEL. */
static const char *const groups[] = {"range", "domain", "category", "thread", "kernel"};
enum { BY_KERNEL = BY_THREAD + 1 };
static const char *const heads[] = {"Range", "Domain", "Category", "Thread"};

/* Returns a cell's number; NaN: empty. `people`: for a table where Total is the inclusive time. */
static double number_of_cell(const struct summary *s, const struct summary_row *row,
                             enum column column, bool people) {
    const struct distribution *d = &row->durations;
    bool counter = row->style == SPAN_COUNTER, pushed = row->style == SPAN_PUSH_POP;

    if (column == INSTANCES) {
        return (double)row->instances;
    }
    if (row->style == SPAN_MARK || counter != (column >= VALUE_AVG && column <= VALUE_LAST) ||
        (!pushed && (column == SELF || column == SHARE || column == INCLUSIVE || column == BUSY))) {
        return NAN;
    }
    switch (column) {
    case BUSY:
        if (s->by != BY_THREAD) {
            return NAN;
        }
        return s->last > s->first ? 100 * row->inclusive / (double)(s->last - s->first) : 0;
    case SHARE:
        return s->busy <= 0 ? 0 : 100 * row->inclusive / s->busy;
    case TOTAL:
        return people && pushed ? row->inclusive : d->total;
    case INCLUSIVE:
        return row->inclusive;
    case SELF:
        return row->self;
    case CPU:
    case BLOCKED:
    case PREEMPTED:
    case CPU_SHARE:
        return spans_time(row->off, d->total, (int)(column - CPU));
    case AVG:
        return d->total / (double)d->count;
    case MED:
        return distribution_quantile(d, 0.5);
    case P90:
        return distribution_quantile(d, 0.9);
    case P99:
        return distribution_quantile(d, 0.99);
    case MIN:
        return (double)d->min;
    case MAX:
        return (double)d->max;
    case VALUE_AVG:
        return row->counter->total / (double)row->instances;
    case VALUE_MIN:
        return row->counter->min;
    case VALUE_MAX:
        return row->counter->max;
    case VALUE_LAST:
        return row->counter->last;
    default:
        return distribution_deviation(d);
    }
}

static const char *title_of(enum summary_by by, unsigned styles, enum column column) {
    bool is_busy = by == BY_THREAD && styles == 1u << SPAN_PUSH_POP && column == TOTAL;

    if (is_busy) {
        return "Busy";
    }
    if (column == INSTANCES && styles == MARKS) {
        return "Marks";
    }
    if (column == INSTANCES && styles == 1u << SPAN_START_END) {
        return "Process ranges";
    }
    return all_columns[column].title;
}

static void make_columns(const struct summary *s, const struct table *table,
                         struct report_column *columns) {
    for (size_t i = 0; i < table->count; i++) {
        columns[i] = all_columns[table->columns[i]];
        if (table->columns[i] == NAME) {
            /* Counters are not grouped, whatever the other rows are grouped by. */
            bool own = table->name && (s->by == BY_RANGE || table->styles == COUNTERS);
            columns[i].head = columns[i].title = own ? table->name : heads[s->by];
        } else if (s->by != BY_RANGE && columns[i].rank) {
            /* Ranges of each style have a row of their own, so the style stands next to the name.
             * With --by thread, each style has a table of its own. */
            enum column k = table->columns[i];
            columns[i].rank = k == STYLE ? 2 : columns[i].rank + 1;
            columns[i].title = title_of(s->by, table->styles, k);
            /* left out in tables of threads: titles say the style; share and self repeat Busy */
            bool plain = k == STYLE || k == SHARE || k == SELF;
            columns[i].rank *= s->by != BY_THREAD || !plain;
        }
    }
}

static void make_rows(struct report *report, const struct summary *s, const struct table *table) {
    for (size_t i = 0; i < s->count; i++) {
        const struct summary_row *row = &s->rows[i];
        if (!(table->styles & 1u << row->style)) {
            continue;
        }
        for (size_t k = 0; k < table->count; k++) {
            enum column column = table->columns[k];
            if (column == NAME) {
                size_t size;
                char *name = name_of_row(s, row, table->styles != for_programs.styles, &size);
                report_text(report, name, size);
                report_mark(report, row->color);
                free(name);
            } else if (column == UNIT) {
                report_string(report, string_table_get(&s->source->strings, row->unit));
            } else if (column == STYLE) {
                report_string(report, span_style_names[row->style]);
            } else {
                report_number(report,
                              number_of_cell(s, row, column, table->styles != for_programs.styles));
            }
        }
    }
}

/* Prints a table. `sort`: key of the column to sort by, or NULL. Adds the row count to *printed. */
static void print_table(const struct summary *s, const struct table *table, const char *sort,
                        const struct report_style *style, size_t *printed) {
    struct report report;
    struct report_column columns[COLUMNS];

    make_columns(s, table, columns);
    report_begin(&report, columns, table->count);
    report.minor = *printed > 0;
    if (!sort) {
        report_stream(&report, style, stdout);
    }
    make_rows(&report, s, table);
    report_sort(&report, sort);
    if (report.rows || style->form != REPORT_TABLE) {
        fputs(*printed ? "\n" : "", stdout);
        report_print(&report, style, stdout);
        *printed += report.rows;
    }
    report_free(&report);
}

static void print_all(const struct summary *s, const char *sort, const struct report_style *style,
                      size_t *printed) {
    if (style->form != REPORT_TABLE) {
        struct table table = for_programs;
        if (!style->column_count) {
            table.count = USUAL + (source_has_switches(s->source) ? OF_SWITCHES : 0);
        }
        print_table(s, &table, sort, style, printed);
        return;
    }
    for (size_t i = 0; i < sizeof(for_people) / sizeof(for_people[0]); i++) {
        struct table table = for_people[i];
        /* One table would have two rows for a thread. */
        if (s->by == BY_THREAD && table.styles == RANGES) {
            table.styles = 1u << SPAN_PUSH_POP;
            print_table(s, &table, sort, style, printed);
            table.styles = 1u << SPAN_START_END;
        }
        print_table(s, &table, sort, style, printed);
    }
}

/* Prints what the whole program took, unless a filter leaves out a part of it. */
static void print_usage(const struct source *source) {
    char buffer[FIGURE_USAGE];
    const char *usage = figure_usage(&source->usage, source->elapsed, buffer);

    if (*usage && !(source->filter && source->filter->is_given)) {
        printf("\nProgram: %s\n", usage + 2);
    }
}

/* Prints the usual tables. Returns an exit status. */
static int usual_tables(struct source *source, const char *path, enum summary_by by,
                        const char *sort, const struct report_style *style, struct fold *fold) {
    struct summary s = {0};
    size_t printed = 0;

    fold_use(fold, &source, 1);
    do {
        summary_free(&s);
        summary_make(&s, source, by);
        if (by == BY_RANGE && !source->fold) {
            summary_count_names(&s, source, fold);
        }
    } while (!source->fold && fold_use(fold, &source, 1));
    cli_progress_done();
    bool was_read = cli_was_read(source, path);
    int status = was_read ? EXIT_DONE : EXIT_FAILED;
    if (was_read) {
        print_all(&s, sort, style, &printed);
        if (by == BY_RANGE && style->form == REPORT_TABLE) {
            print_usage(source);
            struct ranks ranks = {0};
            struct findings f = findings_of(&s, source);
            if (ranks_read(&ranks, source)) {
                struct findings of_ranks = findings_of_ranks(&ranks);
                findings_join(&f, &of_ranks);
            }
            cli_findings(&f, style);
            ranks_free(&ranks);
        }
        fflush(stdout);
        if (!printed && source->filter && source->filter->is_given) {
            status = options_no_match("nothing", source->filter, &source, 1, path);
        }
        losses_print_all(source, &s.totals, stderr);
    }
    summary_free(&s);
    return status;
}

enum { OTHERS = 6 };
static const struct stats_table *const others[OTHERS] = {
    &gpu_table, &kernel_table, &gpu_kernel_table, &slowest_table, &histogram_table, &program_table};

/* Returns the table whose option was given; NULL: the usual one. Exits if this option cannot be
 * used with --by (if `by` is set), --sort (if `sort` is not NULL) or another table's option, or if
 * the table lacks a chosen column. */
static const struct stats_table *other_table(const char *asked[OTHERS], bool by, const char *sort,
                                             const struct report_style *style) {
    struct report_style named = *style;
    const struct stats_table *other = NULL;

    for (size_t i = 0; i < OTHERS; i++) {
        const char *too = other                          ? other->option
                          : by                           ? "by"
                          : sort && !others[i]->has_sort ? "sort"
                                                         : NULL;
        if (asked[i] && too) {
            exit(cli_finish(
                cli_usage("stats", "--%s cannot be used with --%s", others[i]->option, too)));
        }
        other = asked[i] ? others[i] : other;
    }
    if (sort) {
        named.columns[named.column_count++] = sort;
    }
    const char *lacks =
        report_lacks(other ? other->columns : all_columns, other ? other->count : COLUMNS, &named);
    if (lacks) {
        exit(cli_finish(cli_usage("stats", "the table %s%s has no column %s",
                                  other ? "of --" : "of ranges", other ? other->option : "",
                                  lacks)));
    }
    return other;
}

/* The key of the column to sort by. Exits if it is not of the rows. */
static const char *sort_key(const char *key, size_t by) {
    if (strcmp(key, all_columns[BUSY].key) != 0) {
        return key;
    }
    if (by != BY_THREAD) {
        exit(cli_finish(cli_usage("stats", "--sort busy requires --by thread")));
    }
    return all_columns[INCLUSIVE].key; /* of a thread, the busy time, of which Busy % is a part */
}

/* Adds what the other tables have. */
static void add_keys(struct report_keys *names, struct report_keys *sorts) {
    report_keys_add(sorts, &all_columns[BUSY], 1);
    for (size_t i = 0; i < OTHERS; i++) {
        report_keys_add(names, others[i]->columns, others[i]->count);
        if (others[i]->has_sort) {
            report_keys_add(sorts, others[i]->columns, others[i]->count);
        }
    }
}

int cmd_stats(int argc, char **argv) {
    struct report_keys names = report_keys(all_columns, COLUMNS),
                       sorts = report_keys(all_columns, VALUE_AVG);
    add_keys(&names, &sorts);
    size_t by = BY_RANGE, sort = SIZE_MAX, which = SIZE_MAX;
    struct report_style style = REPORT_USUAL;
    struct filter filter = FILTER_ALL;
    bool gpu = false, program = false;
    const char *slowest = NULL, *histogram = NULL;
    const struct cli_option all[] = {
        {"by", 0, "WHAT", "one row for each WHAT (range if not given)",
         .choice = {.ret = &by, .words = groups, .count = 5}},
        {"sort", 0, "COLUMN", "the column to sort by (total if not given)",
         .choice =
             {.ret = &sort, .words = sorts.keys, .titles = sorts.titles, .count = sorts.count}},
        {"gpu", 0, NULL, "the GPU operations launched in each range; with --by kernel, by both",
         .flag = &gpu},
        {"slowest", 0, "RANGE", "the 20 (or --limit) longest instances of RANGE (domain:message)",
         .text = &slowest},
        {"histogram", 0, "RANGE", "the distribution of the durations of RANGE (domain:message)",
         .text = &histogram},
        {"program", 0, NULL, "CPU time and context switches of the whole program",
         .flag = &program},
        OPTIONS_NAMES(which),
        OPTIONS_FILTER(filter),
        OPTIONS_REPORT(style, names),
        {.name = NULL}};
    struct options o = {"stats", "[OPTION...] REC", about, NULL, all, ONE_TO_REPORT, examples};
    struct source *source;

    options_parse(&o, argc, argv);
    options_filter("stats", &filter);
    bool kernel = by == BY_KERNEL;
    const char *asked[OTHERS] = {gpu && !kernel ? "" : NULL,
                                 kernel && !gpu ? "" : NULL,
                                 kernel && gpu ? "" : NULL,
                                 slowest,
                                 histogram,
                                 program ? "" : NULL};
    const char *key = sort < sorts.count ? sort_key(sorts.keys[sort], by) : NULL;
    const struct stats_table *other = other_table(asked, by != BY_RANGE && !kernel, key, &style);
    filter.exact = slowest ? slowest : histogram;
    struct found_files found = options_recordings(&o, argv + optind, argc - optind);
    int status = EXIT_FAILED;
    if ((source = cli_open(found.paths, found.count))) {
        filter_use(&filter, source);
        struct fold fold = {.which = FOLD_OF(which, style)};
        status =
            other ? other->print(other, source, found.paths[0], key, &style)
                  : usual_tables(source, found.paths[0], (enum summary_by)by, key, &style, &fold);
        cli_close(source, found.paths[0]);
        fold_free(&fold);
    }
    filter_end(&filter);
    found_files_free(&found);
    return status;
}
