/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Statistics are switched on, paused and off while a function is open several times: who is
 * counted, and who still ends. */
#include "nvtxh.h"
#include "nvtxh/stats.h"

#include <stdio.h>

#define UNSEEN __attribute__((__no_instrument_function__))

static void leaf(void) {
    __asm__ volatile("");
}

static void descend(int depth) {
    if (depth == 3)
        nvtxh_stats_enable(true);
    if (depth == 6)
        nvtxh_enable(false);
    if (depth == 8)
        nvtxh_enable(true);
    if (depth == 9)
        nvtxh_stats_enable(false);
    leaf();
    if (depth < 11)
        descend(depth + 1);
    leaf();
}

UNSEEN static unsigned count(const char *message) {
    return (unsigned)nvtxh_stats_find(message).count;
}

int main(void) {
    descend(0);
    nvtxh_stats_enable(true);
    descend(12);
    leaf();
    /* 4 to 6, 9 and 12; once below each of 3, 4, 5 and 8, twice in 12, once in main: nobody listens
     * on the way back. */
    printf("%u %u %u\n", count("descend"), count("leaf"), count("main"));
    return 0;
}
