/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_SUBSCRIBE_H
#define NVTXH_WRITE_SUBSCRIBE_H
/* Puts functions into the table of callbacks of one executable or shared object. */
#include <nvtx3/nvToolsExt.h>

#include <stddef.h>

struct callback {
    NvtxCallbackModule module;
    unsigned id;
    NvtxFunctionPointer function;
};

#define CALLBACK(module, id, function)                                                             \
    {                                                                                              \
        NVTX_CB_MODULE_##module, id, (NvtxFunctionPointer)(function)                               \
    }

static inline void subscribe(const NvtxExportTableCallbacks *exported, const struct callback *all,
                             size_t count)
{
    NvtxFunctionTable table;
    unsigned size;

    for (size_t i = 0; i < count; i++) {
        if (exported->GetModuleFunctionTable(all[i].module, &table, &size) && table &&
            all[i].id < size && table[all[i].id]) {
            *table[all[i].id] = all[i].function;
        }
    }
}

#endif /* NVTXH_WRITE_SUBSCRIBE_H */
