/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two LTTng-UST tracepoints; recorded by the session that peers.py sets up. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_provider.h"

#include "peer.h"

void peer_scope(void) {
    lttng_ust_tracepoint(nvtxh_bench, begin, "a scope");
    bench_stored = bench_work(3);
    lttng_ust_tracepoint(nvtxh_bench, end);
}
