/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ladder.h"

int main(int argc, char **argv) {
    static const struct bench_function *const lists[] = {rungs_off, rungs_nvtxh, rungs_nvtx,
                                                         rungs_nvtx3, 0};

    return bench_main(argc, argv, lists);
}
