/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Payloads of device ranges in a file that includes payload.h, too. */
#include "suite.h"
#include "nvtxh/payload.h"

NVTXH_PAYLOAD_STRUCT(shape, (int, rows), (int, columns));

static cudaStream_t stream;

/* A struct could change before it reaches the tool, so it is left out; the range is not. */
static void structs(void) {
    struct shape shape = {3, 4};
    struct nvtxh_device_range range;
    bool failed = false;

    failed |= 0 != nvtxh_device_start(stream, &range, "start", .color = NVTXH_RED,
                                      .payload = nvtxh_payload(&shape));
    failed |= 0 != nvtxh_device_next(stream, &range, "next", .payload = nvtxh_payload(&shape));
    failed |= 0 != nvtxh_device_mark(stream, "mark", .payload = nvtxh_payload(&shape));
    failed |= 0 != nvtxh_device_end(stream, range);
    { NVTXH_DEVICE_SCOPE(stream, "scope", .payload = nvtxh_payload(&shape)); }
    ok(failed);
    settle();
    logged("start [start] color=ffff0000 #1; end #1; start [next] #2; mark [mark]; end #2; "
           "start [scope] #3; end #3");
}

static void numbers(void) {
    bool failed = 0 != nvtxh_device_mark(stream, "mark", .payload = nvtxh_payload(-5));

    ok(failed);
    settle();
    logged("mark [mark] i32=-5");
}

int main(void) {
    need_device();
    ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    RUN(structs);
    RUN(numbers);
    ok(cudaStreamDestroy(stream));
    return 0;
}
