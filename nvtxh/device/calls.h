/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DEVICE_CALLS_H
#define NVTXH_DEVICE_CALLS_H

/* Device ranges call CUDA only through the table in this file. The table holds the functions of
 * CUDA's runtime, which are linked. With NVTXH_CUDA_DRIVER it holds those of the driver, which are
 * looked up in the library that the program has loaded. Not API. */

#include "../core/compiler.h"
#include "../core/symbols.h"
#include "cuda.h"

#include <dlfcn.h>
#include <string.h>

/* For functions that are inlined into a macro's function, so that its usual path is one function.
 */
#define NVTXH_I_HOT static inline __attribute__((__always_inline__, __no_instrument_function__))

/* cudaStreamGetCaptureInfo has another name or other parameters in each major version of CUDA. */
#if NVTXH_I_CUDA(CUDART_VERSION, CUDA_VERSION) >= 13000
#define NVTXH_I_CAPTURE_EDGES , const NVTXH_I_CUDA(cudaGraphEdgeData, CUgraphEdgeData) * *
#define NVTXH_I_CAPTURE_REST NULL, NULL, NULL
#else
#define NVTXH_I_CAPTURE_EDGES
#define NVTXH_I_CAPTURE_REST NULL, NULL
#endif
#if NVTXH_I_CUDA(CUDART_VERSION, CUDA_VERSION) >= 12000
#define NVTXH_I_CAPTURE_INFO NVTXH_I_CUDA(cudaStreamGetCaptureInfo, cuStreamGetCaptureInfo)
#else
#define NVTXH_I_CAPTURE_INFO NVTXH_I_CUDA(cudaStreamGetCaptureInfo_v2, cuStreamGetCaptureInfo_v2)
#endif

/* clang-format off: X(member, function, its parameters). */
#define NVTXH_I_CUDA_CALLS(X)                                                                      \
    X(launch, NVTXH_I_CUDA(cudaLaunchHostFunc, cuLaunchHostFunc),                                  \
      (nvtxh_i_stream, nvtxh_i_host_function, void *))                                             \
    X(capture_info, NVTXH_I_CAPTURE_INFO,                                                          \
      (nvtxh_i_stream, nvtxh_i_capture_status *, nvtxh_i_capture_id *, nvtxh_i_graph *,            \
       const nvtxh_i_node **NVTXH_I_CAPTURE_EDGES, size_t *))                                      \
    X(synchronize, NVTXH_I_CUDA(cudaStreamSynchronize, cuStreamSynchronize), (nvtxh_i_stream))     \
    X(user_object_create, NVTXH_I_CUDA(cudaUserObjectCreate, cuUserObjectCreate),                  \
      (nvtxh_i_user_object *, void *, nvtxh_i_host_function, unsigned, unsigned))                  \
    X(user_object_release, NVTXH_I_CUDA(cudaUserObjectRelease, cuUserObjectRelease),               \
      (nvtxh_i_user_object, unsigned))                                                             \
    X(graph_retain, NVTXH_I_CUDA(cudaGraphRetainUserObject, cuGraphRetainUserObject),              \
      (nvtxh_i_graph, nvtxh_i_user_object, unsigned, unsigned))                                    \
    X(capture_mode,                                                                                \
      NVTXH_I_CUDA(cudaThreadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode),        \
      (nvtxh_i_capture_mode *))
/* clang-format on */

#define NVTXH_I_CUDA_MEMBER(member, function, parameters) nvtxh_i_status(*member) parameters;
struct nvtxh_i_cuda {
    NVTXH_I_CUDA_CALLS(NVTXH_I_CUDA_MEMBER)
    nvtxh_i_status (*peek_error)(void);
    nvtxh_i_status (*last_error)(void);
};

NVTXH_I_C_BEGIN

#ifdef NVTXH_CUDA_DRIVER

NVTXH_I_LINKONCE struct nvtxh_i_cuda nvtxh_i_cuda NVTXH_I_LINKED("cuda");

static inline nvtxh_i_status nvtxh_i_cuda_no_error(void) {
    return CUDA_SUCCESS;
}

/* FUNCTION is macro-expanded first: if the default stream is per thread, CUDA's headers define the
 * function's name as a macro for another function. */
#define NVTXH_I_CUDA_LOOK(member, function, parameters)                                            \
    found = dlsym(library, NVTXH_I_TEXT(function));                                                \
    memcpy(&nvtxh_i_cuda.member, &found, sizeof(found));                                           \
    all = all && found;

