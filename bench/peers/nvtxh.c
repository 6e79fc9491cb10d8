/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Our scopes, recorded by the recorder if the program is started under it. */
#include "nvtxh.h"
#include "peer.h"

void peer_scope(void) {
    NVTXH_SCOPE("a scope");
    bench_stored = bench_work(3);
}
