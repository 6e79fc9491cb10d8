/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_RANK_TABLES_H
#define NVTXH_CLI_RANK_TABLES_H
/* The two tables of `nvtxh ranks`: a row for each range, and one for each rank. */
#include "../report/report.h"
#include "../sums/rank_rows.h"

enum { RANK_RANGE_COLUMNS = 16, RANK_COLUMNS = 9 };
extern const struct report_column rank_range_columns[RANK_RANGE_COLUMNS];
extern const struct report_column rank_columns[RANK_COLUMNS];

void rank_ranges_print(const struct ranks *all, const struct rank_row *rows, size_t count,
                       const struct report_style *style, FILE *out);
/* `minor`: printed after another table, so with fewer rows. */
void rank_ranks_print(const struct ranks *all, const struct rank_arrivals *arrivals,
                      const struct report_style *style, bool minor, FILE *out);

#endif /* NVTXH_CLI_RANK_TABLES_H */
