/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Three ranges in one. See README.md. */
#include "nvtxh.h"

int main(void) {
    NVTX_SCOPE("all");
    for (int i = 0; i < 3; i++) {
        NVTX_SCOPE("step");
    }
}
