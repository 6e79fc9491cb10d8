/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_SAMPLES_H
#define NVTXH_READ_SAMPLES_H
/*
 * A distribution of durations in bounded memory. Number, total, smallest, largest, mean and
 * deviation are exact. So are quantiles while the budget that several distributions share lasts;
 * one that finds it used up goes on in bins of 0.1 %.
 */
#include "map.h"

struct samples_budget {
    size_t left; /* samples that may still be kept one by one */
};
#define SAMPLES_BUDGET ((size_t)12 << 20) /* 96 MiB */

struct samples {
    uint64_t count, min, max;
    double total, mean, squares; /* squares: the sum of those of the distances from the mean */
    uint64_t *values;            /* one by one; or, once in bins, the bins' middles */
    uint64_t *counts;            /* of the bins, after samples_finish; NULL: each value once */
    size_t value_count, room;
    struct map bins;
    bool binned;
};

void samples_add(struct samples *s, struct samples_budget *budget, uint64_t value);

/* After the last one: sorts. */
void samples_finish(struct samples *s);

/* After samples_finish. NaN if there are none. */
double samples_quantile(const struct samples *s, double q);
double samples_deviation(const struct samples *s);

void samples_free(struct samples *s);

#endif /* NVTXH_READ_SAMPLES_H */
