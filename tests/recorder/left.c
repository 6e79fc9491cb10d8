/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* left N [FILE]: one thread after the other, N in all, each with a range that it leaves open and
 * one within that ends. Waits after a tenth of them until FILE is there. */
#include "program.h"

static void *work(void *arg) {
    nvtxRangePushA("left open");
    nvtxRangePushA("inner");
    nvtxRangePop();
    return arg;
}

int main(int argc, char **argv) {
    int threads = argc > 1 ? atoi(argv[1]) : 1;

    for (int i = 0; i < threads; i++) {
        in_thread(work, NULL);
        while (argc > 2 && i == threads / 10 && access(argv[2], F_OK) != 0) {
            usleep(10000);
        }
    }
    return 0;
}
