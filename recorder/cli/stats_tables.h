/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_STATS_TABLES_H
#define NVTXH_CLI_STATS_TABLES_H
/* The tables of nvtxh stats in place of the usual one. */
#include "../report/report.h"

struct stats_table {
    const char *option; /* that asks for it */
    const struct report_column *columns;
    size_t count;
    bool has_sort; /* --sort can be used */
    /* `sort`: the key of a column, or NULL. Returns an exit status. */
    int (*print)(const struct stats_table *table, struct source *source, const char *path, const char *sort,
                 const struct report_style *style);
};
/* slowest_table and histogram_table: of the range filter.exact. */
extern const struct stats_table gpu_table, kernel_table, gpu_kernel_table, slowest_table, histogram_table;

#endif /* NVTXH_CLI_STATS_TABLES_H */
