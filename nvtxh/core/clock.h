/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CORE_CLOCK_H
#define NVTXH_CORE_CLOCK_H

/* The clock of statistics and recordings: the processor's counter where it is usable (arch.h), else
 * CLOCK_MONOTONIC. This file includes <time.h>, so only the implementation includes it. Not API. */

#include "arch.h"

#include <stdint.h>
#include <time.h>

NVTXH_I_C_BEGIN

/* Strict C (-std=c11) hides this function and the names of the clocks. */
extern int nvtxh_i_clock_gettime(int clock, struct timespec *ret_time) __asm__("clock_gettime");
enum { NVTXH_I_CLOCK_MONOTONIC = 1 };

static inline uint64_t nvtxh_i_clock_ns(int clock) {
    struct timespec t = {0, 0};

    nvtxh_i_clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The time in ticks of the processor's counter, or without COUNTER in ns of CLOCK_MONOTONIC. */
static inline uint64_t nvtxh_i_clock_ticks(bool counter) {
    return counter ? nvtxh_i_ticks() : nvtxh_i_clock_ns(NVTXH_I_CLOCK_MONOTONIC);
}

/* The same moment in ticks and in ns of CLOCK_MONOTONIC. Reads both clocks TRIES times, and returns
 * the pair of readings that took the least time. */
static inline void nvtxh_i_clock_both(bool counter, int tries, uint64_t *ret_ticks,
                                      uint64_t *ret_ns) {
    uint64_t narrowest = UINT64_MAX, before, ns, after;

    while (tries--) {
        before = nvtxh_i_clock_ticks(counter);
        ns = nvtxh_i_clock_ns(NVTXH_I_CLOCK_MONOTONIC);
        after = nvtxh_i_clock_ticks(counter);
        if (after - before < narrowest) {
            narrowest = after - before;
            *ret_ticks = counter ? before + narrowest / 2 : ns;
            *ret_ns = ns;
        }
    }
}

NVTXH_I_C_END

#endif
