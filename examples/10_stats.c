/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Statistics without a tool: how long the steps of a small simulation take, as the program itself
 * finds out while it runs.
 *
 *     ./10_stats              prints what it has found
 *     ./10_stats table        ends with the table of all that was annotated; or csv, json
 *
 * Any program that includes nvtxh/stats.h in one file, or links nvtxh-split, ends with that table
 * if the environment has NVTXH_STATS=1. */
#include "nvtxh.h"
#include "nvtxh/stats.h"

#include <stdio.h>
#include <string.h>

enum { BODIES = 64, STEPS = 400 };

static double position[BODIES], speed[BODIES];

static void forces(void) {
    NVTX_FUNC();
    for (int i = 0; i < BODIES; i++)
        for (int k = 0; k < BODIES; k++) {
            double distance = position[k] - position[i];

            speed[i] += 1e-6 * distance / (1e-3 + distance * distance);
        }
}

static void move(void) {
    NVTX_FUNC();
    for (int i = 0; i < BODIES; i++)
        position[i] += speed[i];
}

static void steps(int n) {
    for (int i = 0; i < n; i++) {
        NVTX_SCOPE("step");
        forces();
        move();
        if (i % 100 == 99)
            NVTX_MARK("hundred steps");
    }
}

int main(int argc, char **argv) {
    for (int i = 0; i < BODIES; i++)
        position[i] = (double)(i * 37 % BODIES) / BODIES;
    nvtxh_stats_enable(true);
    steps(STEPS / 10); /* the first are slow, and not of interest */
    nvtxh_stats_reset();
    steps(STEPS);

    /* All zero where annotations are compiled out. */
    struct nvtxh_stats step = nvtxh_stats_find("step"), force = nvtxh_stats_find("forces");
    printf("%d steps; in each the forces are %s\n", STEPS,
           2 * force.median_ns >= step.median_ns ? "most of the time"
                                                 : "less than half of the time");
    if (argc > 1)
        nvtxh_stats_print(stdout, !strcmp(argv[1], "csv")    ? NVTXH_STATS_CSV
                                  : !strcmp(argv[1], "json") ? NVTXH_STATS_JSON
                                                             : NVTXH_STATS_TABLE);
    return 0;
}
