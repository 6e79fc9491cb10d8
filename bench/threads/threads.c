/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a scope costs when other threads run scopes too. threads THREADS SCOPES: prints for every
 * thread the ns of its own processor time per scope, so that threads which share a processor do not
 * count as slow. Bursts with pauses between them, as in the ladder. */
#include "nvtxh.h"
#include "statistics.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { BURST = 5000, THREADS_MAX = 512 };

static pthread_barrier_t together;
static int scopes;
static double result[THREADS_MAX];
static __thread volatile int stored;

static double own_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void __attribute__((noinline)) scope(int n) {
    NVTXH_SCOPE("scope", .payload = nvtxh_payload(n));
    stored = n;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void *run(void *number) {
    int bursts = scopes / BURST + 1;
    double *each = (double *)malloc(sizeof(*each) * (size_t)bursts);

    for (int i = 0; i < BURST; i++)
        scope(i); /* the thread's first events */
    pthread_barrier_wait(&together);
    for (int i = 0; each && i < bursts; i++) {
        usleep(500);
        double before = own_ns();
        for (int k = 0; k < BURST; k++)
            scope(k);
        each[i] = (own_ns() - before) / BURST;
    }
    if (each) {
        qsort(each, (size_t)bursts, sizeof(*each), compare);
        result[(size_t)number] = each[bursts / 2];
    }
    free(each);
    return NULL;
}

int main(int argc, char **argv) {
    size_t n = argc > 1 ? (size_t)atoi(argv[1]) : 1;
    pthread_t thread[THREADS_MAX];

    if (n < 1 || n > THREADS_MAX)
        return 2;
    if (getenv("NVTXH_BENCH_STATISTICS") && !bench_count())
        return 77;
    scopes = argc > 2 ? atoi(argv[2]) : 1000000;
    pthread_barrier_init(&together, NULL, (unsigned)n);
    for (size_t i = 1; i < n; i++)
        if (pthread_create(&thread[i], NULL, run, (void *)i))
            return 1;
    run(NULL);
    for (size_t i = 1; i < n; i++)
        pthread_join(thread[i], NULL);
    for (size_t i = 0; i < n; i++)
        printf("%.3f\n", result[i]);
    return 0;
}
