/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "peer.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

enum { BURST = 2000, BURSTS_MAX = 10000 };

void peer_nothing(void);
void peer_counted(int n);

static uint64_t now(void) {
#if defined(__x86_64__)
    return __rdtsc();
#else
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#endif
}

static volatile uint64_t begun, ended;

static void clocks(void) {
    begun = now();
    bench_stored = bench_work(3);
    ended = now();
}

void peer_nothing(void) {
    bench_stored = bench_work(3);
}

static double own_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double measure(void (*volatile what)(void), int bursts) {
    static double each[BURSTS_MAX];

    for (int i = 0; i < bursts; i++) {
        usleep(1000);
        for (int k = 0; k < 50; k++)
            what(); /* refills the caches after the pause */
        double before = own_ns();
        for (int k = 0; k < BURST; k++)
            what();
        each[i] = (own_ns() - before) / BURST;
    }
    qsort(each, (size_t)bursts, sizeof(*each), compare);
    return each[bursts / 2];
}

void __attribute__((noinline)) peer_counted(int n) {
    void (*volatile what)(void) = peer_scope;

    for (int i = 0; i < n; i++)
        what();
    what = peer_nothing;
    for (int i = 0; i < n; i++)
        what();
}

int main(int argc, char **argv) {
    if (argc == 3 && !strcmp(argv[1], "--count")) {
        if (!peer_begin(NULL))
            return 77;
        peer_scope();
        peer_counted(atoi(argv[2]));
        peer_end();
        return 0;
    }
    int bursts = argc > 1 ? atoi(argv[1]) : 100;
    if (bursts < 1 || bursts > BURSTS_MAX)
        return 2;
    if (!peer_begin(argc > 2 ? argv[2] : NULL))
        return 77;
    peer_scope();
    double scope = measure(peer_scope, bursts);
    printf("%.2f %.2f %.2f\n", measure(clocks, bursts), scope, measure(peer_nothing, bursts));
    peer_end();
    return 0;
}
