/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_RANK_CLOCKS_H
#define NVTXH_READ_RANK_CLOCKS_H
/*
 * One clock for ranks of several hosts. A barrier or collective ends everywhere at the same time, but for what a wake-up
 * takes: of many such ends the clocks' offsets and drifts are found, by the medians of Theil and Sen, which nothing that is
 * late now and then moves. The error that is given is what 95 % of the ends are within afterwards.
 */
#include "ranks.h"

/* How far apart the ranks come to the instances of a range, and leave them: medians, in ns. NaN: too few. */
struct rank_spread {
    double starts, ends;
    size_t instances;
};

/* By the range of that name, or with 0 by one that is found: those whose ends lie closest together, and at most half as far
 * apart as their starts. False: there is none, or it has fewer than three instances that the hosts share. */
bool rank_clocks_fit(struct ranks *all, uint32_t range);

/* A time of a rank on the clock of all, in ns since `base`. */
double rank_clock(const struct ranks *all, const struct rank *rank, int64_t time);

/* How many instances of a range, 0, stride, 2 * stride..., can be looked at. */
uint64_t rank_instances(const struct ranks *all, uint32_t range, uint64_t *ret_stride);

struct rank_spread rank_spread_of(const struct ranks *all, uint32_t range);

/* Sorts them. NaN if there are none. */
double rank_median(double *values, size_t count);
double rank_quantile(const double *sorted, size_t count, double q);

#endif /* NVTXH_READ_RANK_CLOCKS_H */
