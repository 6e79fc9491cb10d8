/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "unsupported.h"
#include "losses.h"

#include <stddef.h>

/*
 * Any of these may be called with any arguments, because on the supported architectures a function may ignore its
 * arguments. They return 0, like a tool that does not support the function.
 */
#define COUNTING(kind)                                                                             \
    static intptr_t count_##kind(void)                                                             \
    {                                                                                              \
        losses_count(REC_LOSS_##kind);                                                             \
        return 0;                                                                                  \
    }
#define ENTRY(kind) [REC_LOSS_##kind] = count_##kind,
#define EACH(what)                                                                                 \
    what(CUDA) what(CUDART) what(OPENCL) what(SYNC) what(EXTENDED) what(COUNTER) what(MEMORY)      \
        what(EXTENSION)

EACH(COUNTING)

intptr_t unsupported_function(enum rec_loss loss)
{
    static intptr_t (*const functions[REC_LOSS_SIZE])(void) = {EACH(ENTRY)};
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
