/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Messages made at run time, ranges under a condition, and ranges that end early.
 *
 * Takes a number; halves it if it is even, else trebles it and adds one; until it is 1. Which
 * number below LIMIT takes the most steps? (Collatz)
 */
#include "nvtxh.h"

#include <stdio.h>

enum { LIMIT = 100000, BLOCK = 10000 };

static int steps_from(unsigned long n) {
    int steps = 0;

    /* Decided once, here. A range for each of these short calls would bury all others. */
    NVTXH_SCOPE_IF(n % 1000 == 0, "every thousandth", .payload = nvtxh_payload(n));

    for (; n != 1; steps++)
        n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    return steps;
}

int main(void) {
    unsigned long best = 1;
    int most = 0;

    /* With a name, a scope can end before its block does. */
    NVTXH_SCOPE_AS(search, "search", .color = NVTXH_ROYALBLUE);

    for (unsigned long first = 1; first < LIMIT; first += BLOCK) {
        /* Formatted only if someone listens; the compiler checks the arguments always. */
        NVTX_SCOPEF("from %lu to %lu", first, first + BLOCK - 1);

        for (unsigned long n = first; n < first + BLOCK && n < LIMIT; n++) {
            int steps = steps_from(n);
            if (steps > most) {
                most = steps;
                best = n;
                NVTX_MARKF("record: %d steps from %lu", most, best);
            }
        }
    }
    nvtxh_scope_end(&search); /* "search" is over; printing is not part of it */

    NVTX_SCOPE("report");
    printf("%lu takes %d steps, the most below %d\n", best, most, LIMIT);
}
