/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Switch statistics on; false if this nvtxh has none. After nvtxh.h. */
#ifndef BENCH_STATISTICS_H
#define BENCH_STATISTICS_H

#ifdef __has_include
#if __has_include("nvtxh/stats.h")
#include "nvtxh/stats.h"
#define BENCH_HAS_STATISTICS
#endif
#endif

static inline bool bench_count(void) {
#ifdef BENCH_HAS_STATISTICS
    nvtxh_stats_enable(true);
    return true;
#else
    return false;
#endif
}

#endif
