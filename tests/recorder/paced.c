/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For some milliseconds, marks with the number of microseconds since the program's start; a range
 * around all of it. */
#include "program.h"

int main(int argc, char **argv) {
    long long start = now_ns(), end = start + (argc > 1 ? atoi(argv[1]) : 100) * 1000000LL;
    nvtxEventAttributes_t a = with_text("tick");

    a.payloadType = NVTX_PAYLOAD_TYPE_INT64;
    nvtxRangePushA("all");
    for (long long now = start; now < end; now = now_ns()) {
        a.payload.llValue = (now - start) / 1000;
        nvtxMarkEx(&a);
        usleep(100);
    }
    nvtxRangePop();
    return 0;
}
