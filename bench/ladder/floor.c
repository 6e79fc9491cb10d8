/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The lowest rungs: nothing, and two reads of the clock. */
#include "ladder.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

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

LADDER_RUNG(rung_floor_empty, , )
LADDER_RUNG(rung_floor_clocks, begun = now(), ended = now())

const struct ladder_rung rungs_floor[] = {
    LADDER_ENTRY("floor/empty", rung_floor_empty),
    LADDER_ENTRY("floor/clocks", rung_floor_clocks),
    {NULL, NULL, NULL},
};
