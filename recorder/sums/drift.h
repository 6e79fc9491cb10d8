/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SUMS_DRIFT_H
#define NVTXH_SUMS_DRIFT_H
/* How much the durations of a range change while a program runs. The time is divided into up to eight equal blocks, and
 * the geometric means of their durations are compared. The first instance, which warms caches, is left out. */
#include "../format/bodies.h"

#include <stdint.h>

struct drift;

/* Adds an instance, in any order. *d is NULL before the first instance. `start` and `duration` are in ns. */
void drift_add(struct drift **d, int64_t start, uint64_t duration);

/* A drift as files store it, all zero for NULL; and how to add a drift from a file. */
struct rec_drift drift_stored(const struct drift *d);
void drift_merge(struct drift **d, const struct rec_drift *more);

/* log(largest / smallest mean of a block). NaN if fewer than two blocks have enough instances. */
double drift_spread(const struct drift *d);

void drift_free(struct drift *d);

/* The logarithm of a duration in ns. A duration of 0 counts as 1 ns. */
double drift_log(double duration);

#endif /* NVTXH_SUMS_DRIFT_H */
