/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DEVICE_NAMES_H
#define NVTXH_DEVICE_NAMES_H

/* nvtxh_stream_name() and the like, which pass CUDA's handle and the name to a function of the
 * tool. Not API. */

#include "../impl/nvtx.h"
#include "../state.h"
#include "cuda.h"

#include <string.h>

NVTXH_I_C_BEGIN

#define NVTXH_I_NAMER(name_it, type, runtime, driver)                                              \
    NVTXH_I_LINKONCE void name_it(type handle, const char *name) {                                 \
        void (*tell)(type, const char *) = NVTXH_I_NULL; /* read once: it may become NULL */       \
                                                                                                   \
        if (nvtxh_listening())                                                                     \
            memcpy(&tell, &NVTXH_I_CUDA(NVTXH_I_NVTX(runtime), NVTXH_I_NVTX(driver)),              \
                   sizeof(tell));                                                                  \
        if (tell)                                                                                  \
            tell(handle, name);                                                                    \
    }
/* clang-format off */
NVTXH_I_NAMER(nvtxh_stream_name, nvtxh_i_stream, nvtxNameCudaStreamA, nvtxNameCuStreamA)
NVTXH_I_NAMER(nvtxh_device_name, int, nvtxNameCudaDeviceA, nvtxNameCuDeviceA)
NVTXH_I_NAMER(nvtxh_event_name, nvtxh_i_cuda_event, nvtxNameCudaEventA, nvtxNameCuEventA)
NVTXH_I_NAMER(nvtxh_context_name, struct CUctx_st *, nvtxNameCuContextA, nvtxNameCuContextA)
/* clang-format on */

NVTXH_I_C_END

#endif
