/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DEVICE_CUDA_H
#define NVTXH_DEVICE_CUDA_H

/* The only file that includes CUDA's headers. It gives one name to each type and status that exists
 * in both of CUDA's APIs: with NVTXH_CUDA_DRIVER, the name means the type or status of the driver
 * API, otherwise that of the runtime API. Not API. */

#include "../config.h"

/* nvcc compiles a file for the host and for the device. Both passes need CUDA's types. */
#if NVTXH_ENABLED || defined(__CUDA_ARCH__)

#ifdef NVTXH_CUDA_DRIVER
#include <cuda.h>
#define NVTXH_I_CUDA(runtime, driver) driver
#else
#include <cuda_runtime_api.h>
#define NVTXH_I_CUDA(runtime, driver) runtime
#endif

#endif
#if NVTXH_ENABLED

typedef NVTXH_I_CUDA(cudaError_t, CUresult) nvtxh_i_status;
typedef NVTXH_I_CUDA(cudaStream_t, CUstream) nvtxh_i_stream;
typedef NVTXH_I_CUDA(cudaEvent_t, CUevent) nvtxh_i_cuda_event;
typedef NVTXH_I_CUDA(cudaHostFn_t, CUhostFn) nvtxh_i_host_function;
typedef NVTXH_I_CUDA(cudaGraph_t, CUgraph) nvtxh_i_graph;
typedef NVTXH_I_CUDA(cudaGraphNode_t, CUgraphNode) nvtxh_i_node;
typedef NVTXH_I_CUDA(cudaUserObject_t, CUuserObject) nvtxh_i_user_object;
typedef NVTXH_I_CUDA(enum cudaStreamCaptureStatus, CUstreamCaptureStatus) nvtxh_i_capture_status;
typedef NVTXH_I_CUDA(enum cudaStreamCaptureMode, CUstreamCaptureMode) nvtxh_i_capture_mode;
typedef NVTXH_I_CUDA(unsigned long long, cuuint64_t) nvtxh_i_capture_id;
struct CUctx_st;

#define NVTXH_I_HOST_CALL NVTXH_I_CUDA(CUDART_CB, CUDA_CB)
#define NVTXH_I_SUCCESS NVTXH_I_CUDA(cudaSuccess, CUDA_SUCCESS)
#define NVTXH_I_BAD_VALUE NVTXH_I_CUDA(cudaErrorInvalidValue, CUDA_ERROR_INVALID_VALUE)
#define NVTXH_I_BAD_HANDLE NVTXH_I_CUDA(cudaErrorInvalidResourceHandle, CUDA_ERROR_INVALID_HANDLE)
#define NVTXH_I_NO_MEMORY NVTXH_I_CUDA(cudaErrorMemoryAllocation, CUDA_ERROR_OUT_OF_MEMORY)
#define NVTXH_I_OTHER_CAPTURE                                                                      \
    NVTXH_I_CUDA(cudaErrorStreamCaptureIsolation, CUDA_ERROR_STREAM_CAPTURE_ISOLATION)
#define NVTXH_I_LOST_CAPTURE                                                                       \
    NVTXH_I_CUDA(cudaErrorStreamCaptureInvalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)

#endif
#endif
