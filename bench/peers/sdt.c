/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two static probes. The kernel records them on request. */
#include "peer.h"

#include <sys/sdt.h>

void peer_scope(void) {
    DTRACE_PROBE1(nvtxh_bench, begin, "a scope");
    bench_stored = bench_work(3);
    DTRACE_PROBE(nvtxh_bench, end);
}
