/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* The clock that gives events their timestamps: the processor's own counter if it runs at one rate
 * on all cores, otherwise CLOCK_MONOTONIC. The choice depends on the machine alone, so all
 * processes of a recording use the same clock. */
#include "format.h"

#include "../../nvtxh/core/clock.h"

#include <time.h>

#define CLOCK_NAMED_(name) REC_CLOCK_##name
#define CLOCK_NAMED(name) CLOCK_NAMED_(name)

static inline uint64_t clock_ns(clockid_t id) {
    return nvtxh_i_clock_ns(id);
}

static inline enum rec_clock clock_choose(void) {
    return nvtxh_i_ticks_usable() ? CLOCK_NAMED(NVTXH_I_TICKS_NAME) : REC_CLOCK_MONOTONIC;
}

/* Reads the processor's counter: returns its lower 32 bits, and the upper ones in *ret_high. Do not
 * call it if the clock is CLOCK_MONOTONIC. */
static inline uint32_t clock_counter_halves(uint32_t *ret_high) {
    return nvtxh_i_ticks_halves(ret_high);
}

static inline uint64_t clock_ticks(enum rec_clock clock) {
    return nvtxh_i_clock_ticks(__builtin_expect(clock != REC_CLOCK_MONOTONIC, 1));
}

/* The same moment on three clocks. Takes ticks and CLOCK_MONOTONIC from the best of 3 tries. */
static inline struct rec_sample clock_sample(enum rec_clock clock) {
    struct rec_sample best = {0};
    nvtxh_i_clock_both(clock != REC_CLOCK_MONOTONIC, 3, &best.ticks, &best.monotonic);
    best.realtime = clock_ns(CLOCK_REALTIME) - (clock_ns(CLOCK_MONOTONIC) - best.monotonic);
    return best;
}
