/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counters: numbers over time, one by one, several at once, and measured earlier.
 *
 * A counter in a post office, minute by minute: customers come by chance, each wants his two to six
 * minutes, and who finds the queue full goes away. The same every day.
 */
#include "nvtxh.h"
#include "nvtxh/counter.h"

#include <stdio.h>
#include <time.h>

enum { MINUTES = 480, SEATS = 3, SAMPLES = 48 };

NVTX_DOMAIN(office, "office");
NVTXH_COUNTER(waiting, &office, "waiting", .unit = "customers", .max = SEATS);
/* A struct makes a group of counters. */
NVTXH_PAYLOAD_STRUCT(customers, (int, served), (int, lost));
NVTXH_COUNTER(day, &office, "so far");
/* Sampled by the program, sent in one batch. */
NVTXH_COUNTER(clerk, &office, "clerk", .unit = "%", .max = 100, .description = "time at work");

static unsigned chance(unsigned below) {
    static unsigned state = 1;

    state = state * 1103515245 + 12345;
    return (state >> 16) % below;
}

static int64_t now(void) {
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int main(void) {
    struct customers customers = {0, 0};
    double busy[SAMPLES];
    int64_t times[SAMPLES];
    int queue = 0, left = 0, worked = 0;

    for (int minute = 0; minute < MINUTES; minute++) {
        if (chance(4) == 0) {
            if (queue < SEATS)
                queue++;
            else
                customers.lost++;
            nvtxh_counter_set(&waiting, queue);
        }
        if (left == 0 && queue > 0) {
            left = 2 + (int)chance(5);
            queue--;
            nvtxh_counter_set(&waiting, queue);
        }
        if (left > 0) {
            worked++;
            if (--left == 0) {
                customers.served++;
                nvtxh_counter_set(&day, &customers);
            }
        }
        if (minute % (MINUTES / SAMPLES) == MINUTES / SAMPLES - 1) {
            busy[minute / (MINUTES / SAMPLES)] = 100.0 * worked / (minute + 1);
            times[minute / (MINUTES / SAMPLES)] = now();
        }
    }
    nvtxh_counter_batch(&clerk, busy, SAMPLES, times);
    printf("%d served, %d lost, %d waiting, the clerk busy for %.0f %% of the day\n",
           customers.served, customers.lost, queue, busy[SAMPLES - 1]);
}
