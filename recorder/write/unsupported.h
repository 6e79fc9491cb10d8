/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_UNSUPPORTED_H
#define NVTXH_WRITE_UNSUPPORTED_H
/* What NVTX has and a recording cannot hold: the memory extension, and everything newer than this recorder. It is
 * counted by kind, so that nobody takes a recording for complete. */
#include "../format/format.h"

#include <nvtx3/nvToolsExt.h>

#include <stdint.h>

/* Puts counting functions into NVTX's tables. Call it before the known callbacks are put in. */
void unsupported_subscribe(const NvtxExportTableCallbacks *exported);

/* A function that can take the place of any other: counts a loss and returns 0. */
intptr_t unsupported_function(enum rec_loss loss);

#endif /* NVTXH_WRITE_UNSUPPORTED_H */
