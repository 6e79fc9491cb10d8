/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* A distribution of durations in bounded memory. All figures are exact, except that quantiles
 * become approximate when the memory budget, which several distributions share, is used up. A
 * distribution that then needs more memory counts its values in bins, each 0.1 % wide. */
#include "../util/map.h"

#include <stdint.h>

#define DISTRIBUTION_BUDGET ((size_t)12 << 20) /* samples; 96 MiB */

struct distribution {
    uint64_t count, min, max;
    double total, mean, squares; /* squares: the sum of the squared distances from the mean */
    /* The values. If they are counted in `bins`, distribution_finish puts the middle of each bin
     * here. NULL: the values are in `bins` or, if there are at most two, are `min` and `max`. */
    uint64_t *values;
    uint64_t *counts;               /* how often each of `values` occurs; NULL: each once */
    uint32_t value_count, capacity; /* 32 bits suffice for the budget */
    struct map *bins; /* number of a bin -> count; NULL: no bins so far, or finished */
};

/* `budget`: how many samples may still be kept one by one. */
void distribution_add(struct distribution *s, size_t *budget, uint64_t value);

/* Call after the last value. Sorts the values for quantiles. */
void distribution_finish(struct distribution *s);

/* The quantile q, from 0 to 1; NaN: there are no values. Call distribution_finish before this
 * function and distribution_below. */
double distribution_quantile(const struct distribution *s, double q);
/* How many values are smaller than `value`. */
uint64_t distribution_below(const struct distribution *s, uint64_t value);
double distribution_deviation(const struct distribution *s);

void distribution_free(struct distribution *s);

/* How much the durations of a range change while a program runs. The time is divided into up to
 * eight equal blocks, and the geometric means of the durations in each block are compared. The
 * first instance, which warms caches, is left out. */
struct drift;

/* Adds an instance; instances may come in any order. *d is NULL before the first instance. The
 * caller frees *d. `start` and `duration` are in ns. */
void drift_add(struct drift **d, int64_t start, uint64_t duration);

/* log(largest / smallest mean of a block). NaN: fewer than two blocks have enough instances. */
double drift_spread(const struct drift *d);

/* The logarithm of a duration in ns. A duration of 0 counts as 1 ns. */
double drift_log(double duration);
