/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_INJECT_UNKNOWN_H
#define NVTXH_INJECT_UNKNOWN_H
/*
 * What NVTX has and a recording has no place for: names of CUDA and OpenCL objects, objects of
 * synchronization, and the extensions. It is counted by kind, so that nobody takes a recording for
 * more than it is. Ranges and marks of the payload extension are recorded without their payload.
 */
#include <nvtx3/nvToolsExt.h>

void unknown_subscribe(const NvtxExportTableCallbacks *exported);

#endif /* NVTXH_INJECT_UNKNOWN_H */
