/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* left N: one thread after the other, N in all, each with a range that it leaves open and one
 * within that ends. */
#include "program.h"

#include <pthread.h>

static void *work(void *arg) {
    nvtxRangePushA("left open");
    nvtxRangePushA("inner");
    nvtxRangePop();
    return arg;
}

int main(int argc, char **argv) {
    int threads = argc > 1 ? atoi(argv[1]) : 1;

    for (int i = 0; i < threads; i++) {
        pthread_t thread;
        MUST(pthread_create(&thread, NULL, work, NULL) == 0);
        pthread_join(thread, NULL);
    }
    return 0;
}
