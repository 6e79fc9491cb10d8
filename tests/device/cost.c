/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions with an annotation of a stream and without, for cost.py, which counts the instructions
 * of a call while nobody listens. */
#include "nvtxh/device.h"

#ifdef __cplusplus
extern "C" {
#endif
int callee(int n);
void plain(void);
void scope(void);
void start_end(void);
void start_next_end(void);
void mark(void);
extern int stored;
extern cudaStream_t stream;
#ifdef __cplusplus
}
#endif

NVTXH_DOMAIN_EXTERN(train);

void plain(void) {
    stored = callee(3);
}

void scope(void) {
    NVTXH_DEVICE_SCOPE(stream, "x", .domain = &train, .payload = nvtxh_payload(stored));
    stored = callee(3);
}

void start_end(void) {
    struct nvtxh_device_range range;

    nvtxh_device_start(stream, &range, "x", .domain = &train, .payload = nvtxh_payload(stored));
    stored = callee(3);
    nvtxh_device_end(stream, range);
}

void start_next_end(void) {
    struct nvtxh_device_range range;

    nvtxh_device_start(stream, &range, "x");
    stored = callee(3);
    nvtxh_device_next(stream, &range, "y");
    nvtxh_device_end(stream, range);
}

void mark(void) {
    stored = callee(3);
    nvtxh_device_mark(stream, "x", .domain = &train, .payload = nvtxh_payload(stored));
}
