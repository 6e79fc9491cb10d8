/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_HEAT_MAP_H
#define NVTXH_CLI_HEAT_MAP_H
/* A heat map for people: how late ranks come to a range, over time. Darker is later. */
#include "../report/report.h"
#include "../sums/rank_rows.h"

void heat_map_print(const struct ranks *all, const struct rank_arrivals *arrivals,
                    const struct report_style *style, FILE *out);

#endif /* NVTXH_CLI_HEAT_MAP_H */
