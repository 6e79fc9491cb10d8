/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SUMS_RANK_ROWS_H
#define NVTXH_SUMS_RANK_ROWS_H
/* How ranks differ: for each range, its time on each rank; for ranges that all ranks share, which rank comes late. */
#include "ranks.h"

/* A range on all ranks. The time of a rank is the sum of the range's durations on it. */
struct rank_row {
    uint32_t range;
    size_t ranks;
    double instances, median, least, most; /* of the ranks; instances: the median; others in ns */
    double spread;                         /* ns, between the quartiles */
    double imbalance; /* percent by which the slowest rank is above the median */
    const struct rank *slowest;
    /* Ranks above the median by more than 5 % and by more than 5 standard deviations. */
    size_t outliers;
    /* Only of a range that all ranks leave together, such as a barrier; else `last` is NULL. A long duration of such
     * a range means that the rank waited; a late arrival means that others waited for the rank. */
    const struct rank *last; /* the rank that is most often the last to arrive */
    double last_share;       /* in how many percent of the instances */
    double late, error;      /* ns: its median time after the median rank; the clocks' error */
};

/* How late each rank comes to instances of a range. */
struct rank_arrivals {
    size_t count;  /* of instances */
    double *late;  /* ns after the median rank, at [rank * count + instance]; NaN: not known */
    size_t *lasts; /* of each rank, how often it was the last */
};

/* The rows, those with the longest median first. The caller frees them. */
struct rank_row *rank_rows_make(const struct ranks *all, size_t *ret_count);
struct rank_arrivals rank_arrivals_make(const struct ranks *all, uint32_t range);
void rank_arrivals_free(struct rank_arrivals *a);

/* The median lateness of a rank; NaN if it is not known for any instance. */
double rank_late(const struct ranks *all, const struct rank_arrivals *a, const struct rank *rank);

/* The largest error of the clocks between a rank and a rank of another host, in ns. */
double rank_error(const struct ranks *all, const struct rank *rank);

#endif /* NVTXH_SUMS_RANK_ROWS_H */
