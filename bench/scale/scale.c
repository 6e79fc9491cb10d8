/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A large program: many call sites and domains (sites.c is generated), many events, deep nesting.
 * scale EVENTS DEPTH: prints name, value and unit of each number.
 */
#include "nvtxh.h"
#include "statistics.h"
#include "scale.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile int stored;

void scale_work(void) {
    stored++;
}

static double clock_ns(clockid_t which) {
    struct timespec t;
    clock_gettime(which, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double own_ns(void) {
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* The private memory of the process. A recording is a mapped file, so it is not included. */
static double private_kib(void) {
    char line[256];
    double result = 0;
    FILE *status = fopen("/proc/self/status", "r");

    while (status && fgets(line, sizeof(line), status))
        if (!strncmp(line, "RssAnon:", 8))
            result = atof(line + 8);
    if (status)
        fclose(status);
    return result;
}

static void __attribute__((noinline)) nest(int depth) {
    NVTXH_SCOPE("nested");

    if (depth > 1)
        nest(depth - 1);
    stored++;
}

/* STEP scopes, nested as those of a program that trains. Their durations differ by chance. */
enum { STEP = 1 + 4 * (1 + 5) };
static void step(void) {
    NVTXH_SCOPE("step");

    for (int layer = 0; layer < 4; layer++) {
        NVTXH_SCOPE("layer");
        for (int operation = 0; operation < 5; operation++)
            site_one();
    }
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    enum { SLICES = 1000 };
    static double slice[SLICES];
    long events = argc > 1 ? atol(argv[1]) : 10000000;
    int depth = argc > 2 ? atoi(argv[2]) : 10000;
    double started = clock_ns(CLOCK_PROCESS_CPUTIME_ID), memory = private_kib(), before;

    if (getenv("NVTXH_BENCH_STATISTICS") && !bench_count())
        return 77;
    printf("start-up\t%.1f\tus\n", started / 1e3);
    before = own_ns();
    site_one();
    printf("first event\t%.1f\tus\n", (own_ns() - before) / 1e3);
    before = own_ns();
    sites_run();
    printf("every site, the first time\t%.1f\tus\n", (own_ns() - before) / 1e3);
    before = own_ns();
    sites_run();
    printf("every site, again\t%.1f\tus\n", (own_ns() - before) / 1e3);
    printf("memory\t%.0f\tKiB\n", private_kib() - memory);
    before = own_ns();
    nest(depth);
    printf("nested, each\t%.1f\tns\n", (own_ns() - before) / depth);
    for (int i = 0; i < SLICES; i++) {
        before = own_ns();
        for (long k = 0; k < events / SLICES; k += STEP)
            step();
        slice[i] = (own_ns() - before) / ((double)events / SLICES);
    }
    before = 0;
    for (int i = 0; i < SLICES; i++)
        before += slice[i] / SLICES;
    qsort(slice, SLICES, sizeof(*slice), compare);
    printf("steady, median\t%.1f\tns\n", slice[SLICES / 2]);
    printf("steady, mean\t%.1f\tns\n", before);
    printf("memory at the end\t%.0f\tKiB\n", private_kib() - memory);
    return 0;
}
