/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A shared object that programs.c loads and closes. */
#include "nvtxh.h"
#include "nvtxh/stats.h"

__attribute__((visibility("default"))) void hostile_plugin(void);

void hostile_plugin(void) {
    NVTX_SCOPE("work");
}
