/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ours, which is recorded by the recorder, by whoever starts this program. */
#include "nvtxh.h"
#include "peer.h"

bool peer_begin(const char *file)
{
    (void)file;
    return true;
}

void peer_scope(void)
{
    NVTXH_SCOPE("a scope");
    bench_stored = bench_work(3);
}

void peer_end(void)
{
}
