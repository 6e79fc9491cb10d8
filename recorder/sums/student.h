/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SUMS_STUDENT_H
#define NVTXH_SUMS_STUDENT_H
/* Student's t distribution, of `freedom` degrees of freedom. */

/* The probability of a value at least as far from 0 as t, on both sides. */
double student_outside(double t, double freedom);

/* The t for which student_outside is p: 0 < p < 1. */
double student_bound(double p, double freedom);

#endif /* NVTXH_SUMS_STUDENT_H */
