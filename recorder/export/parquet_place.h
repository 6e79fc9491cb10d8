/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_EXPORT_PARQUET_PLACE_H
#define NVTXH_EXPORT_PARQUET_PLACE_H
/* Where the files of a process are, below a table's directory: job=JOB/host=HOST/rank=RANK, like Hive's partitions. */
#include "../read/recording.h"

#include <stddef.h>

enum { PARQUET_PLACE = 640 };
void parquet_place(const struct process *p, char ret[PARQUET_PLACE]);

#endif /* NVTXH_EXPORT_PARQUET_PLACE_H */
