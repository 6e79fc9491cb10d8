/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_RANK_ROWS_H
#define NVTXH_READ_RANK_ROWS_H
/* What ranks differ in: of each range, and who comes late to a range that they share. */
#include "rank_clocks.h"

/* A rank's figure is the sum of its durations. */
struct rank_row {
    uint32_t range;
    size_t ranks;
    double instances, median, least, most; /* of ranks; ns */
    double spread;                         /* ns, between the quartiles */
    double imbalance;                      /* percent that the slowest is above the median */
    const struct rank *slowest;
    size_t outliers; /* ranks that are above by 5 % and by five times what most differ by */
    /* Of a range that all leave together: there durations say who waited, and arrivals who was waited for. NULL: it is none. */
    const struct rank *last; /* most often */
    double last_share;       /* percent of instances */
    double late, error;      /* ns after the median rank, the median; what the clocks may be off */
};

/* How late each rank comes to instances of a range. */
struct rank_arrivals {
    size_t count;  /* of instances */
    double *late;  /* rank by rank, ns after the median; NaN: not known */
    size_t *lasts; /* of each rank, how often it was the last */
};

/* Free them. The rows by the median of a rank's time. */
struct rank_row *rank_rows_make(const struct ranks *all, size_t *ret_count);
struct rank_arrivals rank_arrivals_make(const struct ranks *all, uint32_t range);
void rank_arrivals_free(struct rank_arrivals *a);

/* The median of a rank's; NaN if it has none. */
double rank_late(const struct ranks *all, const struct rank_arrivals *a, const struct rank *rank);

/* What the clocks of a rank and of any other may be off, in ns. */
double rank_error(const struct ranks *all, const struct rank *rank);

#endif /* NVTXH_READ_RANK_ROWS_H */
