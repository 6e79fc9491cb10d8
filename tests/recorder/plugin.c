/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A shared object with NVTX, and so with function tables of its own. */
#include <nvtx3/nvToolsExt.h>

void plugin(void);

void plugin(void) {
    nvtxRangePushA("in a plugin");
    nvtxRangePop();
}
