/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_BENCH_HEAP_H
#define NVTXH_BENCH_HEAP_H

/* A stream's range with a handle on the heap, as in PyTorch. */

#include <cuda_runtime_api.h>
#include <nvtx3/nvToolsExt.h>
#include <stdlib.h>
#include <string.h>

struct heap_range {
    nvtxRangeId_t id;
    char *message;
};

static void CUDART_CB heap_begin(void *data) {
    struct heap_range *range = (struct heap_range *)data;

    range->id = nvtxRangeStartA(range->message);
}

static void CUDART_CB heap_end(void *data) {
    struct heap_range *range = (struct heap_range *)data;

    nvtxRangeEnd(range->id);
    free(range->message);
    free(range);
}

static cudaError_t heap_start(cudaStream_t stream, const char *message, void **ret_range) {
    struct heap_range *range = (struct heap_range *)calloc(1, sizeof(*range));

    range->message = strdup(message);
    *ret_range = range;
    return cudaLaunchHostFunc(stream, heap_begin, range);
}

#endif
