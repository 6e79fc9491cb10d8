/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CAPTURE_CUDA_H
#define NVTXH_CAPTURE_CUDA_H

/*
 * Calls to CUDA's profiler. Nothing of CUDA is linked or included for this: its functions are asked
 * of the dynamic linker, in libraries that the program has loaded. A weak reference would not do: it
 * would make weak the user's own, in the same file, and leave it unresolved in a static link. Not
 * API.
 */

#include "../config.h"
#include "../core/compiler.h"

#if NVTXH_I_IMPL

#include <dlfcn.h>
#include <string.h>

NVTXH_I_C_BEGIN

/* A function of CUDA: of its runtime, or if that is no shared library here, of the driver. */
static inline void *nvtxh_i_capture_cuda(const char *of_runtime, const char *of_driver)
{
    void *found = dlsym(NVTXH_I_NULL, of_runtime), *driver;

    if (!found) {
        driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
        if (driver) {
            found = dlsym(driver, of_driver);
            dlclose(driver);
        }
    }
    return found;
}

/* Call it. An error is not passed on, and not left behind for cudaGetLastError() either. */
static inline void nvtxh_i_capture_call(const char *of_runtime, const char *of_driver)
{
    void *found[3];
    int (*call[3])(void);
    bool clean;

    found[0] = nvtxh_i_capture_cuda(of_runtime, of_driver);
    found[1] = dlsym(NVTXH_I_NULL, "cudaPeekAtLastError");
    found[2] = dlsym(NVTXH_I_NULL, "cudaGetLastError");
    memcpy(call, found, sizeof(call));
    if (!found[0])
        return;
    clean = found[1] && found[2] && !call[1]();
    if (call[0]() && clean)
        call[2]();
}

NVTXH_I_C_END

#endif
#endif
