/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "peer.h"

#include <stdlib.h>

static volatile uint64_t begun, ended;

static void peer_nothing(void) {
    bench_stored = bench_work(3);
}

static void peer_clocks(void) {
    begun = bench_clock();
    bench_stored = bench_work(3);
    ended = bench_clock();
}

/* Of peers that record to no file of their own. */
bool __attribute__((weak)) peer_begin(const char *file) {
    return !file;
}

void __attribute__((weak)) peer_end(void) {
}

int main(int argc, char **argv) {
    static const struct bench_function functions[] = {
        BENCH_FUNCTION("nothing", peer_nothing),
        BENCH_FUNCTION("clocks", peer_clocks),
        BENCH_FUNCTION("scope", peer_scope),
        {0, 0, 0},
    };
    static const struct bench_function *const lists[] = {functions, 0};
    int status;

    if (!peer_begin(getenv("NVTXH_BENCH_FILE")))
        return 1;
    status = bench_main(argc, argv, lists);
    peer_end();
    return status;
}
