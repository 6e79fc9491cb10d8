/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_NVTX_PAYLOAD_H
#define NVTXH_IMPL_NVTX_PAYLOAD_H

/* NVTX's payload extension, for structs, counters and device ranges. NVTX has it from 3.2 on. If an
 * older NVTX core and newer extension headers are both on the include path, the extension is not
 * used, because the two do not work together. Not API. */

#include "nvtx.h"

#if defined(NVTX_NULLPTR) && __has_include(<nvtx3/nvToolsExtPayload.h>) && \
    __has_include(<nvtx3/nvToolsExtCounters.h>)
#define NVTXH_I_EXTENSIONS 1
#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvToolsExtSemanticsCounters.h>
#include <nvtx3/nvToolsExtSemanticsTime.h>

/* Does the tool have this function of the payload extension? Valid after the first call of any
 * function of the extension. */
#define NVTXH_I_EXT(function)                                                                      \
    (NVTX_EXT_PAYLOAD_VERSIONED_ID(nvtxExtPayloadSlots)[NVTX3EXT_CBID_##function + 1] >            \
     NVTX_EXTENSION_DISABLED)
#else
#define NVTXH_I_EXTENSIONS 0
#endif

#endif
