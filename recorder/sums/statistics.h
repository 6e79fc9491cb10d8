/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SUMS_STATISTICS_H
#define NVTXH_SUMS_STATISTICS_H
/*
 * Recordings that hold statistics only: no events, but a row for each name, with a histogram of the durations. For
 * them, recording.is_statistics is true.
 */
#include "summary.h"

/* The message, after the file's name, of a command that needs events. */
#define STATISTICS_ONLY                                                                            \
    "holds statistics only (recorded with --stats-only): nvtxh stats, top and diff read it"

struct statistics_row {
    const struct process *process; /* the command that wrote the row */
    struct summary_row row;        /* its durations are finished; its drift is NULL */
    struct rec_drift drift;
};

/* Calls f for each row, which is valid during the call. Rows of one name differ in category. Invalid rows are left out
 * and counted as damage. */
void statistics_each(struct recording *r, void (*f)(void *arg, const struct statistics_row *row),
                     void *arg);

#endif /* NVTXH_SUMS_STATISTICS_H */
