/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_GPU_TABLE_H
#define NVTXH_CLI_GPU_TABLE_H
/* The table of nvtxh stats --gpu. */
#include "../report/report.h"
#include "../source/source.h"

enum { GPU_COLUMNS = 13 };
extern const struct report_column gpu_columns[GPU_COLUMNS];

/* Prints the table. An exit status. */
int gpu_table(struct source *source, const char *path, const struct report_style *style);

#endif /* NVTXH_CLI_GPU_TABLE_H */
