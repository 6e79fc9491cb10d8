/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The driver's functions that device.h looks up with NVTXH_CUDA_DRIVER: handles are the
 * runtime's. */
#include "fake.h"

#include <cuda.h>

/* The driver has no last error, and leaves the runtime's alone. */
#define RESULT(call)                                                                               \
    __extension__({                                                                                \
        cudaError_t before_ = cudaPeekAtLastError();                                               \
        CUresult result_ = (CUresult)(call);                                                       \
                                                                                                   \
        if (before_ == cudaSuccess)                                                                \
            (void)cudaGetLastError();                                                              \
        result_;                                                                                   \
    })

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data) {
    return RESULT(cudaLaunchHostFunc(stream, function, data));
}

CUresult cuStreamSynchronize(CUstream stream) {
    return RESULT(cudaStreamSynchronize(stream));
}

CUresult cuUserObjectCreate(CUuserObject *ret_object, void *data, CUhostFn destroy,
                            unsigned references, unsigned flags) {
    return RESULT(
        cudaUserObjectCreate((cudaUserObject_t *)ret_object, data, destroy, references, flags));
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned n) {
    return RESULT(cudaUserObjectRelease((cudaUserObject_t)object, n));
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned n, unsigned flags) {
    return RESULT(cudaGraphRetainUserObject(graph, (cudaUserObject_t)object, n, flags));
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
    return RESULT(cudaThreadExchangeStreamCaptureMode((enum cudaStreamCaptureMode *)mode));
}

/* The macros of cuda.h make cuStreamGetCaptureInfo_v3, or _v2, of these names. */
#if CUDA_VERSION >= 13000
CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *ret_status,
                                cuuint64_t *ret_id, CUgraph *ret_graph, const CUgraphNode **nodes,
                                const CUgraphEdgeData **edges, size_t *n)
#elif CUDA_VERSION >= 12000
CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *ret_status,
                                cuuint64_t *ret_id, CUgraph *ret_graph, const CUgraphNode **nodes,
                                size_t *n)
#else
CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *ret_status,
                                   cuuint64_t *ret_id, CUgraph *ret_graph,
                                   const CUgraphNode **nodes, size_t *n)
#endif
{
    unsigned long long id = 0;
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    CUresult answer;

    (void)nodes;
    (void)n;
#if CUDART_VERSION >= 13000
    (void)edges;
    answer = RESULT(cudaStreamGetCaptureInfo(stream, &status, &id, ret_graph, NULL, NULL, NULL));
#elif CUDART_VERSION >= 12000
    answer = RESULT(cudaStreamGetCaptureInfo(stream, &status, &id, ret_graph, NULL, NULL));
#else
    answer = RESULT(cudaStreamGetCaptureInfo_v2(stream, &status, &id, ret_graph, NULL, NULL));
#endif
    *ret_status = (CUstreamCaptureStatus)status;
    if (ret_id)
        *ret_id = id;
    return answer;
}
