/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_RANK_ROWS_H
#define NVTXH_READ_RANK_ROWS_H
/* How ranks differ: for each range, its time on each rank, and who comes late to a range that all share. */
#include "rank_clocks.h"

/* The time of a rank is the sum of its durations. */
struct rank_row {
    uint32_t range;
    size_t ranks;
    double instances, median, least, most; /* of ranks; ns */
    double spread;                         /* ns, between the quartiles */
    double imbalance;                      /* percent that the slowest is above the median */
    const struct rank *slowest;
    size_t outliers; /* ranks over the median by 5 % and by 5 deviations */
    /* For a range that all ranks leave together: a long duration means that the rank waited, a late arrival that others
     * waited for it. NULL: it is not such a range. */
    const struct rank *last; /* which rank is most often the last */
    double last_share;       /* percent of the instances */
    double late, error;      /* median of ns after the median rank; error of the clocks */
};

/* How late each rank comes to instances of a range. */
struct rank_arrivals {
    size_t count;  /* of instances */
    double *late;  /* rank by rank, ns after the median rank; NaN: not known */
    size_t *lasts; /* of each rank, how often it was the last */
};

/* The rows, in the order of the median rank's time. Free them. */
struct rank_row *rank_rows_make(const struct ranks *all, size_t *ret_count);
struct rank_arrivals rank_arrivals_make(const struct ranks *all, uint32_t range);
void rank_arrivals_free(struct rank_arrivals *a);

/* The median lateness of a rank; NaN if it has none. */
double rank_late(const struct ranks *all, const struct rank_arrivals *a, const struct rank *rank);

/* The error of the clocks between a rank and any other, in ns. */
double rank_error(const struct ranks *all, const struct rank *rank);

#endif /* NVTXH_READ_RANK_ROWS_H */
