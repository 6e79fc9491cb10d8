/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FUNCTIONS_MAX = 64, BURSTS_MAX = 1000, PAUSE_US = 500, WARM = 50 };

int bench_stored;

int bench_work(int n) {
    return n + 1;
}

double bench_own_ns(void) {
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double bench_median(double *values, int n) {
    qsort(values, (size_t)n, sizeof(*values), compare);
    return values[n / 2];
}

static double burst(void (*run)(void), int calls) {
    double before;

    usleep(PAUSE_US);
    for (int i = 0; i < WARM; i++)
        run(); /* refills the caches after the pause */
    before = bench_own_ns();
    for (int i = 0; i < calls; i++)
        run();
    return (bench_own_ns() - before) / calls;
}

static void run_each(const struct bench_function *functions, int n, int calls) {
    for (int k = 0; k < n; k++)
        for (int i = 0; i < calls; i++)
            functions[k].run();
}

void bench_counted(const struct bench_function *functions, int n, int calls);
void __attribute__((noinline))
bench_counted(const struct bench_function *functions, int n, int calls) {
    run_each(functions, n, calls);
}

int bench_main(int argc, char **argv, const struct bench_function *const *lists) {
    static struct bench_function functions[FUNCTIONS_MAX];
    static double each[FUNCTIONS_MAX][BURSTS_MAX];
    int n = 0, bursts = argc == 3 ? atoi(argv[1]) : 0, calls = argc == 3 ? atoi(argv[2]) : 0;

    for (; *lists; lists++)
        for (const struct bench_function *f = *lists; f->name && n < FUNCTIONS_MAX; f++)
            functions[n++] = *f;
    for (int k = 0; k < n; k++)
        functions[k].run(); /* the first annotation finds out who listens */
    if (argc == 3 && !strcmp(argv[1], "--count")) {
        /* Not counted: after some thousand events, the recorder once takes 100,000 instructions. */
        run_each(functions, n, calls);
        bench_counted(functions, n, calls);
    } else if (bursts < 1 || bursts > BURSTS_MAX || calls < 1)
        return 2;
    for (int i = 0; i < bursts; i++)
        for (int k = 0; k < n; k++)
            each[k][i] = burst(functions[k].run, calls);
    for (int k = 0; k < n; k++)
        printf("%s\t%s\t%.3f\n", functions[k].name, functions[k].symbol,
               bursts ? bench_median(each[k], bursts) : 0);
    return 0;
}
