/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Annotations before main, after it and as the process ends: in constructors, destructors and
 * atexit handlers; in C++ of static objects too. With a range left open, and a thread that is still
 * in the middle of something. Prints nothing; the tool's file tells.
 */
#include "nvtxh.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

NVTX_DOMAIN(life, "life");
NVTX_CATEGORY(late, &life, "late");

__attribute__((constructor)) static void constructor(void) {
    NVTX_SCOPE("constructor", .domain = &life);
}

__attribute__((destructor)) static void destructor(void) {
    NVTX_SCOPE("destructor", .domain = &life, .category = &late);
    NVTX_MARKF("late %d", 1);
    nvtxh_end(NVTX_START("late range", .domain = &life));
}

/* The very last: when the library's own destructor has run. */
__attribute__((destructor(101))) static void last(void) {
    NVTX_SCOPE("last", .domain = &life);
    usleep(20000);
}

static void at_exit(void) {
    NVTX_SCOPE("atexit");
}

static void before_main(void) {
    NVTX_SCOPE("atexit, early");
}

__attribute__((constructor)) static void registers_early(void) {
    atexit(before_main);
}

#ifdef __cplusplus
struct object {
    object() {
        NVTX_SCOPE("object made");
    }
    ~object() {
        NVTX_SCOPE("object destroyed");
    }
};
static object a_static_object;
#endif

static void *busy(void *unused) {
    for (;;) {
        NVTX_SCOPE("busy", .domain = &life);
        nvtxh_end(NVTX_START("busy range"));
    }
    return unused;
}

int main(int argc, char **argv) {
    pthread_t thread;
    int i;

    atexit(at_exit);
    { NVTX_SCOPE("main"); }
    if (argc > 1) {
        for (i = 0; i < 4; i++)
            pthread_create(&thread, NULL, busy, NULL);
        usleep(20000);
    }
    (void)NVTX_START("left open", .domain = &life);
    (void)argv;
    exit(5);
}
