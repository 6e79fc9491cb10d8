/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_DISTRIBUTION_H
#define NVTXH_READ_DISTRIBUTION_H
/*
 * A distribution of durations in bounded memory. Number, total, smallest, largest, mean and deviation are exact. So are
 * quantiles, unless the budget that several distributions share is used up: from then on, new values are counted in
 * bins of 0.1 %.
 */
#include "map.h"

struct distribution_budget {
    size_t left;      /* samples that may still be kept one by one */
    unsigned coarser; /* bins are 2^coarser times as wide */
};
#define DISTRIBUTION_BITS 10                   /* below the highest bit, to select the bin */
#define DISTRIBUTION_BUDGET ((size_t)12 << 20) /* 96 MiB */

struct distribution {
    uint64_t count, min, max;
    double total, mean, squares; /* squares: the sum of the squared distances from the mean */
    uint64_t *values;            /* one by one; or, once in bins, the bins' middles */
    uint64_t *counts;            /* of the bins, after distribution_finish; NULL: each value once */
    uint32_t value_count, room;  /* the budget is less than 2^32 */
    struct map *bins;            /* until distribution_finish; NULL: no bins so far */
};

void distribution_add(struct distribution *s, struct distribution_budget *budget, uint64_t value);

/* Adds another distribution, which is finished. From then on `s` counts in bins. */
void distribution_merge(struct distribution *s, struct distribution_budget *budget,
                        const struct distribution *more);

/* The next bin, in no order, of a distribution that is not finished. *at begins at 0. False: there is none. */
bool distribution_next_bin(const struct distribution *s, size_t *at, uint64_t *ret_low,
                           uint64_t *ret_count);

/* The count of the bin that a value belongs to. */
uint64_t distribution_bin(const struct distribution *s, uint64_t value);

/* Sorts. Call it after the last value. */
void distribution_finish(struct distribution *s);

/* Only after distribution_finish. NaN if there are no values. */
double distribution_quantile(const struct distribution *s, double q);
double distribution_deviation(const struct distribution *s);

void distribution_free(struct distribution *s);

#endif /* NVTXH_READ_DISTRIBUTION_H */
