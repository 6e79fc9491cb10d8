/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tracy's C API without a server. Built on demand, it is idle then. Otherwise it keeps its events
 * in memory until a server comes, which costs as much as recording. */
#include "peer.h"

#include <stdint.h>
#include <tracy/TracyC.h>

bool peer_begin(const char *file) {
#ifdef TRACY_ON_DEMAND
    return !file;
#else
    return file != 0;
#endif
}

void peer_scope(void) {
    TracyCZoneN(zone, "a scope", 1);
    bench_stored = bench_work(3);
    TracyCZoneEnd(zone);
}

void peer_end(void) {
}
