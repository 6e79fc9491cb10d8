/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "top.h"
#include "../analysis/name.h"
#include "cli.h"
#include "options.h"

#include <stdlib.h>

enum { NOW, SINCE, RATE, AVG, P99, OPEN, OLDEST, COUNT, STYLE, NAME, VALUE, PAST };

const struct report_column top_columns[TOP_COLUMNS] = {
    [NOW] = {"Now (%)", "now", REPORT_SHARE, 1, 1, "Now", 2},
    [SINCE] = {"Since (%)", "since", REPORT_NUMBER, 1, 1, "Since %", 8},
    [RATE] = {"Per Second", "rate", REPORT_NUMBER, 1, 0, "Per s", 3},
    [AVG] = {"Avg (ns)", "avg", REPORT_NS, 1, 0, "Avg", 5},
    [P99] = {"P99 (ns)", "p99", REPORT_NS, 1, 0, "P99", 6},
    [OPEN] = {"Open", "open", REPORT_NUMBER, 0, 0, "Open", 9},
    [OLDEST] = {"Open For (ns)", "for", REPORT_NS, 0, 0, "Open for", 4},
    [COUNT] = {"Instances", "instances", REPORT_NUMBER, 0, 0, "Count", 10},
    [STYLE] = {"Style", "style", REPORT_TEXT, 0, 0, "Style", 0},
    [NAME] = {"Range", "name", REPORT_TEXT, 0, 0, "Range", 1},
    [VALUE] = {"Value", "value", REPORT_VALUE, -1, 0, "Value", 2},
    [PAST] = {"Past", "past", REPORT_TEXT, 0, 0, "Past", 7},
};

enum { NEST_THREAD, NEST_DEPTH, NEST_FOR, NEST_NAME, NEST_COLUMNS };

static const struct report_column nest_columns[NEST_COLUMNS] = {
    [NEST_THREAD] = {"Thread", "thread", REPORT_TEXT, 0, 0, "Thread", 0},
    [NEST_DEPTH] = {"Depth", "depth", REPORT_NUMBER, 0, 0, "Depth", 0},
    [NEST_FOR] = {"Open For (ns)", "for", REPORT_NS, 0, 0, "Open for", 2},
    [NEST_NAME] = {"Range", "range", REPORT_TEXT, 0, 0, "Range", 1},
};

static const struct source *source_of(const struct top *t) {
    return &t->rows.follow.recording.source;
}

/* The name of a row, as it is shown. Free it. */
static char *name_of(const struct top *t, const struct follow_row *row) {
    size_t size;

    return name_of_range(source_of(t), row->domain_name, row->text, t->style.form == REPORT_TABLE,
                         &size);
}

static bool is_row_wanted(const struct top *t, const struct follow_row *row) {
    char *name = t->filter.name ? name_of(t, row) : NULL;
    bool wanted = !name || filter_is_match(&t->filter.regex, name);

    free(name);
    return wanted;
}

int top_no_match(const struct top *t) {
    struct known_names names = {0};

    for (size_t i = 0; i < t->rows.count; i++) {
        if (is_row_wanted(t, &t->rows.rows[i])) {
            known_names_free(&names);
            return EXIT_DONE;
        }
        known_names_add(&names, name_of(t, &t->rows.rows[i]));
    }
    return t->filter.name ? known_names_lack(&names, "no range is named", t->filter.name, true, "")
                          : EXIT_DONE;
}

/* Adds a cell: how many ranges ended, or marks or samples came, in each of the last FOLLOW_PAST
 * windows. A window is the time between two reads of the recording. For programs, the cell has
 * numbers; for people, it has bars, of which the highest stands for the largest number. */
static void past_cell(const struct top *t, struct report *report, const struct follow_row *row,
                      FILE *out) {
    static const char *const bars[2][8] = {{" ", ".", ":", "-", "=", "+", "*", "#"},
                                           {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}};
    char text[FOLLOW_PAST * 21 + 1] = "", *at = text;
    bool utf8 = terminal_of(out, REPORT_COLOR_NEVER).utf8;
    uint64_t most = 1;

    for (size_t i = 0; i < FOLLOW_PAST; i++) {
        most = row->past[i] > most ? row->past[i] : most;
    }
    for (size_t i = 0; i < FOLLOW_PAST; i++) {
        if (t->style.form != REPORT_TABLE) {
            at += sprintf(at, "%s%llu", i ? " " : "", (unsigned long long)row->past[i]);
        } else {
            at += sprintf(at, "%s",
                          row->past[i] ? bars[utf8][(row->past[i] * 7 + most - 1) / most] : " ");
        }
    }
    report_string(report, text);
}

static void add_follow_row(const struct top *t, struct report *report, const struct follow_row *row,
                           FILE *out) {
    const struct follow *f = &t->rows.follow;
    double window = (double)(f->now - f->from);
    bool range = row->style == SPAN_PUSH_POP || row->style == SPAN_START_END,
         ended = range && row->ended.count;

    report_number(report, range ? 100 * row->time_now / window : NAN);
    report_number(report, range ? 100 * row->time / (double)f->now : NAN);
    report_number(report, (double)row->count_now * 1e9 / window);
    report_number(report, ended ? row->ended.total / (double)row->ended.count : NAN);
    report_number(report, ended ? distribution_quantile(&row->ended, 0.99) : NAN);
    report_number(report, range ? (double)row->open : NAN);
    report_number(report, row->open ? (double)row->open_for : NAN);
    report_number(report, (double)row->count);
    report_string(report, span_style_names[row->style]);
    report_range(report, source_of(t), row->domain_name, row->text, row->color, 0,
                 t->style.form == REPORT_TABLE);
    report_number(report, row->style == SPAN_COUNTER ? row->value : NAN);
    past_cell(t, report, row, out);
}

