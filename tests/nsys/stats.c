/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ranges that are counted by NVTXH_STATS=1, and seen by whatever tool there is. */
#include "nvtxh.h"
#include "nvtxh/stats.h"

NVTX_DOMAIN(train, "train");

static void step(int i) {
    NVTX_FUNC(.domain = &train);
    for (int k = 0; k < i; k++) {
        NVTX_SCOPE("inner");
        NVTX_MARK("seen");
    }
}

int main(void) {
    NVTX_SCOPE("all");
    for (int i = 0; i < 20; i++) {
        step(i);
    }
    return 0;
}
