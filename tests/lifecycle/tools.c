/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Uses everything, prints something, and exits with status 7, with any tool. With an argument the
 * status says who listened: 1 if nvtxh_listening(), 2 if an attribute was evaluated. */
#include "nvtxh.h"

#include <pthread.h>
#include <stdio.h>

NVTX_DOMAIN(train, "train");
NVTX_CATEGORY(gemm, &train, "gemm");
NVTX_CATEGORY(plain, NULL, "plain");

static int work(int i) {
    NVTX_FUNC();
    NVTX_SCOPE("in train", .domain = &train, .category = &gemm, .color = NVTXH_COLOR_AUTO,
               .payload = nvtxh_payload(i));
    NVTX_SCOPEF("formatted %d", i);
    NVTXH_SCOPE_IF(i & 1, "odd");

    NVTXH_BLOCK("block", .category = &plain) {
        if (i == 2)
            break;
        NVTX_MARK("mark", .domain = i & 1 ? &train : NULL);
    }
    return i * 3;
}

static void *on_thread(void *range) {
    nvtxh_thread_name("worker");
    work(5);
    nvtxh_end(*(struct nvtxh_range *)range);
    return NULL;
}

static int evaluated;

static int evaluate(void) {
    return evaluated = 2;
}

int main(int argc, char **argv) {
    struct nvtxh_range range = NVTX_START("range", .domain = &train), plain_range;
    pthread_t thread;
    int i, sum = 0;

    nvtxh_thread_name("main");
    for (i = 0; i < 4; i++) {
        int depth = NVTX_PUSH("turn"), in_train = NVTX_PUSH("turn", .domain = &train);

        sum += work(i);
        nvtxh_enable(i & 1);
        /* A pop says what its push said, also where no tool takes it. */
        if (NVTX_POP(.domain = &train) != in_train || NVTX_POP() != depth)
            puts("another depth");
    }
    nvtxh_enable(true);
    plain_range = NVTXH_STARTF("range %d", sum);
    pthread_create(&thread, NULL, on_thread, &range);
    pthread_join(thread, NULL);
    nvtxh_end(range);
    nvtxh_end(plain_range);
    printf("the sum is %d\n", sum);
    (void)argv;
    if (argc > 1) {
        NVTX_SCOPE("last", .payload = nvtxh_payload(evaluate()));

        return evaluated + nvtxh_listening();
    }
    return 7;
}
