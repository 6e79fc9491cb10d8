/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The rungs: functions that differ only in their annotation. The body of each is a call into
 * another file and a store. */
#ifndef BENCH_LADDER_H
#define BENCH_LADDER_H

#include "bench.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct bench_function rungs_off[], rungs_nvtxh[], rungs_nvtx[], rungs_nvtx3[];

#ifdef __cplusplus
}
#endif

#define LADDER_RUNG(name, begin, end)                                                              \
    static void name(void) {                                                                       \
        begin;                                                                                     \
        bench_stored = bench_work(3);                                                              \
        end;                                                                                       \
    }

/* Different for every call, and not known to the compiler. */
#define LADDER_NUMBER bench_stored

#endif
