/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A signal handler jumps out of a process range's start or end, from between any two instructions of it. The thread's
 * next ranges begin and end as usual.
 */
#include "nvtxh.h"

#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

enum { AT_ONCE = 40, MOST = 250 };
static unsigned started, ended;

static nvtxRangeId_t start(const nvtxEventAttributes_t *event)
{
    (void)event;
    return ++started;
}

static void end(nvtxRangeId_t id)
{
    (void)id;
    ended++;
}

static int init(NvtxGetExportTableFunc_t get)
{
    const NvtxExportTableCallbacks *callbacks =
        (const NvtxExportTableCallbacks *)get(NVTX_ETID_CALLBACKS);
    NvtxFunctionTable functions;
    unsigned size;

    callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &functions, &size);
    *functions[NVTX_CBID_CORE_RangeStartEx] = (NvtxFunctionPointer)start;
    *functions[NVTX_CBID_CORE_RangeEnd] = (NvtxFunctionPointer)end;
    return 1;
}

#if defined(__x86_64__)
enum { SINGLE_STEP = 0x100 };
static volatile int until;
static sigjmp_buf out;

static void on_step(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    if (--until > 0)
        return;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~SINGLE_STEP;
    if (!until)
        siglongjmp(out, 1);
}

/* MANY at once: the first ones of a thread make its pool, and more of them than it has make it larger. */
static void ranges(int many)
{
    struct nvtxh_range range[AT_ONCE];

    for (int i = 0; i < many; i++)
        range[i] = NVTX_START("range");
    for (int i = 0; i < many; i++)
        nvtxh_end(range[i]);
}

/* False: it is over before the instruction of that number. */
static bool is_left(int instruction, int many)
{
    if (sigsetjmp(out, 1))
        return true;
    until = instruction;
    __asm__ volatile("pushfq; orq %0, (%%rsp); popfq" : : "i"(SINGLE_STEP) : "memory", "cc");
    ranges(many);
    until = 0;
    __asm__ volatile("nop; nop" : : : "memory");
    return false;
}

/* All begin, and all end. */
static bool is_fine(void)
{
    unsigned before = started, end_before = ended;

    ranges(AT_ONCE);
    return started == before + AT_ONCE && ended == end_before + AT_ONCE;
}

int main(void)
{
    struct sigaction action;

    InitializeInjectionNvtx2_fnptr = init;
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = on_step;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGTRAP, &action, NULL);
    nvtxh_listening();
    for (int instruction = 1; instruction < MOST; instruction++) {
        bool left = is_left(instruction, instruction % 2 ? 1 : AT_ONCE);

        if (!is_fine()) {
            printf("jumped out at instruction %d: %u started, %u ended\n", instruction, started,
                   ended);
            return 1;
        }
        if (!left)
            break;
    }
    return 0;
}
#else
int main(void)
{
    return 0;
}
#endif
