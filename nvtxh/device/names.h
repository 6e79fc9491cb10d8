/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DEVICE_NAMES_H
#define NVTXH_DEVICE_NAMES_H

/*
 * Names of streams, devices, events and contexts, by the tool's own functions, whose types are those of
 * CUDA's handles. Not API.
 */

#include "../impl/nvtx.h"
#include "../state.h"
#include "cuda.h"

#if NVTXH_I_IMPL

#include <string.h>

NVTXH_I_C_BEGIN

#define NVTXH_I_NAMER(name_it, handle_type, function)                                              \
    NVTXH_I_LINKONCE void name_it(handle_type handle, const char *name)                            \
    {                                                                                              \
        void (*tell)(handle_type, const char *);                                                   \
                                                                                                   \
        if (nvtxh_listening() && NVTXH_I_NVTX(function)) {                                         \
            memcpy(&tell, &NVTXH_I_NVTX(function), sizeof(tell));                                  \
            tell(handle, name);                                                                    \
        }                                                                                          \
    }
/* clang-format off */
#ifdef NVTXH_CUDA_DRIVER
NVTXH_I_NAMER(nvtxh_stream_name, nvtxh_i_stream, nvtxNameCuStreamA)
NVTXH_I_NAMER(nvtxh_device_name, int, nvtxNameCuDeviceA)
NVTXH_I_NAMER(nvtxh_event_name, nvtxh_i_cuda_event, nvtxNameCuEventA)
#else
NVTXH_I_NAMER(nvtxh_stream_name, nvtxh_i_stream, nvtxNameCudaStreamA)
NVTXH_I_NAMER(nvtxh_device_name, int, nvtxNameCudaDeviceA)
NVTXH_I_NAMER(nvtxh_event_name, nvtxh_i_cuda_event, nvtxNameCudaEventA)
#endif
NVTXH_I_NAMER(nvtxh_context_name, struct CUctx_st *, nvtxNameCuContextA)
/* clang-format on */

NVTXH_I_C_END

#endif
#endif
