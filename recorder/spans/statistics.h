/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SPANS_STATISTICS_H
#define NVTXH_SPANS_STATISTICS_H
/* Recordings that hold statistics only: no events, but a row for each name, with a histogram of the durations. For
 * them, source.is_statistics is true. */
#include "../read/recording.h"
#include "../sums/summary.h"

/* The message, after the file's name, of a command that needs events. */
#define STATISTICS_ONLY "holds statistics only (recorded with --stats-only): nvtxh stats, top and diff read it"

/* Calls f for each row, which is valid during the call. Rows of one name differ in category. Invalid rows are left out
 * and counted as damage. */
void statistics_each(struct recording *r, void (*f)(void *arg, const struct statistics_row *row), void *arg);

#endif /* NVTXH_SPANS_STATISTICS_H */
