/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Our scopes, recorded by the recorder if the program is started under it. */
#include "nvtxh.h"
#include "peer.h"

bool peer_begin(const char *file) {
    (void)file;
    return true;
}

void peer_scope(void) {
    NVTXH_SCOPE("a scope");
    bench_stored = bench_work(3);
}

void peer_end(void) {
}
