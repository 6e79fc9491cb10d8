/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* minitrace. Its buffer holds a million events and is written out before it is full. */
#define MTR_ENABLED
#include "peer.h"

#include <minitrace.h>

static bool on;
static int events;

bool peer_begin(const char *file) {
    if (file) {
        mtr_init(file);
        on = true;
    }
    return true;
}

void peer_scope(void) {
    MTR_BEGIN("bench", "a scope");
    bench_stored = bench_work(3);
    MTR_END("bench", "a scope");
    if (on && (events += 2) > 900000) {
        mtr_flush();
        events = 0;
    }
}

void peer_end(void) {
    if (on)
        mtr_shutdown();
}
