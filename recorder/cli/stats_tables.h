/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Tables that nvtxh stats prints in place of the usual one, and the columns of nvtxh tree --gpu. */
#include "../output/report.h"
#include "../analysis/gpu.h"

struct stats_table {
    const char *option; /* the option that asks for the table */
    const struct report_column *columns;
    size_t count;
    bool has_sort; /* --sort can be used */
    /* `sort`: the key of a column, or NULL. Returns an exit status. */
    int (*print)(const struct stats_table *table, struct source *source, const char *path,
                 const char *sort, const struct report_style *style);
};
/* slowest_table and histogram_table show the instances of the range that filter.exact names. */
extern const struct stats_table gpu_table, kernel_table, gpu_kernel_table, slowest_table,
    histogram_table, program_table;

enum { GPU_TREE_COLUMNS = 15 };
extern const struct report_column gpu_tree_columns[GPU_TREE_COLUMNS];
/* Adds a row's first cells, all numbers. In a thread's row, cells about instances are empty. */
void gpu_cells(struct report *report, const struct gpu *g, const struct gpu_row *row,
               bool is_thread);
