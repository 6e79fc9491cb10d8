/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_SUBSCRIBE_H
#define NVTXH_WRITE_SUBSCRIBE_H
/* Puts functions into the table of callbacks of one executable or shared object. */
#include <nvtx3/nvToolsExt.h>

struct callback {
    NvtxCallbackModule module;
    unsigned id;
    NvtxFunctionPointer function;
};

#define CALLBACK(module, id, function)                                                                                 \
    {                                                                                                                  \
        NVTX_CB_MODULE_##module, id, (NvtxFunctionPointer)(function)                                                   \
    }

/* `all` ends with a function that is NULL. */
static inline void subscribe(const NvtxExportTableCallbacks *exported, const struct callback *all)
{
    NvtxFunctionTable table;
    unsigned size;

    for (; all->function; all++) {
        if (exported->GetModuleFunctionTable(all->module, &table, &size) && table && all->id < size && table[all->id]) {
            *table[all->id] = all->function;
        }
    }
}

#endif /* NVTXH_WRITE_SUBSCRIBE_H */
