/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads with names of the system's, given before their first range, after it, and beside one of
 * NVTX's. */
#define _GNU_SOURCE
#include "program.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

static pthread_barrier_t ready, turn;

static void *named(void *arg) {
    const char *name = arg;
    int before = strcmp(name, "late") != 0;

    if (before) {
        pthread_setname_np(pthread_self(), name);
    }
    nvtxRangePushA("work");
    nvtxRangePop();
    if (!before) {
        pthread_setname_np(pthread_self(), name);
    }
    if (!strcmp(name, "passed over")) {
        nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), "by NVTX");
        pthread_setname_np(pthread_self(), "again");
    }
    return NULL;
}

static void *alive(void *arg) {
    nvtxRangePushA("work");
    pthread_setname_np(pthread_self(), "alive at the en");
    pthread_barrier_wait(&ready);
    pause();
    return arg;
}

static void *waits(void *arg) {
    nvtxRangePushA("work");
    nvtxRangePop();
    pthread_barrier_wait(&turn);
    pthread_barrier_wait(&turn);
    return arg;
}

static void *leaves_open(void *arg) {
    nvtxRangePushA("left open"); /* no other thread gets its memory then */
    return arg;
}

/* Of two threads the later one ends first. */
static void end_in_turn(void) {
    pthread_t waiting;

    pthread_barrier_init(&turn, NULL, 2);
    pthread_create(&waiting, NULL, waits, NULL);
    pthread_barrier_wait(&turn);
    in_thread(leaves_open, NULL);
    pthread_barrier_wait(&turn);
    pthread_join(waiting, NULL);
}

int main(void) {
    char names[][16] = {"early", "late", "passed over"};
    pthread_t thread;

    nvtxRangePushA("main");
    nvtxRangePop();
    for (int i = 0; i < 3; i++) {
        in_thread(named, names[i]);
    }
    in_thread(named, (void *)program_invocation_short_name);
    end_in_turn();
    pthread_barrier_init(&ready, NULL, 2);
    pthread_create(&thread, NULL, alive, NULL);
    pthread_barrier_wait(&ready);
    return 0;
}
