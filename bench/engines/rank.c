/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* rank RANGES: one rank of a job, with RANGES ranges, nested, of two domains. Rank 3 is slow in one
 * domain. */
#include "nvtxh.h"

#include <stdlib.h>

NVTXH_DOMAIN(mpi, "mpi");

enum { A_STEP = 5 };

static void work(long n) {
    for (volatile long i = 0; i < n; i++) {
    }
}

#define PIECE(name, n)                                                                             \
    do {                                                                                           \
        NVTXH_SCOPE(name);                                                                         \
        work(n);                                                                                   \
    } while (0)

int main(int argc, char **argv) {
    const char *rank = getenv("NVTXH_RECORD_RANK");
    long slow = rank && atoi(rank) == 3 ? 1000 : 0;

    for (long n = argc > 1 ? atol(argv[1]) : 0; n >= A_STEP; n -= A_STEP) {
        NVTXH_SCOPE("step", .payload = nvtxh_payload(n));
        PIECE("load", 10);
        PIECE("forward", 20);
        PIECE("backward", 40 + slow);
        NVTXH_SCOPE("barrier", .domain = &mpi);
        work(5);
    }
    return 0;
}
