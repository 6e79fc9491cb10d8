/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_ENTRY_RESOURCE_H
#define NVTXH_WRITE_ENTRY_RESOURCE_H
/* Names of objects of CUDA, its runtime and OpenCL, resources of the program's own, and what it
 * says about objects of synchronization. */
#include <nvtx3/nvToolsExt.h>

void resource_subscribe(const NvtxExportTableCallbacks *exported);

#endif /* NVTXH_WRITE_ENTRY_RESOURCE_H */
