/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_STEP_H
#define NVTXH_TEST_STEP_H

/* A signal handler that runs between two instructions of a thread's code: after
 * step_init(function), function() is called once, after the given number of instructions that
 * follow step_begin(). Where STEPS is 0 the processor cannot do that. */
#if defined(__x86_64__)
#define STEPS 1

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <ucontext.h>

enum { SINGLE_STEP = 0x100 };
static void (*step_function)(void);
static volatile int step_left; /* instructions until the call; 0: there is no call to come */
static volatile bool step_called;

static void step_trap(int number, siginfo_t *info, void *context) {
    (void)number;
    (void)info;
    if (step_left > 1) {
        step_left--;
        return;
    }
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~SINGLE_STEP;
    if (step_left) {
        step_left = 0;
        step_called = true;
        step_function();
    }
}

static void step_init(void (*function)(void)) {
    struct sigaction action;

    step_function = function;
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = step_trap;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGTRAP, &action, NULL);
}

static inline __attribute__((always_inline)) void step_begin(int instructions) {
    step_called = false;
    step_left = instructions;
    __asm__ volatile("pushfq; orq %0, (%%rsp); popfq" : : "i"(SINGLE_STEP) : "memory", "cc");
}

/* False: the code has fewer instructions, and the function was not called. */
static inline __attribute__((always_inline)) bool step_end(void) {
    step_left = 0;
    __asm__ volatile("nop; nop" : : : "memory");
    return step_called;
}

#else
#define STEPS 0
#endif
#endif
