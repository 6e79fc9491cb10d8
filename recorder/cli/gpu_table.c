/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "stats_tables.h"
#include "../sums/gpu.h"

#include <stdlib.h>

static const struct report_column gpu_columns[] = {
    {"GPU Time (%)", "gpu_share", REPORT_SHARE, 1, 1, "Share", 3},
    {"GPU Busy (ns)", "gpu_busy", REPORT_NS, 0, 0, "GPU Busy", 2},
    {"GPU Ops", "gpu_ops", REPORT_NUMBER, 0, 0, "Ops", 4},
    {"GPU Sum (ns)", "gpu_sum", REPORT_NS, 0, 0, "GPU Sum", 9},
    {"GPU Span (ns)", "gpu_span", REPORT_NS, 0, 0, "GPU Span", 8},
    {"GPU Idle (ns)", "gpu_idle", REPORT_NS, 0, 0, "GPU Idle", 5},
    {"Launch (ns)", "launch", REPORT_NS, 1, 0, "Launch", 7},
    {"Copied (bytes)", "copied", REPORT_NUMBER, 0, 0, "Bytes", 10},
    {"Copy Rate (GB/s)", "copy_rate", REPORT_NUMBER, 3, 1, "GB/s", 11},
    {"Total Time (ns)", "total", REPORT_NS, 0, 0, "Host", 6},
    {"Instances", "instances", REPORT_NUMBER, 0, 0, "Count", 12},
    {"Style", "style", REPORT_TEXT, 0, 0, "Style", 13},
    {"Range", "name", REPORT_TEXT, 0, 0, NULL, 1},
};

static void name_cell(struct report *report, const struct texts *texts, const struct gpu_row *row, bool for_people)
{
    size_t size;
    char *name = texts_range(texts, row->domain_name, row->text, for_people, 0, &size);

    report_text(report, name, size);
    report_mark(report, row->color);
    free(name);
}

static void add_gpu_row(struct report *report, const struct gpu *g, const struct gpu_row *row, bool for_people)
{
    bool is_range = row != g->rows;
    double all = g->busy.total > 0 ? g->busy.total : 1;
    const double numbers[] = {100 * row->busy.total / all,
                              row->busy.total,
                              (double)row->ops,
                              row->sum,
                              row->span,
                              is_range ? row->around.total - row->busy.total : 0,
                              distribution_quantile(&row->launch, 0.5),
                              row->copied,
                              row->copying > 0 ? row->copied / row->copying : NAN,
                              row->total,
                              (double)row->instances};

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]) && row->ops; i++) {
        report_number(report, numbers[i]);
    }
    if (row->ops && is_range) {
        report_string(report, span_style_names[row->style]);
        name_cell(report, &g->source->texts, row, for_people);
    } else if (row->ops) {
        report_string(report, "None");
        report_string(report, "(no range)");
    }
}

static int print_gpu(struct source *source, const char *path, const struct report_style *style)
{
    bool for_people = style->form == REPORT_TABLE;
    struct report report;
    struct error error;
    struct gpu g;
    bool is_done = gpu_make(&g, source, &error);

    cli_progress_done();
    if (is_done) {
        report_begin(&report, gpu_columns, gpu_table.count);
        for (size_t i = 1; i <= g.count; i++) {
            add_gpu_row(&report, &g, &g.rows[i % g.count], for_people);
        }
        if (report.rows || !for_people) {
            report_print(&report, style, stdout);
        } else {
            cli_say("%s: no operation of a GPU was recorded", path);
        }
        report_free(&report);
        fflush(stdout);
        losses_print_all(source, &g.totals, stderr);
    } else {
        cli_fail("%s: %s", path, error.text);
    }
    gpu_free(&g);
    return is_done ? EXIT_DONE : EXIT_FAILED;
}

const struct stats_table gpu_table = {"gpu", gpu_columns, sizeof(gpu_columns) / sizeof(gpu_columns[0]), print_gpu};
