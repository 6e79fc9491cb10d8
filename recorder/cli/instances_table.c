/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* nvtxh stats --slowest and --histogram: the instances of one range. */
#include "cli.h"
#include "../analysis/name.h"
#include "../output/finding.h"
#include "options.h"
#include "stats_tables.h"
#include "../util/memory.h"
#include "../output/quote.h"
#include "../analysis/summary.h"

#include <stdlib.h>
#include <string.h>

enum {
    USUAL_LIMIT = 20, /* how many instances --slowest shows without --limit */
    BINS = 16,        /* bins of --histogram: they fit on a terminal of 24 lines */
    BAR = 30,         /* characters of the longest bar */
};

static const struct report_column slowest_columns[] = {
    {"Duration (ns)", "duration", REPORT_NS, 0, 0, "Duration", 1},
    {"Start (ns)", "start", REPORT_MOMENT, 0, 0, "Start", 2},
    {"Self (ns)", "self", REPORT_NS, 0, 0, "Self", 5},
    {"Thread", "thread", REPORT_TEXT, 0, 0, "Thread", 3},
    {"PID", "pid", REPORT_NUMBER, 0, 0, "PID", 0}, /* people see it in the name of the thread */
    {"Rank", "rank", REPORT_NUMBER, 0, 0, "Rank", 0},
    {"Payload", "payload", REPORT_TEXT, 0, 0, "Payload", 4},
    {"Open", "open", REPORT_NUMBER, 0, 0, "Open", 9},
    {"Style", "style", REPORT_TEXT, 0, 0, "Style", 10},
    {"CPU (ns)", "cpu", REPORT_NS, 0, 0, "CPU", 6}, /* this and the next two: as in stats */
    {"Blocked (ns)", "blocked", REPORT_NS, 0, 0, "Blocked", 7},
    {"Preempted (ns)", "preempted", REPORT_NS, 0, 0, "Preempted", 8},
    {"Why", "why", REPORT_OBJECTS, 0, 0, "Why", 0}, /* of the longest instance */
};

static const struct report_column histogram_columns[] = {
    {"From (ns)", "from", REPORT_NS, 0, 0, "From", 1},
    {"To (ns)", "to", REPORT_NS, 0, 0, "To", 2},
    {"Instances", "instances", REPORT_NUMBER, 0, 0, "Count", 3},
    {"Instances (%)", "share", REPORT_SHARE, -1, 1, "Share", 4},
    {"Style", "style", REPORT_TEXT, 0, 0, "Style", 5},
};

/* Prints the rows, or says that there are none. `below`: more lines for people, or NULL. */
static int print(struct report *report, struct source *source, const char *path,
                 const struct report_style *style, const struct span_totals *totals,
                 const char *below) {
    bool is_none = !report->rows;

    if (report->rows || style->form != REPORT_TABLE) {
        report_print(report, style, stdout);
    }
    if (below) {
        size_t width = terminal_of(stdout, (enum report_color)style->color).width;
        putchar('\n');
        text_wrap(stdout, below, width ? width : SIZE_MAX, 0, 2);
    }
    fflush(stdout);
    if (is_none) {
        options_no_match("nothing", source->filter, &source, 1, path);
    }
    losses_print_all(source, totals, stderr);
    report_free(report);
    return is_none ? EXIT_FAILED : EXIT_DONE;
}

/* The longest instances. Whenever `all` has 2 * `most` elements, the shorter half is dropped. */
struct slowest {
    struct span *all;
    size_t count, capacity, most;
    bool dropped; /* some were dropped; an instance shorter than all[most - 1] is no longer added */
    struct distribution durations[2]; /* of all instances, by style */
    size_t budget;
};

ARRAY_ORDER(by_duration, struct span,
            ORDER(y->end - y->start, x->end - x->start) ?: ORDER(x->start, y->start)
            ?: ORDER(x->process->number, y->process->number) ?: ORDER(x->tid, y->tid))

static void keep_longest(struct slowest *l) {
    ARRAY_SORT(l->all, l->count, by_duration);
    l->count = l->count < l->most ? l->count : l->most;
}

static void add_span(void *arg, const struct span *s) {
    struct slowest *l = arg;
    bool is_range = s->style == SPAN_PUSH_POP || s->style == SPAN_START_END;

    if (is_range) {
        distribution_add(&l->durations[s->style], &l->budget, (uint64_t)(s->end - s->start));
    }
    if (!is_range || (l->dropped && by_duration(s, &l->all[l->most - 1]) > 0)) {
        return;
    }
    *ARRAY_NEW(l->all, l->count, l->capacity) = *s;
    if (l->count / 2 >= l->most) {
        keep_longest(l);
        l->dropped = true;
    }
}

