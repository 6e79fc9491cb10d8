/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_EXPORT_FIREFOX_TABLES_H
#define NVTXH_EXPORT_FIREFOX_TABLES_H
/* The tables of the Firefox Profiler's format that all threads share: strings, functions, frames, stacks. */
#include "stacks.h"

#include <stdio.h>

#define FIREFOX_NO_STACK UINT32_MAX

struct firefox_stack {
    uint32_t name;  /* of the innermost frame */
    uint32_t above; /* the stack without that frame, or FIREFOX_NO_STACK */
};

/* Writes these tables. */
void firefox_shared(FILE *out, const struct stacks *s, const struct firefox_stack *stacks,
                    size_t count);

#endif /* NVTXH_EXPORT_FIREFOX_TABLES_H */
