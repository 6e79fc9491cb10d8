/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_GPU_TABLE_H
#define NVTXH_CLI_GPU_TABLE_H
/* The table of nvtxh stats --gpu. */
#include "../report/report.h"
#include "../source/source.h"

/* Prints the table. An exit status. */
int gpu_table(struct source *source, const char *path, const struct report_style *style);

#endif /* NVTXH_CLI_GPU_TABLE_H */
