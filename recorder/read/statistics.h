/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_STATISTICS_H
#define NVTXH_READ_STATISTICS_H
/*
 * Recordings that hold statistics only: no events, but a row for each name, with a histogram of the durations.
 * recording.is_statistics says that it is one.
 */
#include "summary.h"

/* What is said of it, after its name, where events are wanted. */
#define STATISTICS_ONLY                                                                            \
    "holds statistics only (recorded with --stats-only): nvtxh stats, top and diff read it"

struct statistics_row {
    const struct process *process; /* the command that wrote it */
    struct summary_row row;        /* with durations that are finished, and without drift: */
    struct rec_drift drift;
};

/* Calls f for each row; those of one name differ in their category. What makes no sense is left out and counted as
 * damage. The row lasts for the call. */
void statistics_each(struct recording *r, void (*f)(void *arg, const struct statistics_row *row),
                     void *arg);

#endif /* NVTXH_READ_STATISTICS_H */
