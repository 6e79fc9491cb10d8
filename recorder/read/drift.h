/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_DRIFT_H
#define NVTXH_READ_DRIFT_H
/*
 * How much the durations of a range change while a program runs: the geometric means of up to eight blocks of time, of
 * equal length. The first instance is left out, because it warms the caches.
 */
#include "../format/bodies.h"

#include <stdint.h>

struct drift;

/* *d is NULL at first. `start` and `duration` in ns; instances may come in any order. */
void drift_add(struct drift **d, int64_t start, uint64_t duration);

/* The form in files, all zero for NULL; and adds one in that form. */
struct rec_drift drift_stored(const struct drift *d);
void drift_merge(struct drift **d, const struct rec_drift *more);

/* The logarithm of the largest block's mean over the smallest's. NaN if fewer than two blocks have
 * enough instances. */
double drift_spread(const struct drift *d);

void drift_free(struct drift *d);

/* A duration's logarithm; one that is too short for the clock counts as 1 ns. */
double drift_log(double duration);

#endif /* NVTXH_READ_DRIFT_H */
