/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A known sequence of events of every sort, for Nsight Systems; suite.py has what should come of
 * it. Prints the thread ids, "main worker".
 */
#include "nvtxh.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

NVTX_DOMAIN(train, "train");
NVTX_DOMAIN(load, "load");
NVTX_CATEGORY(gemm, &train, "gemm");
NVTX_CATEGORY(copy, &train, "copy");
NVTX_CATEGORY(plain, NULL, "plain");

static struct nvtxh_range across;
static long worker_tid;

static void *worker(void *unused) {
    (void)unused;
    worker_tid = syscall(SYS_gettid);
    nvtxh_thread_name("io worker");
    {
        NVTX_SCOPE("on worker", .domain = &load, .payload = nvtxh_payload(-6000000000ll));
        NVTX_SCOPE("shared");
    }
    nvtxh_end(across);
    return NULL;
}

static void in_function(void) {
    NVTX_FUNC(.color = nvtxh_argb(0x80, 1, 2, 3));
}

int main(void) {
    struct nvtxh_range a, b;
    pthread_t thread;
    int i;

    nvtxh_thread_name("main thread");
    {
        NVTX_SCOPE("plain");
        {
            NVTX_SCOPE("all", .domain = &train, .category = &gemm, .color = NVTXH_GREEN,
                       .payload = nvtxh_payload(5));
            NVTX_MARK("mark in all", .domain = &train, .category = &copy, .color = NVTXH_TOMATO,
                      .payload = nvtxh_payload(18000000000000000000ull));
        }
        NVTX_SCOPEF("formatted %d of %s", 7, "10");
        in_function();
        for (i = 0; i < 3; i++) {
            NVTX_SCOPE("turn", .payload = nvtxh_payload(4000000000u + (unsigned)i));
        }
    }
    NVTX_PUSH("pushed", .domain = &train, .payload = nvtxh_payload(0.25));
    NVTX_PUSH("pushed further", .domain = &train, .category = NVTXH_CATEGORY_ID(7));
    NVTX_POP(.domain = &train);
    NVTX_POP(.domain = &train);
    nvtxh_enable(false);
    {
        NVTX_SCOPE("left out");
        nvtxh_enable(true);
    }
    NVTX_MARK("plain mark", .category = &plain, .payload = nvtxh_payload(0.5f));
    NVTX_MARKF("100%% \"quoted\", %s", "na\xc3\xafve");
    a = NVTX_START("first", .domain = &load, .color = NVTXH_COLOR_AUTO);
    b = NVTX_START("second");
    nvtxh_end(a);
    nvtxh_end(b);
    across = NVTX_START("across threads", .domain = &train, .category = &copy,
                        .payload = nvtxh_payload(-1));
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    { NVTX_SCOPE("shared"); }
    printf("%ld %ld\n", syscall(SYS_gettid), worker_tid);
    return 0;
}