/* Fills in the table. False: the driver's library is not loaded, or lacks one of them. */
NVTXH_I_COLD bool nvtxh_i_cuda_load(void) {
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD), *found;
    bool all = true;

    if (!library) {
        return false;
    }
    nvtxh_i_cuda.peek_error = nvtxh_i_cuda_no_error;
    nvtxh_i_cuda.last_error = nvtxh_i_cuda_no_error;
    NVTXH_I_CUDA_CALLS(NVTXH_I_CUDA_LOOK)
    dlclose(library); /* the program keeps its own reference */
    return all;
}

#else

#define NVTXH_I_CUDA_LINKED(member, function, parameters) function,
NVTXH_I_LINKONCE struct nvtxh_i_cuda nvtxh_i_cuda NVTXH_I_LINKED("cuda") = {
    NVTXH_I_CUDA_CALLS(NVTXH_I_CUDA_LINKED) cudaPeekAtLastError, cudaGetLastError};

NVTXH_I_COLD bool nvtxh_i_cuda_load(void) {
    return true;
}

#endif

/* Returns STATUS, the result of a call of CUDA. If STATUS is an error and BEFORE is not, clears the
 * error, so that the program's cudaGetLastError() does not return it. BEFORE, here and elsewhere:
 * what cudaPeekAtLastError() returned before the function called CUDA. */
static inline nvtxh_i_status nvtxh_i_cuda_result(nvtxh_i_status before, nvtxh_i_status status) {
    if (NVTXH_I_UNLIKELY(status != NVTXH_I_SUCCESS) && before == NVTXH_I_SUCCESS) {
        (void)nvtxh_i_cuda.last_error();
    }
    return status;
}

/* Is STREAM being captured? *RET_CAPTURE is the capture's number, or 0. If an error has invalidated
 * the capture, CUDA gives no number: *RET_CAPTURE is ANY_CAPTURE, and an error is returned. */
#define NVTXH_I_ANY_CAPTURE ((nvtxh_i_capture_id)(-1))
NVTXH_I_HOT nvtxh_i_status nvtxh_i_device_capture(nvtxh_i_status before, nvtxh_i_stream stream,
                                                  nvtxh_i_capture_id *ret_capture,
                                                  nvtxh_i_graph *ret_graph) {
    nvtxh_i_capture_status status =
        NVTXH_I_CUDA(cudaStreamCaptureStatusNone, CU_STREAM_CAPTURE_STATUS_NONE);
    nvtxh_i_capture_id capture = 0;
    nvtxh_i_status result =
        nvtxh_i_cuda_result(before, nvtxh_i_cuda.capture_info(stream, &status, &capture, ret_graph,
                                                              NVTXH_I_CAPTURE_REST));

    *ret_capture = 0;
    if (result != NVTXH_I_SUCCESS ||
        status == NVTXH_I_CUDA(cudaStreamCaptureStatusNone, CU_STREAM_CAPTURE_STATUS_NONE)) {
        return result;
    }
    if (NVTXH_I_UNLIKELY(status != NVTXH_I_CUDA(cudaStreamCaptureStatusActive,
                                                CU_STREAM_CAPTURE_STATUS_ACTIVE))) {
        *ret_capture = NVTXH_I_ANY_CAPTURE;
        return NVTXH_I_LOST_CAPTURE;
    }
    *ret_capture = capture;
    return NVTXH_I_SUCCESS;
}

/* Sets the calling thread's capture mode. Returns the old mode, which the caller sets again
 * afterwards. While any thread captures in mode Global, CUDA may let only threads in mode Relaxed
 * wait for a stream. */
NVTXH_I_HOT nvtxh_i_capture_mode nvtxh_i_capture_mode_set(nvtxh_i_capture_mode mode) {
    (void)nvtxh_i_cuda.capture_mode(&mode);
    return mode;
}
#define NVTXH_I_CAPTURE_RELAXED                                                                    \
    NVTXH_I_CUDA(cudaStreamCaptureModeRelaxed, CU_STREAM_CAPTURE_MODE_RELAXED)

NVTXH_I_HOT nvtxh_i_status nvtxh_i_device_launch(nvtxh_i_status before, nvtxh_i_stream stream,
                                                 nvtxh_i_host_function function, uint64_t token) {
    return nvtxh_i_cuda_result(before, nvtxh_i_cuda.launch(stream, function, (void *)token));
}

NVTXH_I_C_END

#endif
