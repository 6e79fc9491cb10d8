/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_OWN_MALLOC_H
#define NVTXH_TEST_OWN_MALLOC_H
/* For a program whose signal handler interrupts malloc: a malloc that raises SIGUSR1 once after
 * `armed` was set, and counts in `calls` how often the handler calls malloc, calloc, realloc or
 * free. */
#include <signal.h>
#include <stdlib.h>

#define QUIET __attribute__((no_instrument_function))

#ifdef __cplusplus
extern "C" {
#endif
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void __libc_free(void *old);
void *malloc(size_t size) QUIET;
void *calloc(size_t n, size_t size) QUIET;
void *realloc(void *old, size_t size) QUIET;
void free(void *old) QUIET;
#ifdef __cplusplus
}
#endif

static volatile sig_atomic_t armed, calls;
static __thread volatile sig_atomic_t at_work __attribute__((tls_model("initial-exec")));

QUIET static void enter(void) {
    calls = calls + at_work;
    if (armed && !at_work) {
        at_work = 1;
        armed = 0;
        raise(SIGUSR1);
        at_work = 0;
    }
}

void *malloc(size_t size) {
    enter();
    return __libc_malloc(size);
}

void *calloc(size_t n, size_t size) {
    enter();
    return __libc_calloc(n, size);
}

void *realloc(void *old, size_t size) {
    enter();
    return __libc_realloc(old, size);
}

void free(void *old) {
    calls = calls + (at_work && old);
    __libc_free(old);
}

#endif
