/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The body of every function that is measured: bench_stored = bench_work(3). */
#ifndef BENCH_WORK_H
#define BENCH_WORK_H

#ifdef __cplusplus
extern "C" {
#endif

int bench_work(int n); /* n + 1 */
extern int bench_stored;

#ifdef __cplusplus
}
#endif

#endif
