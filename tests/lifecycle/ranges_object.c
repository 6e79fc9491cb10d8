/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A shared object that begins and ends process ranges for ranges.c. */
#include "nvtxh.h"

NVTX_DOMAIN(elsewhere, "elsewhere");

#ifdef __cplusplus
extern "C" {
#endif
struct nvtxh_range object_start(int i);
void object_end(struct nvtxh_range range);
#ifdef __cplusplus
}
#endif

__attribute__((visibility("default"))) struct nvtxh_range object_start(int i) {
    return i % 2 ? NVTX_START("of the object")
                 : NVTX_START("of the object", .domain = &elsewhere, .payload = nvtxh_payload(i));
}

__attribute__((visibility("default"))) void object_end(struct nvtxh_range range) {
    nvtxh_end(range);
}
