/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What nvtxh record --switches makes dearer: prints the ns that two threads on one processor take
 * to hand it over once, and those of a thread's start and end. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int there[2], back[2];

static void *answer(void *turns) {
    char byte;

    for (long i = 0; i < (long)turns; i++) {
        if (read(there[0], &byte, 1) != 1 || write(back[1], "", 1) != 1) {
            exit(1);
        }
    }
    return NULL;
}

static void *nothing(void *arg) {
    return arg;
}

static double now(void) {
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void run(void *(*f)(void *), void *arg, long turns) {
    pthread_t thread;
    char byte;

    if (pthread_create(&thread, NULL, f, arg) != 0) {
        exit(1);
    }
    for (long i = 0; i < turns; i++) {
        if (write(there[1], "", 1) != 1 || read(back[0], &byte, 1) != 1) {
            exit(1);
        }
    }
    pthread_join(thread, NULL);
}

int main(int argc, char **argv) {
    long turns = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    cpu_set_t one, all;

    if (pipe(there) != 0 || pipe(back) != 0 || turns < 1) {
        return 1;
    }
    sched_getaffinity(0, sizeof(all), &all);
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof(one), &one);
    double begun = now();
    run(answer, (void *)turns, turns);
    printf("switch\tanswer\t%.1f\n", (now() - begun) / (double)turns / 2);
    sched_setaffinity(0, sizeof(all), &all);
    begun = now();
    for (long i = 0; i < turns; i++) {
        run(nothing, NULL, 0);
    }
    printf("thread\tnothing\t%.1f\n", (now() - begun) / (double)turns);
    return 0;
}
