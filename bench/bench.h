/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the programs of ladder, peers and record share: they measure functions that differ only in
 * their annotation.
 *
 *   PROGRAM BURSTS CALLS    prints each function's name, symbol and nanoseconds of a call: the
 *                           median of BURSTS bursts of CALLS calls, in which the functions take
 *                           turns. Pauses between the bursts keep the disk of a recorder out
 *   PROGRAM --count CALLS   calls each function CALLS times in bench_counted(), for callgrind */
#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct bench_function {
    const char *name;
    void (*run)(void);
    const char *symbol; /* for callgrind */
};

#define BENCH_FUNCTION(name, function)                                                             \
    { name, function, #function }

/* The body of the measured functions is bench_stored = bench_work(3). */
int bench_work(int n); /* n + 1, which no compiler sees */
extern int bench_stored;

/* The processor's clock, the cheapest that a tracer can read. */
static inline uint64_t bench_clock(void) {
#if defined(__x86_64__)
    return __rdtsc();
#else
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#endif
}

double bench_own_ns(void); /* the processor time of the calling thread */

double bench_median(double *values, int n); /* sorts them */

/* main() of a program. LISTS and each list in it end in NULL and in a function without a name. */
int bench_main(int argc, char **argv, const struct bench_function *const *lists);

#ifdef __cplusplus
}
#endif

#endif
