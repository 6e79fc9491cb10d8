/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Events. */
#include "fake.h"

void fake_reach(cudaEvent_t event, uint64_t number) {
    if (number > event->reached) /* else another stream was faster, with a later record */
        event->reached = number;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    cudaError_t status = fake_enter(__func__);

    (void)flags;
    if (status == cudaSuccess && fake_prohibited())
        status = cudaErrorStreamCaptureUnsupported;
    if (status == cudaSuccess)
        *event = calloc(1, sizeof(**event));
    return fake_leave(status);
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    free(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle) {
    cudaError_t status = fake_enter(__func__);
    struct CUstream_st *stream = fake_stream(handle);

    if (status != cudaSuccess)
        return fake_leave(status);
    event->frontier = stream->frontier;
    if (!stream->frontier.capture)
        fake_enqueue(stream,
                     (struct op){.kind = OP_RECORD, .event = event, .number = ++event->recorded});
    return fake_leave(status);
}
