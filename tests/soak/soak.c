/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* soak SECONDS idle|counted|recorded: runs scopes for that time. Prints how many, their statistics,
 * and the memory in use (KiB) after a tenth of the time, when the ring has been full, and at the
 * end. Recorded, a second thread makes some marks from time to time, whose payload is
 * CLOCK_MONOTONIC. */
#include "nvtxh.h"
#include "nvtxh/stats.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 100000, TRIES = 5, BURSTS = 50 };
enum { FULL = 4 * BATCH }; /* more scopes than the ring holds */

static volatile int over;
static long long seconds;

static int64_t now(void) {
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static long resident(void) {
    long total = 0, pages = 0;
    FILE *in = fopen("/proc/self/statm", "r");

    if (!in || fscanf(in, "%ld %ld", &total, &pages) != 2) {
        abort();
    }
    fclose(in);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void *mark_times(void *unused) {
    while (!over) {
        NVTX_MARK("clock", .payload = nvtxh_payload(now()));
        for (int i = 1; i < TRIES; i++) { /* of several, one is not disturbed */
            NVTX_MARK("clock", .payload = nvtxh_payload(now()));
        }
        usleep((useconds_t)(seconds * 1000000 / BURSTS)); /* they fit in a part of the ring */
    }
    return unused;
}

int main(int argc, char **argv) {
    bool recorded = argc == 3 && !strcmp(argv[2], "recorded");
    int64_t until, from = now();
    uint64_t count = 0;
    long memory = 0;
    pthread_t marking;

    if (argc != 3) {
        return 2;
    }
    seconds = atoll(argv[1]);
    until = from + seconds * 1000000000;
    if (!strcmp(argv[2], "counted")) {
        nvtxh_stats_enable(true);
    }
    if (recorded && pthread_create(&marking, NULL, mark_times, NULL)) {
        return 1;
    }
    while (now() < until || count < 2 * FULL) {
        for (int i = 0; i < BATCH; i++) {
            NVTX_SCOPE("soak", .payload = nvtxh_payload(count));
            count++;
        }
        if (!memory && count >= FULL && now() - from > (until - from) / 10) {
            memory = resident();
        }
    }
    long end = resident();
    over = 1;
    if (recorded) {
        pthread_join(marking, NULL);
    }
    printf("%" PRIu64 " %" PRIu64 " %ld %ld\n", count, (uint64_t)nvtxh_stats_find("soak").count,
           memory, end);
    return 0;
}
