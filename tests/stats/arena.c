/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A signal handler allocates memory of statistics after each single instruction of the thread that allocates some: no
 * memory is given out twice, and all of it is zero.
 */
#include "nvtxh.h"
#include "nvtxh/stats.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#if defined(__x86_64__)
enum { SINGLE_STEP = 0x100, SIZE = 64, INSTRUCTIONS = 120, BLOCKS = 2500 };
static struct nvtxh_i_stats_arena arena;
static unsigned char *blocks[BLOCKS];
static volatile int n, until;

static void take(void)
{
    blocks[n] = (unsigned char *)nvtxh_i_stats_take(&arena, SIZE);
    n++;
}

static void on_step(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    if (until && --until)
        return;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~SINGLE_STEP;
    take();
}

static bool is_all(const unsigned char *block, int value)
{
    int i;

    for (i = 0; i < SIZE; i++)
        if (block[i] != value)
            return false;
    return true;
}

int main(void)
{
    struct sigaction action;
    int i, instruction;

    memset(&action, 0, sizeof(action));
    action.sa_sigaction = on_step;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGTRAP, &action, NULL);
    for (instruction = 1; instruction <= INSTRUCTIONS; instruction++) {
        unsigned char *mine;

        until = instruction;
        __asm__ volatile("pushfq; orq %0, (%%rsp); popfq" : : "i"(SINGLE_STEP) : "memory", "cc");
        mine = (unsigned char *)nvtxh_i_stats_take(&arena, SIZE);
        until = 0;
        __asm__ volatile("nop; nop" : : : "memory");
        blocks[n] = mine;
        n++;
    }
    while (n < BLOCKS) /* into the third chunk */
        take();
    for (i = 0; i < BLOCKS; i++) {
        if (!blocks[i] || !is_all(blocks[i], 0)) {
            printf("block %d of %d was not free\n", i, n);
            return 1;
        }
        memset(blocks[i], 1 + i % 255, SIZE);
    }
    for (i = 0; i < BLOCKS; i++)
        if (!is_all(blocks[i], 1 + i % 255))
            return 1;
    return 0;
}
#else
int main(void)
{
    return 0;
}
#endif
