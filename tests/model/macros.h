/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TESTS_MODEL_VERBS_H
#define NVTXH_TESTS_MODEL_VERBS_H

/* What a line of a script does. */
#include "nvtxh.h"

enum { LINE = 64 };

struct op {
    char what;
    int kind;
    long arg;
};

/* Call it before the first macro. */
void verbs_begin(void);

void mark(const struct op *op);
void push(const struct op *op);
void pop(const struct op *op);
void start(const struct op *op);
void end(const struct op *op);
/* Calls `within` in a scope. */
void scope(const struct op *op, void (*within)(void *), void *arg);

/* Signal handlers' own annotations. */
void annotate_raised(void);
void annotate_asynchronous(void);

#endif /* NVTXH_TESTS_MODEL_VERBS_H */
