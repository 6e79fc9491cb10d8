/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* NVTX by hand, recorded like ours. */
#include "peer.h"

#include <nvtx3/nvToolsExt.h>

void peer_scope(void) {
    nvtxRangePushA("a scope");
    bench_stored = bench_work(3);
    nvtxRangePop();
}
