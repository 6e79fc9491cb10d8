/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One function with one annotation, for cost.py, which counts the instructions of a call with and
 * without it. Without it, ANNOTATION and LAST are empty. */
#ifdef ANNOTATED
#include "nvtxh.h"
#include "nvtxh/counter.h"
NVTXH_PAYLOAD_STRUCT(object, (int, a), (const char *, b));
extern struct object object;
NVTXH_COUNTER_EXTERN(counter);
NVTXH_DOMAIN_EXTERN(train);
NVTXH_CATEGORY_EXTERN(gemm);
#else
#define ANNOTATION
#define LAST
#endif

#define PASTE_(a, b) a##_##b
#define PASTE(a, b) PASTE_(a, b)
#define NAME(name) PASTE(name, NUMBER) /* the program has many of these functions */

#ifdef __cplusplus
extern "C" {
#endif
int callee(int n); /* in another file */
int evaluated(void);
void NAME(measured)(void);
void NAME(measured_argument)(int n);
int NAME(measured_return)(int n);
extern int stored;
#ifdef __cplusplus
}
#endif

/* The body is a call into another file and a store. */
void NAME(measured)(void) {
    ANNOTATION;
    stored = callee(3);
    LAST;
}

/* The same with an argument, which has to outlive whatever the annotation calls. */
void NAME(measured_argument)(int n) {
    ANNOTATION;
    stored = callee(n);
    LAST;
}

/* The same with a way out in the middle. */
int NAME(measured_return)(int n) {
    ANNOTATION;
    if (n < 0)
        return -1;
    stored = callee(n);
    LAST;
    return n;
}
