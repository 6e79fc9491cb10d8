/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "../analysis/findings.h"
#include "../analysis/name.h"
#include "options.h"
#include "stats_tables.h"

#include <stdlib.h>

/* clang-format off */
#define OF_ALL \
    {"GPU Time (%)", "gpu_share", REPORT_SHARE, -1, 1, "Share", 4}, \
    {"GPU Busy (ns)", "gpu_busy", REPORT_NS, 0, 0, "GPU Busy", 3}, \
    {"GPU Ops", "gpu_ops", REPORT_NUMBER, 0, 0, "Ops", 5}, \
    {"GPU Sum (ns)", "gpu_sum", REPORT_NS, 0, 0, "GPU Sum", 13}
#define OF_SPANS \
    {"GPU Span (ns)", "gpu_span", REPORT_NS, 0, 0, "GPU Span", 12}, \
    {"GPU Idle (ns)", "gpu_idle", REPORT_NS, 0, 0, "GPU Idle", 6}
#define OF_LENGTHS \
    {"Avg (ns)", "avg", REPORT_NS, 1, 0, "Avg", 14}, \
    {"Med (ns)", "med", REPORT_NS, 1, 0, "Med", 8}, \
    {"Min (ns)", "min", REPORT_NS, 0, 0, "Min", 10}, \
    {"Max (ns)", "max", REPORT_NS, 0, 0, "Max", 9}, \
    {"StdDev (ns)", "stddev", REPORT_NS, 1, 0, "StdDev", 18}
#define OF_LAUNCHES \
    {"Launch (ns)", "launch", REPORT_NS, 1, 0, "Launch", 11}, \
    {"Copied (bytes)", "copied", REPORT_NUMBER, 0, 0, "Bytes", 15}, \
    {"Copy Rate (GB/s)", "copy_rate", REPORT_NUMBER, 3, 1, "GB/s", 16}
#define OF_HOST \
    {"Total Time (ns)", "total", REPORT_NS, 0, 0, "Host", 7}, \
    {"Instances", "instances", REPORT_NUMBER, 0, 0, "Count", 17}
#define OF_RANGE(key) \
    {"Style", "style", REPORT_TEXT, 0, 0, "Style", 19}, \
    {"Range", key, REPORT_TEXT, 0, 0, NULL, 1}
#define OF_PLACE \
    {"Thread", "thread", REPORT_TEXT, 0, 0, NULL, 0}, \
    {"Depth", "depth", REPORT_NUMBER, 0, 0, NULL, 0}
#define OF_KERNEL {"Kernel", "kernel", REPORT_TEXT, 0, 0, NULL, 2}
/* clang-format on */

static const struct report_column by_range[] = {OF_ALL, OF_SPANS, OF_LAUNCHES, OF_HOST,
                                                OF_RANGE("name")};
static const struct report_column by_kernel[] = {OF_ALL, OF_LENGTHS, OF_LAUNCHES, OF_KERNEL};
static const struct report_column by_both[] = {OF_ALL, OF_LENGTHS, OF_LAUNCHES, OF_RANGE("name"),
                                               OF_KERNEL};
const struct report_column gpu_tree_columns[] = {OF_ALL,  OF_SPANS, OF_LAUNCHES,
                                                 OF_HOST, OF_PLACE, OF_RANGE("range")};

static void kernel_cell(struct report *report, const struct str *kernel, bool for_people) {
    size_t size = kernel->size;
    char *name = for_people ? name_of_function(kernel, &size) : NULL;

    report_text(report, name ? name : kernel->bytes, size);
    free(name);
}

/* The cells are in the order of the columns above. */
void gpu_cells(struct report *report, const struct gpu *g, const struct gpu_row *row,
               bool is_thread) {
    const struct distribution *d = &row->lengths;

    report_number(report, g->busy.total > 0 ? 100 * row->busy.total / g->busy.total : 0);
    report_number(report, row->busy.total);
    report_number(report, (double)row->ops);
    report_number(report, row->sum);
    if (g->by >= GPU_BY_RANGE) {
        report_number(report, is_thread ? NAN : row->span);
        report_number(report, is_thread                 ? NAN
                              : row->style != SPAN_MARK ? row->around.total - row->busy.total
                                                        : 0);
    } else {
        report_number(report, d->total / (double)d->count);
        report_number(report, distribution_quantile(d, 0.5));
        report_number(report, (double)d->min);
        report_number(report, (double)d->max);
        report_number(report, distribution_deviation(d));
    }
    report_number(report, distribution_quantile(&row->launch, 0.5));
    report_number(report, row->copied);
    report_number(report, row->copying > 0 ? row->copied / row->copying : NAN);
    if (g->by >= GPU_BY_RANGE) {
        report_number(report, is_thread ? NAN : row->total);
        report_number(report, is_thread ? NAN : (double)row->instances);
    }
}

static void add_gpu_row(struct report *report, const struct gpu *g, const struct gpu_row *row,
                        bool for_people) {
    const struct string_table *strings = &g->source->strings;
    bool is_range = row->style != SPAN_MARK;

    gpu_cells(report, g, row, false);
    if (g->by != GPU_BY_KERNEL) {
        report_string(report, is_range ? span_style_names[row->style] : "None");
        if (is_range) {
            report_range(report, g->source, row->domain_name, row->text, row->color, 0, for_people);
        } else {
            report_string(report, "(no range)");
        }
    }
    if (g->by != GPU_BY_RANGE) {
        kernel_cell(report, string_table_at(strings, row->kernel), for_people);
    }
}

static int print_gpu(const struct stats_table *table, struct source *source, const char *path,
                     const char *sort, const struct report_style *style) {
    enum gpu_by by = table == &gpu_table      ? GPU_BY_RANGE
                     : table == &kernel_table ? GPU_BY_KERNEL
                                              : GPU_BY_RANGE_AND_KERNEL;
    bool for_people = style->form == REPORT_TABLE;
    struct report report;
    struct error error;
    struct gpu g;
    bool is_done = gpu_make(&g, source, by, 1, &error);

    cli_progress_done();
    report_begin(&report, table->columns, table->count);
    for (size_t i = 1; i <= g.count; i++) {
        if (g.rows[i % g.count].ops) {
            add_gpu_row(&report, &g, &g.rows[i % g.count], for_people);
        }
    }
    report_sort(&report, sort);
    int status = is_done ? EXIT_DONE : cli_fail("%s: %s", path, error.text);
    if (is_done && (report.rows || !for_people)) {
        report_print(&report, style, stdout);
        if (by == GPU_BY_RANGE && for_people) {
            struct findings f = findings_of_gpu(&g);
            cli_findings(&f, style);
        }
        fflush(stdout);
    }
    if (is_done && !report.rows && source->filter && source->filter->is_given) {
        status = options_no_match("no operation of a GPU", source->filter, &source, 1, path);
    } else if (is_done && !report.rows) {
        cli_no_operations(path);
    }
    if (is_done) {
        losses_print_all(source, &g.totals, stderr);
    }
    report_free(&report);
    gpu_free(&g);
    return status;
}

#define COUNT(columns) (sizeof(columns) / sizeof((columns)[0]))
const struct stats_table gpu_table = {"gpu", by_range, COUNT(by_range), true, print_gpu};
const struct stats_table kernel_table = {"by kernel", by_kernel, COUNT(by_kernel), true, print_gpu};
const struct stats_table gpu_kernel_table = {"gpu --by kernel", by_both, COUNT(by_both), true,
                                             print_gpu};
