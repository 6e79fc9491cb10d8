/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every public name of device.h touched once, on and off: see compile.py. */
#ifdef CUDA_FIRST
#ifdef NVTXH_CUDA_DRIVER
#include <cuda.h>
#else
#include <cuda_runtime_api.h>
#endif
#endif
#include "nvtxh/device.h"

/* Off, device.h does not include CUDA's header, so this file does. */
#ifdef NVTXH_CUDA_DRIVER
#include <cuda.h>
typedef CUresult status_type;
typedef CUstream stream_type;
typedef CUevent event_type;
#define SUCCESS CUDA_SUCCESS
#else
#include <cuda_runtime_api.h>
typedef cudaError_t status_type;
typedef cudaStream_t stream_type;
typedef cudaEvent_t event_type;
#define SUCCESS cudaSuccess
#endif

NVTXH_DOMAIN(train, "train");
NVTXH_CATEGORY(gemm, &train, "gemm");

#ifdef __cplusplus
extern "C" {
#endif
status_type macros(stream_type stream, int n);
uint64_t others(stream_type stream, event_type event, struct CUctx_st *context);
void read_by_annotations(void);
#ifdef __cplusplus
}
#endif

status_type macros(stream_type stream, int n) {
    struct nvtxh_device_range range, second;
    status_type status =
        nvtxh_device_start(stream, &range, "start", .domain = &train, .category = &gemm,
                           .color = NVTXH_RED, .payload = nvtxh_payload(n));

    NVTXH_DEVICE_SCOPE(stream, "scope");
    NVTXH_DEVICE_SCOPE(stream, "scope", .domain = &train, .payload = nvtxh_payload(n));
    NVTXH_DEVICE_SCOPEF(stream, "scope %d", n);
    if (status != SUCCESS)
        return status;
    nvtxh_device_next(stream, &range, "next", .color = NVTXH_COLOR_AUTO);
    nvtxh_device_nextf(stream, &range, "next %d", n);
    nvtxh_device_end(stream, range);
    if (nvtxh_device_startf(stream, &second, "start %d", n) == SUCCESS)
        status = nvtxh_device_end(stream, second);
    nvtxh_device_mark(stream, "mark", .category = NVTXH_CATEGORY_ID(3));
    nvtxh_device_markf(stream, "mark");
    return status;
}

uint64_t others(stream_type stream, event_type event, struct CUctx_st *context) {
    struct nvtxh_device_counts counts;

    nvtxh_device_set_mode(NVTXH_DEVICE_INTERVAL | NVTXH_DEVICE_EVENT | NVTXH_DEVICE_WAIT |
                          NVTXH_DEVICE_NO_CAPTURE);
    NVTXH_DEVICE_MODE_SCOPE(NVTXH_DEVICE_INTERVAL);
    nvtxh_stream_name(stream, "stream");
    nvtxh_event_name(event, "event");
    nvtxh_context_name(context, "context");
    nvtxh_device_name(0, "device");
    nvtxh_device_abandon();
    if (nvtxh_device_drain(100) == SUCCESS && nvtxh_device_counts(&counts) == SUCCESS)
        return counts.pending + counts.open + counts.captured + counts.lost + counts.cancelled +
               counts.exhausted + nvtxh_device_mode() + NVTXH_DEVICE_RANGES;
    return 0;
}

#ifdef __CUDACC__
__global__ void kernel(int n) {
    (void)n;
}

template <class T>
static T launch(stream_type stream, T n) {
    NVTXH_DEVICE_SCOPE(stream, "kernel", .payload = nvtxh_payload(n));
    kernel<<<1, 1, 0, stream>>>(n);
    return n;
}

int in_cuda(stream_type stream);
int in_cuda(stream_type stream) {
    return launch(stream, 3) + (int)sizeof(struct nvtxh_device_range);
}
#endif

#ifdef __cplusplus
/* Functions are called wherever C++ allows a call, and have addresses. */
static const unsigned mode = nvtxh_device_mode();
static void (*const set_mode)(unsigned) = &nvtxh_device_set_mode;
static void (*const name_stream)(stream_type, const char *) = nvtxh_stream_name;
static void (*const name_event)(event_type, const char *) = ::nvtxh_event_name;
static void (*const name_device)(int, const char *) = &::nvtxh_device_name;
static void (*const name_context)(struct CUctx_st *, const char *) = &nvtxh_context_name;
#if NVTXH_ENABLED || defined(CUDA_FIRST)
static status_type (*const drain)(int) = nvtxh_device_drain;
static status_type (*const abandon)() = nvtxh_device_abandon;
#else
static status_type drain(int timeout) {
    return ::nvtxh_device_drain(timeout);
}
static status_type abandon() {
    return ::nvtxh_device_abandon();
}
#endif
status_type places(stream_type stream, event_type event, struct CUctx_st *context);
status_type places(stream_type stream, event_type event, struct CUctx_st *context) {
    struct nvtxh_device_counts counts;
    struct nvtxh_device_range none = {0};

    ::nvtxh_device_set_mode(::nvtxh_device_mode());
    ::nvtxh_stream_name(stream, "stream");
    ::nvtxh_device_name(0, "device");
    ::nvtxh_event_name(event, "event");
    ::nvtxh_context_name(context, "context");
    ::nvtxh_device_drain(1);
    ::nvtxh_device_counts(&counts);
    ::nvtxh_device_end(stream, none);
    set_mode(mode);
    name_stream(stream, "stream");
    name_event(event, "event");
    name_device(0, "device");
    name_context(context, "context");
    return drain(1) == SUCCESS ? abandon() : SUCCESS;
}
#endif

/* Variables that an annotation alone reads. */
void read_by_annotations(void) {
    event_type event = {0};
    int device = 0, timeout = 0;
    const char *name = "name";
    struct nvtxh_device_range none = {0};

    nvtxh_event_name(event, name);
    nvtxh_device_name(device, "device");
    nvtxh_device_drain(timeout);
    nvtxh_device_end(0, none);
}
