/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ranges, one of which Nsight Systems captures, with events before, in and after them. The pauses
 * (PAUSE milliseconds) give it time to begin and to stop. */
#include "nvtxh.h"
#include "nvtxh/capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

NVTX_DOMAIN(train, "train");
NVTX_CATEGORY(gemm, &train, "gemm");

#define INSIDE(name)                                                                               \
    do {                                                                                           \
        usleep(pause_us);                                                                          \
        NVTX_MARK("in " name);                                                                     \
        NVTX_MARK("in train, in " name, .domain = &train);                                         \
        usleep(pause_us / 4);                                                                      \
    } while (0)

int main(int argc, char **argv) {
    unsigned pause_us = 1000 * (unsigned)atoi(getenv("PAUSE"));
    NVTX_MARK("before");
    {
        NVTX_SCOPE("literal");
        INSIDE("literal");
    }
    NVTX_MARK("between");
    {
        NVTX_SCOPE("attributes", .color = NVTXH_RED, .payload = nvtxh_payload(5));
        INSIDE("attributes");
    }
    {
        NVTX_SCOPE("domain", .domain = &train, .category = &gemm);
        INSIDE("domain");
    }
    {
        NVTXH_SCOPE_STRING(
            nvtxh_string_named(nvtxh_domain_named("of strings"), argv[0][0] ? "string" : ""));
        INSIDE("string");
    }
    {
        NVTXH_RANGE_SCOPE("process range");
        INSIDE("process range");
    }
    nvtxh_capture_start(argc > 5 ? argv[1] : "steady", NVTXH_CAPTURE_PROFILER | NVTXH_CAPTURE_WAIT);
    INSIDE("steady");
    nvtxh_capture_stop();
    {
        NVTXH_CAPTURE_SCOPE("scope");
        INSIDE("scope");
    }
    usleep(pause_us);
    NVTX_MARK("after");
    puts("done");
    return 0;
}