static void add_instance(struct report *report, struct source *source, const struct span *s,
                         bool for_people, const char *why) {
    uint32_t rank = s->process->identity.rank;
    struct value payload = value_of_span(s);
    double *off = NULL;
    char digits[VALUE_DIGITS], *fields = payload_text(source, s, false);
    size_t size;
    char *thread =
        name_of_thread(source, s->process, s->tid, s->process->pid, for_people, true, &size);

    report_number(report, (double)(s->end - s->start));
    report_number(report, (double)s->start);
    report_number(report, s->style == SPAN_PUSH_POP ? (double)s->self : NAN);
    report_text(report, thread, size);
    report_number(report, s->process->pid);
    report_number(report, rank == REC_RANK_NONE ? NAN : (double)rank);
    report_string(report, fields ? fields : value_digits(&payload, digits));
    /* in a table, empty if the range has ended: a column of empty cells is not shown */
    report_number(report, s->open ? 1 : for_people ? NAN : 0);
    report_string(report, span_style_names[s->style]);
    if (s->style == SPAN_PUSH_POP) {
        spans_add_off(&off, 0, s);
    }
    for (int i = SPANS_CPU; i <= SPANS_PREEMPTED; i++) {
        report_number(report, spans_time(off, (double)(s->end - s->start), i));
    }
    if (why) {
        report_string(report, why);
    } else {
        report_number(report, NAN);
    }
    free(thread);
    free(fields);
    free(off);
}

/* Why the longest instance took so long: for people, or as JSON if that is wanted. NULL: it took no
 * time, or this is not wanted. Free the text. */
static char *why_of(struct slowest *l, struct source *source, const struct report_style *style) {
    bool for_people = style->form == REPORT_TABLE,
         as_json = style->column_count ? report_is_among("why", style->columns, style->column_count)
                                       : style->form == REPORT_JSON;
    struct fold fold = {.which = FOLD_ALL};
    struct explanation e;

    if (!l->count || l->all[0].start == l->all[0].end || (!for_people && !as_json)) {
        return NULL;
    }
    struct distribution *d = &l->durations[l->all[0].style];
    distribution_finish(d);
    if (strchr(source->filter->exact, '#')) {
        fold_use(&fold, &source, 1);
    }
    explain(&e, source, &l->all[0], distribution_quantile(d, 0.5));
    source->fold = NULL;
    struct terminal terminal = terminal_of(stdout, (enum report_color)style->color);
    char *text =
        for_people ? explanation_text(source, &e, terminal.utf8) : explanation_json(source, &e);
    explanation_free(&e);
    fold_free(&fold);
    return text;
}

static int print_slowest(const struct stats_table *table, struct source *source, const char *path,
                         const char *sort, const struct report_style *style) {
    (void)sort;
    struct report_style own = *style;
    struct slowest l = {.budget = DISTRIBUTION_BUDGET};
    struct span_totals totals;
    struct report report;
    bool for_people = style->form == REPORT_TABLE;

    own.limit = isnan(own.limit) ? USUAL_LIMIT : own.limit;
    l.most = own.limit >= 1 ? (size_t)own.limit : SIZE_MAX;
    spans_each(source, add_span, NULL, &l, &totals);
    keep_longest(&l);
    char *why = why_of(&l, source, style);
    cli_progress_done();
    int status = cli_was_read(source, path) ? EXIT_DONE : EXIT_FAILED;
    report_begin(&report, slowest_columns, table->count);
    for (size_t i = 0; i < l.count && !status; i++) {
        add_instance(&report, source, &l.all[i], for_people, i || for_people ? NULL : why);
    }
    free(l.all);
    distribution_free(&l.durations[0]);
    distribution_free(&l.durations[1]);
    status = status ? status : print(&report, source, path, &own, &totals, for_people ? why : NULL);
    free(why);
    return status;
}

/* Adds a row for each bin. The bins reach from the shortest to the longest instance. On a
 * logarithmic axis, they are equally wide, apart from rounding to whole ns. */
static void add_bins(struct report *report, const struct summary_row *row, bool with_style) {
    const struct distribution *d = &row->durations;
    double low = d->min ? (double)d->min : 1, growth = ((double)d->max + 1) / low;
    uint64_t from = d->min, counted = 0;

    for (int i = 1; i <= BINS; i++) {
        uint64_t to =
            i < BINS ? (uint64_t)llround(low * pow(growth, (double)i / BINS)) : d->max + 1;
        if (to <= from) {
            continue;
        }
        uint64_t below = distribution_below(d, to);
        double percent = 100 * (double)(below - counted) / (double)d->count;
        report_number(report, (double)from);
        report_number(report, (double)to);
        report_number(report, (double)(below - counted));
        report_number(report, percent);
        report_string(report, with_style ? span_style_names[row->style] : "");
        report->full = fmax(report->full, percent);
        from = to;
        counted = below;
    }
}

static int print_histogram(const struct stats_table *table, struct source *source, const char *path,
                           const char *sort, const struct report_style *style) {
    (void)sort;
    struct summary s;
    struct report report;

    summary_make(&s, source, BY_RANGE);
    cli_progress_done();
    int status = cli_was_read(source, path) ? EXIT_DONE : EXIT_FAILED;
    report_begin(&report, histogram_columns, table->count);
    report.bar = BAR;
    report.full = 0;
    bool with_style =
        style->form != REPORT_TABLE || (s.count > 1 && s.rows[1].style == SPAN_START_END);
    for (size_t i = 0; i < s.count && s.rows[i].style < SPAN_MARK; i++) {
        add_bins(&report, &s.rows[i], with_style);
    }
    status = status ? status : print(&report, source, path, style, &s.totals, NULL);
    summary_free(&s);
    return status;
}

const struct stats_table slowest_table = {"slowest", slowest_columns,
                                          sizeof(slowest_columns) / sizeof(slowest_columns[0]),
                                          false, print_slowest};
const struct stats_table histogram_table = {
    "histogram", histogram_columns, sizeof(histogram_columns) / sizeof(histogram_columns[0]), false,
    print_histogram};
