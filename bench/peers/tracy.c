/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tracy's C API without a server. Built on demand, it is idle then. Otherwise it keeps its events
 * in memory until a server comes, which costs as much as recording. */
#include "peer.h"

#include <tracy/TracyC.h>

void peer_scope(void) {
    TracyCZoneN(zone, "a scope", 1);
    bench_stored = bench_work(3);
    TracyCZoneEnd(zone);
}
