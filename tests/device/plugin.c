/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A plugin of life.c: plain CUDA, as suite.h says. */
#include "nvtxh/device.h"

#include <cuda_runtime_api.h>

__attribute__((visibility("default"))) void plugin_enqueue(cudaStream_t stream);

__attribute__((visibility("default"))) struct nvtxh_device_range plugin_start(cudaStream_t stream);

void plugin_enqueue(cudaStream_t stream) {
    NVTXH_DEVICE_SCOPE(stream, "plugin");
}

struct nvtxh_device_range plugin_start(cudaStream_t stream) {
    struct nvtxh_device_range range;

    nvtxh_device_start(stream, &range, "plugin's");
    return range;
}
