/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program that forgets the domain at every pop. */
#include "nvtxh.h"

#include <time.h>

NVTX_DOMAIN(train, "train");

int main(void) {
    for (int i = 0; i < 200; i++) {
        NVTX_SCOPE("frame");
        {
            NVTX_SCOPE("step");
            NVTX_PUSH("x", .domain = &train);
            nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
        }
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
    for (int i = 0; i < 200; i++) {
        NVTX_PUSH("y", .domain = &train);
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
        NVTX_POP();
    }
    return 0;
}