static void add_rows(const struct top *t, struct report *report, unsigned styles, FILE *out) {
    report_begin(report, top_columns, TOP_COLUMNS);
    for (size_t i = 0; i < t->rows.count; i++) {
        const struct follow_row *row = &t->rows.rows[i];
        if (styles >> row->style & 1u && is_row_wanted(t, row)) {
            add_follow_row(t, report, row, out);
        }
    }
    report_sort(report, top_columns[t->sort].key);
}

static void print_rows(const struct top *t, FILE *out) {
    static const struct {
        unsigned styles;
        size_t count, columns[TOP_COLUMNS];
    } tables[] = {
        {1u << SPAN_PUSH_POP | 1u << SPAN_START_END,
         10,
         {NAME, NOW, RATE, OLDEST, AVG, P99, PAST, SINCE, OPEN, COUNT}},
        {1u << SPAN_MARK | 1u << SPAN_COUNTER, 5, {NAME, VALUE, RATE, PAST, COUNT}},
    };
    struct report report;

    if (t->style.form != REPORT_TABLE || t->style.column_count) {
        add_rows(t, &report, ~0u, out);
        report_print(&report, &t->style, out);
        report_free(&report);
        return;
    }
    for (size_t i = 0; i < 2; i++) {
        add_rows(t, &report, tables[i].styles, out);
        report.minor = i > 0;
        if (report.count) {
            fputs(i ? "\n" : "", out);
            report_print_table(&report, &t->style, tables[i].columns, tables[i].count, out);
        }
        report_free(&report);
    }
}

/* Adds an open range, if its name is wanted. For people, if *title is not NULL, first adds *title
 * as a line of its own. Then sets *title to NULL. */
static void nest_row(const struct top *t, struct report *report, const char *thread,
                     const char **title, size_t depth, const struct follow_open *open) {
    const struct follow_row *row = &t->rows.rows[open->row];
    bool people = t->style.form == REPORT_TABLE;

    if (!is_row_wanted(t, row)) {
        return;
    }
    if (people && *title) {
        report_string(report, "");
        report_number(report, NAN);
        report_number(report, NAN);
        report_string(report, *title);
    }
    *title = NULL;
    report_string(report, thread);
    report_number(report, (double)depth);
    report_number(report, (double)open->lasted);
    report_range(report, source_of(t), row->domain_name, row->text, row->color,
                 people ? 2 * depth + 2 : 0, people);
}

/* Prints the ranges that are open now, thread by thread. */
static void print_nest(const struct top *t, FILE *out) {
    const struct follow_rows *rows = &t->rows;
    const struct source *source = &rows->follow.recording.source;
    const struct follow_open *before = NULL; /* the previous pushed range */
    struct report report;
    char thread[280] = "";
    const char *title = NULL;
    size_t depth = 0;

    report_begin(&report, nest_columns, NEST_COLUMNS);
    for (size_t i = 0; i < rows->open_count; i++) {
        const struct follow_open *open = &rows->open[i];
        if (open->style != SPAN_PUSH_POP) {
            continue;
        }
        if (!before || before->process != open->process || before->tid != open->tid) {
            uint32_t name = source_thread(&source->processes[open->process], open->tid);
            snprintf(thread, sizeof(thread), "%u%s%.200s", open->tid, name ? " " : "",
                     string_table_get(&source->strings, name));
            title = thread;
            depth = 0;
        }
        nest_row(t, &report, thread, &title, depth++, open);
        before = open;
    }
    title = "process ranges";
    for (size_t i = 0; i < rows->open_count; i++) {
        if (rows->open[i].style != SPAN_PUSH_POP) {
            nest_row(t, &report, "", &title, 0, &rows->open[i]);
        }
    }
    report_print(&report, &t->style, out);
    report_free(&report);
}

static void print_head(const struct top *t, FILE *out) {
    const struct follow *f = &t->rows.follow;
    bool utf8 = terminal_of(out, REPORT_COLOR_NEVER).utf8;
    uint64_t ended = 0;
    char time[64];

    for (size_t i = 0; i < t->rows.count; i++) {
        ended += t->rows.rows[i].style == SPAN_COUNTER ? 0 : t->rows.rows[i].count_now;
    }
    figure_time((double)f->now, 0, 0, utf8, time);
    fprintf(out, "%s %s, %zu of %zu %s busy, %.0f ranges and marks a second, %llu dropped\n\n",
            f->ended ? "ended after" : "after", time, t->rows.busy.count, t->rows.threads,
            PLURAL(t->rows.threads, "thread", "threads"),
            (double)ended * 1e9 / (double)(f->now - f->from), (unsigned long long)f->dropped);
}

void top_print(const struct top *t, FILE *out) {
    if (t->style.form == REPORT_TABLE) {
        print_head(t, out);
    }
    (t->nest ? print_nest : print_rows)(t, out);
}
