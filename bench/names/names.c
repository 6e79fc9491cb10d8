/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a look-up of a known name of 32 bytes costs, beside two reads of the clock, and what N new
 * names cost each. names [N]: prints ns, medians of bursts. */
#include "nvtxh.h"

#include "nvtxh/core/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BURST = 1000, BURSTS = 2001, KNOWN = 64, LENGTH = 32 };

static char names[KNOWN][LENGTH + 1];
static double result[BURSTS];
static volatile uintptr_t kept;

static double ns(void) {
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* on a machine with other load, too */
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void read_clock(int i) {
    kept = (uintptr_t)(nvtxh_i_ticks() + nvtxh_i_ticks()) + (uintptr_t)i;
}

static void look_up(int i) {
    kept = (uintptr_t)nvtxh_string_named(NVTXH_DOMAIN_DEFAULT, names[i % KNOWN]);
}

/* Inlined, so that the measured functions are, too. */
static inline __attribute__((always_inline)) double median(void (*measured)(int i)) {
    for (int burst = 0; burst < BURSTS; burst++) {
        double before = ns();

        for (int i = 0; i < BURST; i++)
            measured(i);
        result[burst] = (ns() - before) / BURST;
    }
    qsort(result, BURSTS, sizeof(result[0]), compare);
    return result[BURSTS / 2];
}

int main(int argc, char **argv) {
    long n = argc > 1 ? atol(argv[1]) : 1000000, made = 0;
    double clocks, known, before;

    for (int i = 0; i < KNOWN; i++) {
        snprintf(names[i], sizeof(names[i]), "operator::forward::layer.%07d", i);
        look_up(i);
    }
    clocks = median(read_clock);
    known = median(look_up);
    printf("two reads of the clock  %7.1f ns\n", clocks);
    printf("a known name, 32 bytes  %7.1f ns  %.2f times the two reads\n", known, known / clocks);
    for (long all = 1000; all <= n; all *= 10) {
        before = ns();
        for (long i = 0; i < all; i++) {
            char name[48];

            snprintf(name, sizeof(name), "%ld.%ld", all, i);
            made += nvtxh_string_named(NVTXH_DOMAIN_DEFAULT, name) != NULL;
        }
        printf("%8ld new names       %7.1f ns each\n", all, (ns() - before) / (double)all);
    }
    return made == 0;
}
