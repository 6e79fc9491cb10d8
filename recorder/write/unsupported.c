/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "unsupported.h"
#include "losses.h"

#include <stddef.h>

/*
 * Any of these may stand for a function of any arguments: the calling conventions there are let a
 * function ignore what it was given, and 0 is the answer of a tool that does not know.
 */
#define COUNTING(name, loss)                                                                       \
    static intptr_t name(void)                                                                     \
    {                                                                                              \
        losses_count(loss);                                                                        \
        return 0;                                                                                  \
    }
COUNTING(count_cuda, REC_LOSS_CUDA)
COUNTING(count_cudart, REC_LOSS_CUDART)
COUNTING(count_opencl, REC_LOSS_OPENCL)
COUNTING(count_sync, REC_LOSS_SYNC)
COUNTING(count_extended, REC_LOSS_EXTENDED)
COUNTING(count_counter, REC_LOSS_COUNTER)
COUNTING(count_memory, REC_LOSS_MEMORY)
COUNTING(count_extension, REC_LOSS_EXTENSION)

intptr_t unsupported_function(enum rec_loss loss)
{
    static intptr_t (*const functions[REC_LOSS_SIZE])(void) = {
        [REC_LOSS_CUDA] = count_cuda,         [REC_LOSS_CUDART] = count_cudart,
        [REC_LOSS_OPENCL] = count_opencl,     [REC_LOSS_SYNC] = count_sync,
        [REC_LOSS_EXTENDED] = count_extended, [REC_LOSS_COUNTER] = count_counter,
        [REC_LOSS_MEMORY] = count_memory,     [REC_LOSS_EXTENSION] = count_extension,
    };
    return (intptr_t)functions[loss];
}

static const struct {
    NvtxCallbackModule module;
    enum rec_loss loss;
} modules[] = {
    {NVTX_CB_MODULE_CUDA, REC_LOSS_CUDA},
    {NVTX_CB_MODULE_CUDART, REC_LOSS_CUDART},
    {NVTX_CB_MODULE_OPENCL, REC_LOSS_OPENCL},
    {NVTX_CB_MODULE_SYNC, REC_LOSS_SYNC},
};

void unsupported_subscribe(const NvtxExportTableCallbacks *exported)
{
    NvtxFunctionTable table;
    unsigned size;

    for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
        if (!exported->GetModuleFunctionTable(modules[i].module, &table, &size) || !table) {
            continue;
        }
        for (unsigned id = 1; id < size; id++) { /* 0 is no function */
            if (table[id]) {
                *table[id] = (NvtxFunctionPointer)unsupported_function(modules[i].loss);
            }
        }
    }
}
