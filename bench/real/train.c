/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The example, at one of the densities of meson.build: MODEL is its model.h, with or without more
 * annotations. The environment switches it to statistics. */
#define NVTXH_DEFAULT_DOMAIN train
#include "nvtxh.h"
#include "statistics.h"

#include <stdlib.h>
#include MODEL

static __attribute__((constructor)) void count(void) {
    const char *asked = getenv("NVTXH_BENCH_STATISTICS");

    if (asked && !bench_count())
        exit(77);
}

#include "01_train.c"
