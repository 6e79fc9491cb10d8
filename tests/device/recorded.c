/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Timed ranges around host functions, each of which has its own range on its thread. run.py records
 * both and compares their times. Prints the error of the clock in ns. */
#include "nvtxh.h"
#include "nvtxh/device.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <unistd.h>

static void CUDART_CB work(void *unused) {
    NVTX_SCOPE("work");
    (void)unused;
    usleep(500);
}

int main(void) {
    struct nvtxh_device_counts counts;
    cudaStream_t stream;
    int i;

    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess)
        return 1;
    nvtxh_device_set_mode(NVTXH_DEVICE_TIMED | NVTXH_DEVICE_NO_HOST);
    for (i = 0; i < 200; i++) {
        struct nvtxh_device_range range;

        if (i % 2)
            nvtxh_device_start(stream, &range, "range", .payload = nvtxh_payload(i));
        else
            nvtxh_device_start(stream, &range, "range", .color = NVTXH_TEAL);
        cudaLaunchHostFunc(stream, work, NULL);
        nvtxh_device_end(stream, range);
    }
    if (nvtxh_device_drain(-1) != cudaSuccess || nvtxh_device_counts(&counts) != cudaSuccess)
        return 1;
    printf("%llu\n", (unsigned long long)counts.clock_error_ns);
    return counts.lost ? 1 : 0;
}
