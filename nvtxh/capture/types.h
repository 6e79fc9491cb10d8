/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CAPTURE_TYPES_H
#define NVTXH_CAPTURE_TYPES_H

/* The constants of captures: see capture.h. */

#define NVTXH_CAPTURE_PROFILER 1u
#define NVTXH_CAPTURE_WAIT 2u
#define NVTXH_CAPTURE_WAIT_ALL 4u
/* The most captures that may be open at once in a linked object. */
#define NVTXH_CAPTURE_MAX 32

#endif
