/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_PAYLOAD_NVTX_H
#define NVTXH_PAYLOAD_NVTX_H

/* NVTX's extension headers, for the implementation of structs and counters. Not API. */

#include "../impl/nvtx_payload.h"

#if NVTXH_I_IMPL

#if defined(NVTXH_REQUIRE_EXTENSIONS) && !NVTXH_I_EXTENSIONS
#error                                                                                                                 \
    "nvtxh: NVTXH_REQUIRE_EXTENSIONS is defined, and these NVTX headers have no payload and counter extensions: they are older than 3.2. Use newer ones, or leave it undefined to make do with a 64-bit payload."
#endif

#if NVTXH_I_EXTENSIONS
NVTXH_I_QUIET_BEGIN
#include <nvtx3/nvToolsExtSemanticsCounters.h>
NVTXH_I_QUIET_END
#endif

#endif
#endif

/* Outside of the include guard: counter.h may be included later, and only files with counters need this NVTX header. */
#if NVTXH_I_IMPL && NVTXH_I_EXTENSIONS && defined(NVTXH_PAYLOAD_COUNTER_H)
NVTXH_I_QUIET_BEGIN
#include <nvtx3/nvToolsExtCounters.h>
NVTXH_I_QUIET_END
#endif
