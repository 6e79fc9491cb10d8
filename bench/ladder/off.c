/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The lowest rungs: nothing, two reads of the clock, and an annotation that is switched off when the
 * file is compiled. */
#define NVTXH_DISABLE
#include "nvtxh.h"
#include "ladder.h"

static volatile uint64_t begun, ended;

LADDER_RUNG(rung_floor_empty, , )
LADDER_RUNG(rung_floor_clocks, begun = bench_clock(), ended = bench_clock())
LADDER_RUNG(rung_off_off, NVTXH_SCOPE("message", .color = NVTXH_GREEN), )

const struct bench_function rungs_off[] = {
    BENCH_FUNCTION("floor/empty", rung_floor_empty),
    BENCH_FUNCTION("floor/clocks", rung_floor_clocks),
    BENCH_FUNCTION("nvtxh/off", rung_off_off),
    {0, 0, 0},
};
