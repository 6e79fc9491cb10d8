/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* With NVTXH_CHECK, a signal handler makes the same mistake that its thread is reporting: neither
 * waits for the other. */
#include "nvtxh.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>

static volatile unsigned handled;

static void mistake(void) {
    NVTX_POP(); /* without a push */
}

static void on_timer(int number) {
    (void)number;
    mistake();
    handled++;
}

int main(void) {
    struct itimerval timer = {{0, 50}, {0, 50}};
    struct rlimit seconds = {10, 10}; /* who waits is killed */
    time_t end = time(NULL) + 2;
    struct sigaction action;

    mistake(); /* reported once */
    setrlimit(RLIMIT_CPU, &seconds);
    memset(&action, 0, sizeof(action));
    action.sa_handler = on_timer;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    while (time(NULL) < end)
        mistake();
    return handled < 10;
}
