/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SUMS_RANK_CLOCKS_H
#define NVTXH_SUMS_RANK_CLOCKS_H
/* One clock for ranks of several hosts. A barrier or collective ends on all ranks at the same time, except for the time
 * of a wake-up. Many such ends give the clocks' offsets and drifts, by Theil and Sen's medians, which outliers do not
 * move. After the correction, 95 % of the ends differ between two hosts by at most the reported error. */
#include "ranks.h"

/* Medians over the `instances` instances of a range that at least two ranks have, in ns: from the first rank's start to
 * the last rank's, and from the first rank's end to the last rank's. NaN if there are none. */
struct rank_spread {
    double starts, ends;
    size_t instances;
};

/* Aligns the clocks by the range whose name has the number `range`. 0: by the range whose ends are closest together;
 * its ends must be at most half as far apart as its starts. False: there is no such range, or no other host shares at
 * least three instances of it with the first rank's host. With one host it is always true. */
bool rank_clocks_fit(struct ranks *all, uint32_t range);

/* A time of a rank on the common clock, in ns since `base`. */
double rank_clock(const struct ranks *all, const struct rank *rank, int64_t time);

/* How many instances of a range have known times. They are the instances 0, stride, 2 * stride, ... */
uint64_t rank_instances(const struct ranks *all, uint32_t range, uint64_t *ret_stride);

struct rank_spread rank_spread_of(const struct ranks *all, uint32_t range);

/* Sorts the values. NaN if there are none. */
double rank_median(double *values, size_t count);
double rank_quantile(const double *sorted, size_t count, double q);

#endif /* NVTXH_SUMS_RANK_CLOCKS_H */
