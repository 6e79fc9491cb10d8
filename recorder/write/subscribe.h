/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Puts functions into the table of callbacks of one executable or shared object. */
#include <nvtx3/nvToolsExt.h>

struct callback {
    NvtxCallbackModule module;
    unsigned id;
    NvtxFunctionPointer function;
};

#define CALLBACK(module, id, function)                                                             \
    { NVTX_CB_MODULE_##module, id, (NvtxFunctionPointer)(function) }

/* Lists the functions that name objects of CUDA, its runtime and OpenCL: NAMES(X, module of NVTX,
 * word for the object in the names of the functions, type of the parameter that passes the object,
 * type of resource in NVTX). */
#define SUBSCRIBE_OBJECTS(X, NAMES)                                                                \
    NAMES(X, CUDA, CuDevice, int, CUDA + 1)                                                        \
    NAMES(X, CUDA, CuContext, uintptr_t, CUDA + 2)                                                 \
    NAMES(X, CUDA, CuStream, uintptr_t, CUDA + 3)                                                  \
    NAMES(X, CUDA, CuEvent, uintptr_t, CUDA + 4)                                                   \
    NAMES(X, CUDART, CudaDevice, int, CUDART + 0)                                                  \
    NAMES(X, CUDART, CudaStream, uintptr_t, CUDART + 1)                                            \
    NAMES(X, CUDART, CudaEvent, uintptr_t, CUDART + 2)                                             \
    NAMES(X, OPENCL, ClDevice, uintptr_t, OPENCL + 1)                                              \
    NAMES(X, OPENCL, ClContext, uintptr_t, OPENCL + 2)                                             \
    NAMES(X, OPENCL, ClCommandQueue, uintptr_t, OPENCL + 3)                                        \
    NAMES(X, OPENCL, ClMemObject, uintptr_t, OPENCL + 4)                                           \
    NAMES(X, OPENCL, ClSampler, uintptr_t, OPENCL + 5)                                             \
    NAMES(X, OPENCL, ClProgram, uintptr_t, OPENCL + 6)                                             \
    NAMES(X, OPENCL, ClEvent, uintptr_t, OPENCL + 7)

/* `all` ends with an entry whose function is NULL. */
static inline void subscribe(const NvtxExportTableCallbacks *exported, const struct callback *all) {
    NvtxFunctionTable table;
    unsigned size;

    for (; all->function; all++) {
        if (exported->GetModuleFunctionTable(all->module, &table, &size) && table &&
            all->id < size && table[all->id]) {
            *table[all->id] = all->function;
        }
    }
}
