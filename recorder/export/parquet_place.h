/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_EXPORT_PARQUET_PLACE_H
#define NVTXH_EXPORT_PARQUET_PLACE_H
/* In which directory, below that of a table, the files of a process are: job=JOB/host=HOST/rank=RANK. Query engines
 * know such names from Hive's partitions, and make columns of them. */
#include "../source/source.h"

#include <stddef.h>

enum { PARQUET_PLACE = 640 };
void parquet_place(const struct source_process *p, char ret[PARQUET_PLACE]);

#endif /* NVTXH_EXPORT_PARQUET_PLACE_H */
