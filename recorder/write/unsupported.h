/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_UNSUPPORTED_H
#define NVTXH_WRITE_UNSUPPORTED_H
/* What NVTX has and a recording has no place for: the memory extension, and what is newer than this
 * recorder. It is counted by kind, so that nobody takes a recording for more than it is. */
#include "../format/format.h"

#include <nvtx3/nvToolsExt.h>

#include <stdint.h>

/* To be called before the callbacks that are known are put in. */
void unsupported_subscribe(const NvtxExportTableCallbacks *exported);

/* A function that may stand for one of any arguments, counts a loss and returns 0. */
intptr_t unsupported_function(enum rec_loss loss);

#endif /* NVTXH_WRITE_UNSUPPORTED_H */
