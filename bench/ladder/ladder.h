/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The rungs: functions that only differ in their annotation. The body of each is a call into
 * another file and a store. */
#ifndef BENCH_LADDER_H
#define BENCH_LADDER_H

#include "work.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ladder_rung {
    const char *name;
    void (*run)(void);
    const char *function; /* its name, for callgrind */
};

#define LADDER_ENTRY(name, function)                                                               \
    { name, function, #function }

/* Each ends with one that has no name. */
extern const struct ladder_rung rungs_floor[], rungs_off[], rungs_nvtxh[], rungs_nvtx[],
    rungs_nvtx3[];

int ladder_count(void); /* switch statistics on; false if there are none */

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
