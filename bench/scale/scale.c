/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A large program: many call sites and domains (generate.py makes them), many events, deep nesting.
 * scale EVENTS DEPTH: prints the name, unit and value of each number. */
#include "nvtxh.h"

#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLICES = 1000, LAYERS = 4, OPERATIONS = 5, STEP = 1 + LAYERS * (1 + OPERATIONS) };

void scale_work(void);
void sites_run(void);

static volatile int stored;

void scale_work(void) {
    stored++;
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

static void __attribute__((noinline)) one(void) {
    NVTXH_SCOPE("one");

    scale_work();
}

/* STEP scopes, nested as those of a program that trains. Their durations differ by chance. */
static void step(void) {
    NVTXH_SCOPE("step");

    for (int layer = 0; layer < LAYERS; layer++) {
        NVTXH_SCOPE("layer");

        for (int operation = 0; operation < OPERATIONS; operation++)
            one();
    }
}

/* The nanoseconds of a scope in each slice of EVENTS scopes; returns their mean. */
static double steady(long events, double *slice) {
    long steps = (events + SLICES * STEP - 1) / (SLICES * STEP);
    double mean = 0;

    for (int i = 0; i < SLICES; i++) {
        double before = bench_own_ns();

        for (long k = 0; k < steps; k++)
            step();
        slice[i] = (bench_own_ns() - before) / (double)(steps * STEP);
        mean += slice[i] / SLICES;
    }
    return mean;
}

int main(int argc, char **argv) {
    static double slice[SLICES];
    long events = argc > 1 ? atol(argv[1]) : 10000000;
    int depth = argc > 2 ? atoi(argv[2]) : 10000;
    double memory = private_kib(), before = bench_own_ns(), mean;

    printf("start-up, us\t%.1f\n", before / 1e3);
    before = bench_own_ns();
    one();
    printf("first event, us\t%.1f\n", (bench_own_ns() - before) / 1e3);
    before = bench_own_ns();
    sites_run();
    printf("every site, the first time, us\t%.1f\n", (bench_own_ns() - before) / 1e3);
    before = bench_own_ns();
    sites_run();
    printf("every site, again, us\t%.1f\n", (bench_own_ns() - before) / 1e3);
    printf("memory, KiB\t%.0f\n", private_kib() - memory);
    before = bench_own_ns();
    nest(depth);
    printf("nested, each, ns\t%.1f\n", (bench_own_ns() - before) / depth);
    mean = steady(events, slice);
    printf("steady, median, ns\t%.1f\n", bench_median(slice, SLICES));
    printf("steady, mean, ns\t%.1f\n", mean);
    printf("memory at the end, KiB\t%.0f\n", private_kib() - memory);
    return 0;
}
