/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A signal handler counts the same rows as the thread that it interrupts: from a timer, for up
 * to a second, and, where the processor can single-step, between any two instructions. Prints how often
 * it ran the annotations; the statistics must agree. */
#include "nvtxh.h"
#include "nvtxh/stats.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

static volatile unsigned long passed, handled;

static void annotated(void) {
    NVTX_SCOPE("scope");
    NVTX_MARK("mark");
    NVTX_PUSH("push");
    { NVTX_SCOPE("inner"); }
    NVTX_POP();
}

/* Makes what a handler cannot make itself: a sum for each annotation, and room for all open
 * ones. */
static void nested(int depth) {
    NVTX_SCOPE("nested");
    if (depth)
        nested(depth - 1);
    annotated();
    passed++;
}

static void on_timer(int number) {
    (void)number;
    annotated();
    handled++;
}

static void handle(int number, void (*handler)(int)) {
    struct sigaction action;

    memset(&action, 0, sizeof(action));
    action.sa_handler = handler;
    sigaction(number, &action, NULL);
}

static void with_timer(void) {
    struct itimerval timer = {{0, 50}, {0, 50}};
    time_t end = time(NULL) + 1;

    handle(SIGALRM, on_timer);
    setitimer(ITIMER_REAL, &timer, NULL);
    while (time(NULL) < end) {
        annotated();
        passed++;
    }
    memset(&timer, 0, sizeof(timer));
    setitimer(ITIMER_REAL, &timer, NULL);
}

#if defined(__x86_64__)
enum { SINGLE_STEP = 0x100 };
static volatile bool stepping;

static void on_step(int number, siginfo_t *info, void *context) {
    (void)number;
    (void)info;
    if (stepping)
        on_timer(0);
    else
        ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~SINGLE_STEP;
}

static void step_by_step(void) {
    struct sigaction action;
    int i;

    memset(&action, 0, sizeof(action));
    action.sa_sigaction = on_step;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGTRAP, &action, NULL);
    for (i = 0; i < 20; i++) {
        stepping = true;
        __asm__ volatile("pushfq; orq %0, (%%rsp); popfq" : : "i"(SINGLE_STEP) : "memory", "cc");
        annotated();
        stepping = false;
        __asm__ volatile("nop; nop" : : : "memory");
        passed++;
    }
}
#else
static void step_by_step(void) {
}
#endif

int main(void) {
    nested(8);
    step_by_step();
    with_timer();
    if (handled < 100)
        return 1;
    printf("%lu\n", passed + handled);
    return 0;
}
