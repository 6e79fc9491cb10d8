/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Each thread makes one range. When all have, the main thread makes some more; then they end.
 * Arguments: how many threads, how many ranges of the main thread. */
#include "program.h"

static pthread_barrier_t barrier;

static void *work(void *arg) {
    nvtxRangePushA("work");
    nvtxRangePop();
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    return arg;
}

int main(int argc, char **argv) {
    unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    int ranges = argc > 2 ? atoi(argv[2]) : 0;
    pthread_t *threads = calloc(count, sizeof(*threads));

    MUST(threads);
    pthread_barrier_init(&barrier, NULL, count + 1);
    for (unsigned i = 0; i < count; i++) {
        MUST(pthread_create(&threads[i], NULL, work, NULL) == 0);
    }
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < ranges; i++) {
        nvtxRangePushA("busy");
        nvtxRangePop();
    }
    pthread_barrier_wait(&barrier);
    for (unsigned i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
    }
    free(threads);
    return 0;
}
