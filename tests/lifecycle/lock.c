/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A signal handler takes the lock of the linked object after each single instruction of the thread that locks and
 * unlocks it. It gets the lock, or finds that its own thread has it, and never waits.
 */
#include "nvtxh.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { SINGLE_STEP = 0x100, MOST = 5000 };
static volatile int until, given, refused;

static void on_step(int number, siginfo_t *info, void *context)
{
    int cancel = 0;

    (void)number;
    (void)info;
    if (until && --until)
        return;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~SINGLE_STEP;
    if (nvtxh_i_lock(&cancel)) {
        given++;
        nvtxh_i_unlock(cancel);
    } else {
        refused++;
    }
}

int main(void)
{
    struct sigaction action;
    int instruction, cancel = 0;

    memset(&action, 0, sizeof(action));
    action.sa_sigaction = on_step;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGTRAP, &action, NULL);
    if (!nvtxh_i_lock(&cancel))
        return 1;
    nvtxh_i_unlock(cancel);
    alarm(60); /* a handler that waits would wait for ever */
    /* Until the thread has given it back before the handler comes. */
    for (instruction = 1; instruction < MOST && until == 0; instruction++) {
        bool locked;

        until = instruction;
        __asm__ volatile("pushfq; orq %0, (%%rsp); popfq" : : "i"(SINGLE_STEP) : "memory", "cc");
        locked = nvtxh_i_lock(&cancel);
        if (locked)
            nvtxh_i_unlock(cancel);
        /* No more steps. */
        __asm__ volatile("pushfq; andq %0, (%%rsp); popfq" : : "i"(~SINGLE_STEP) : "memory", "cc");
        if (!locked || nvtxh_i_object.lock) {
            printf("after %d instructions: %s\n", instruction, locked ? "still locked" : "no lock");
            return 1;
        }
    }
    printf("%d instructions, %d times given, %d times refused\n", instruction, given, refused);
    return instruction == MOST || given < 10 || refused < 10;
}
#else
int main(void)
{
    return 0;
}
#endif
