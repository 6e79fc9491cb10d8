/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compiled with -finstrument-functions, without annotations. suite.py knows how often each function
 * here is called. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 16, CALLS = 1000 };

static jmp_buf out;
static unsigned sink;

static void leaf(unsigned n) {
    __atomic_fetch_add(&sink, n, __ATOMIC_RELAXED);
}

static unsigned fibonacci(unsigned n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static void jumper(int depth) {
    if (!depth)
        longjmp(out, 1);
    jumper(depth - 1);
}

/* A function with two names: the exported one is shown. */
void catcher(void) __asm__("catcher");
static void also_catcher(void) __attribute__((alias("catcher"), used));

void catcher(void) {
    if (!setjmp(out))
        jumper(5);
    leaf(1);
}

static void handler(int signal) {
    (void)signal;
    leaf(2);
}

/* Only names that begin with nvtxh_i_ are the library's. */
static void *nvtxh_iterate(void *arg) {
    unsigned i;

    for (i = 0; i < CALLS; i++)
        leaf(i);
    return arg;
}

#ifdef __cplusplus
namespace shapes {
struct square {
    unsigned side;
    unsigned area() const;
};
unsigned square::area() const {
    return side * side;
}
} // namespace shapes

static void thrower(int depth) {
    if (!depth)
        throw depth;
    thrower(depth - 1);
}

static void cpp(void) {
    const shapes::square square = {3};

    leaf(square.area() - 9);
    try {
        thrower(3);
    } catch (int) {
        leaf(3);
    }
}
#else
static void cpp(void) {
    leaf(3);
}
#endif

/* A function that has returned, and then one whose frame is further down, because what calls it is
 * not instrumented. */
static void returned(void) {
    sink++;
}

static void further_down(void) {
    sink++;
}

__attribute__((no_instrument_function)) static void between(void) {
    volatile char frame[4096];

    frame[0] = 0;
    further_down();
    (void)frame[0];
}

static void above(void) {
    returned();
    between();
}

/* The hooks leave errno as it is, on the way in and on the way out. */
static int of_errno(void) {
    int before = errno;

    errno = 77;
    return before;
}

int main(void) {
    pthread_t thread[THREADS];
    unsigned i;

    signal(SIGUSR1, handler);
    for (i = 0; i < 10; i++) {
        catcher();
        raise(SIGUSR1);
        cpp();
        above();
        errno = 78;
        if (of_errno() != 78 || errno != 77)
            return 2;
    }
    fibonacci(15);
    for (i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, nvtxh_iterate, NULL))
            return 1;
    for (i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    puts("the same with and without");
    return 0;
}
