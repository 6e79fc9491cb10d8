/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_RECORDER_CLOCK_H
#define NVTXH_RECORDER_CLOCK_H
/*
 * The clock events are stamped with: the processor's own counter where it runs at one rate on all
 * cores, else CLOCK_MONOTONIC. The choice depends on the machine alone, so all processes of a
 * recording make the same one.
 */
#include "format.h"

#include <stdbool.h>
#include <time.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

static inline uint64_t clock_ns(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline enum rec_clock clock_choose(void)
{
#if defined(__x86_64__)
    unsigned a, b, c, d;
    if (__get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8)) {
        return REC_CLOCK_TSC;
    }
    return REC_CLOCK_MONOTONIC;
#elif defined(__aarch64__)
    return REC_CLOCK_CNTVCT;
#else
    return REC_CLOCK_MONOTONIC;
#endif
}

/* Where clock_choose says anything but CLOCK_MONOTONIC. */
static inline uint64_t clock_counter(void)
{
#if defined(__x86_64__)
    return __rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return clock_ns(CLOCK_MONOTONIC);
#endif
}

/* The same in two halves, as x86 gives it: nothing has to be put together that is used apart. */
static inline uint32_t clock_counter_halves(uint32_t *ret_high)
{
#if defined(__x86_64__)
    uint32_t low;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(*ret_high));
    return low;
#else
    uint64_t ticks = clock_counter();
    *ret_high = (uint32_t)(ticks >> 32);
    return (uint32_t)ticks;
#endif
}

static inline uint64_t clock_ticks(enum rec_clock clock)
{
    if (__builtin_expect(clock != REC_CLOCK_MONOTONIC, 1)) {
        return clock_counter();
    }
    return clock_ns(CLOCK_MONOTONIC);
}

/* Reads the three clocks as near to each other as a few tries allow. */
static inline struct rec_sample clock_sample(enum rec_clock clock)
{
    struct rec_sample best = {0};
    uint64_t narrowest = UINT64_MAX;
    for (int i = 0; i < 3; i++) {
        uint64_t before = clock_ticks(clock);
        uint64_t monotonic = clock_ns(CLOCK_MONOTONIC);
        uint64_t after = clock_ticks(clock);
        if (after - before < narrowest) {
            narrowest = after - before;
            best.ticks = clock == REC_CLOCK_MONOTONIC ? monotonic : before + (after - before) / 2;
            best.monotonic = monotonic;
        }
    }
    best.realtime = clock_ns(CLOCK_REALTIME) - (clock_ns(CLOCK_MONOTONIC) - best.monotonic);
    return best;
}

#endif /* NVTXH_RECORDER_CLOCK_H */
