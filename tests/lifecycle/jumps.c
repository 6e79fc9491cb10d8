/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A signal handler jumps out of a process range's start or end, from between any two instructions
 * of it. The thread's next ranges begin and end as usual. */
#include "nvtxh.h"

#include "../inject/step.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>

enum { AT_ONCE = 40, MOST = 250 };
static unsigned started, ended;

static nvtxRangeId_t start(const nvtxEventAttributes_t *event) {
    (void)event;
    return ++started;
}

static void end(nvtxRangeId_t id) {
    (void)id;
    ended++;
}

static int init(NvtxGetExportTableFunc_t get) {
    const NvtxExportTableCallbacks *callbacks =
        (const NvtxExportTableCallbacks *)get(NVTX_ETID_CALLBACKS);
    NvtxFunctionTable functions;
    unsigned size;

    callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &functions, &size);
    *functions[NVTX_CBID_CORE_RangeStartEx] = (NvtxFunctionPointer)start;
    *functions[NVTX_CBID_CORE_RangeEnd] = (NvtxFunctionPointer)end;
    return 1;
}

#if STEPS
static sigjmp_buf out;

static void jump(void) {
    siglongjmp(out, 1);
}

/* MANY at once: the first ones of a thread make its pool, and more of them than it has make it
 * larger. */
static void ranges(int many) {
    struct nvtxh_range range[AT_ONCE];

    for (int i = 0; i < many; i++)
        range[i] = NVTX_START("range");
    for (int i = 0; i < many; i++)
        nvtxh_end(range[i]);
}

/* False: it is over before the instruction of that number. The ranges are 1 KiB further down on the
 * stack than those of main: without optimization the library's frames are so large that it takes a
 * call from less far up for a handler. */
static bool is_left(int instruction, int many) {
    char deep[1024];

    __asm__ volatile("" : : "r"(deep) : "memory");
    if (sigsetjmp(out, 1))
        return true;
    step_begin(instruction);
    ranges(many);
    return step_end();
}

int main(void) {
    InitializeInjectionNvtx2_fnptr = init;
    step_init(jump);
    nvtxh_listening();
    for (int instruction = 1; instruction < MOST; instruction++) {
        bool left = is_left(instruction, instruction % 2 ? 1 : AT_ONCE);
        unsigned before = started, end_before = ended;

        /* All begin, and all end. */
        ranges(AT_ONCE);
        if (started != before + AT_ONCE || ended != end_before + AT_ONCE) {
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
int main(void) {
    return 0;
}
#endif
