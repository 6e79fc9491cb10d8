/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls the functions of cost.c, each CALLS times. Exits 1 if a call evaluated anything. FUNCTIONS
 * is X(0) X(1) ... */
#include "nvtxh.h"
#include "nvtxh/counter.h"

NVTXH_DOMAIN(train, "train");
NVTXH_CATEGORY(gemm, &train, "gemm");
NVTXH_PAYLOAD_STRUCT(object, (int, a), (const char *, b));
NVTXH_COUNTER(counter, &train, "counter");
extern struct object object;
struct object object;

int callee(int n);
int evaluated(void);
void call_all(int n);
void counted(int n);
int stored;

#define X(number)                                                                                  \
    void measured_##number(void);                                                                  \
    void measured_argument_##number(int n);                                                        \
    int measured_return_##number(int n);
FUNCTIONS
#undef X

static int evaluations;

int evaluated(void) {
    return ++evaluations;
}

int __attribute__((noinline, noclone)) callee(int n) {
    return n + 1;
}

void __attribute__((noinline, noclone)) call_all(int n) {
    int i;

    for (i = 0; i < n; i++) {
#define X(number)                                                                                  \
    measured_##number();                                                                           \
    measured_argument_##number(i);                                                                 \
    measured_return_##number(i);
        FUNCTIONS
#undef X
    }
}

void __attribute__((noinline, noclone)) counted(int n) {
    call_all(n);
    stored = n;
}

int main(void) {
    call_all(1); /* finds out that nobody listens; here attributes may be evaluated */
    evaluations = 0;
    counted(CALLS);
    return evaluations != 0;
}
