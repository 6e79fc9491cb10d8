/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DEVICE_CUDA_H
#define NVTXH_DEVICE_CUDA_H

/*
 * Every call to CUDA that device ranges make, in one table: the runtime's functions, linked; or, with
 * NVTXH_CUDA_DRIVER, the driver's, looked up in the library that the program has loaded. Not API; part
 * of device.h.
 */

typedef NVTXH_I_CUDA(cudaGraph_t, CUgraph) nvtxh_i_graph;
typedef NVTXH_I_CUDA(cudaGraphNode_t, CUgraphNode) nvtxh_i_node;
typedef NVTXH_I_CUDA(cudaUserObject_t, CUuserObject) nvtxh_i_user_object;
typedef NVTXH_I_CUDA(enum cudaStreamCaptureStatus, CUstreamCaptureStatus) nvtxh_i_capture_status;
typedef NVTXH_I_CUDA(unsigned long long, cuuint64_t) nvtxh_i_capture_id;

/* cudaStreamGetCaptureInfo, as the CUDA we compile against declares it. */
#if NVTXH_I_CUDA(CUDART_VERSION, CUDA_VERSION) >= 13000
typedef nvtxh_i_status (*nvtxh_i_capture_info)(
    nvtxh_i_stream, nvtxh_i_capture_status *, nvtxh_i_capture_id *, nvtxh_i_graph *,
    const nvtxh_i_node **, const NVTXH_I_CUDA(cudaGraphEdgeData, CUgraphEdgeData) **, size_t *);
#define NVTXH_I_CAPTURE_INFO(call, stream, status, id, graph)                                      \
    call(stream, status, id, graph, NVTXH_I_NULL, NVTXH_I_NULL, NVTXH_I_NULL)
#else
typedef nvtxh_i_status (*nvtxh_i_capture_info)(nvtxh_i_stream, nvtxh_i_capture_status *,
                                               nvtxh_i_capture_id *, nvtxh_i_graph *,
                                               const nvtxh_i_node **, size_t *);
#define NVTXH_I_CAPTURE_INFO(call, stream, status, id, graph)                                      \
    call(stream, status, id, graph, NVTXH_I_NULL, NVTXH_I_NULL)
#endif
#if NVTXH_I_CUDA(CUDART_VERSION, CUDA_VERSION) >= 12000
#define NVTXH_I_CAPTURE_INFO_NAME NVTXH_I_CUDA(cudaStreamGetCaptureInfo, cuStreamGetCaptureInfo)
#else
#define NVTXH_I_CAPTURE_INFO_NAME                                                                  \
    NVTXH_I_CUDA(cudaStreamGetCaptureInfo_v2, cuStreamGetCaptureInfo_v2)
#endif

struct nvtxh_i_cuda {
    nvtxh_i_status (*launch)(nvtxh_i_stream, nvtxh_i_host_function, void *);
    nvtxh_i_capture_info capture_info;
    nvtxh_i_status (*synchronize)(nvtxh_i_stream);
    nvtxh_i_status (*user_object_create)(nvtxh_i_user_object *, void *, nvtxh_i_host_function,
                                         unsigned, unsigned);
    nvtxh_i_status (*user_object_release)(nvtxh_i_user_object, unsigned);
    nvtxh_i_status (*graph_retain)(nvtxh_i_graph, nvtxh_i_user_object, unsigned, unsigned);
    nvtxh_i_status (*graph_release)(nvtxh_i_graph, nvtxh_i_user_object, unsigned);
    nvtxh_i_status (*peek_error)(void);
    nvtxh_i_status (*last_error)(void);
};

NVTXH_I_C_BEGIN

extern struct nvtxh_i_cuda nvtxh_i_cuda NVTXH_I_HIDDEN;
NVTXH_I_COLD bool nvtxh_i_cuda_load(void);

#ifdef NVTXH_CUDA_DRIVER

NVTXH_I_LINKONCE struct nvtxh_i_cuda nvtxh_i_cuda;

static inline nvtxh_i_status nvtxh_i_cuda_no_error(void)
{
    return CUDA_SUCCESS;
}

/* Whatever a name is defined as: with per-thread default streams it is that of another function. */
#define NVTXH_I_CUDA_LOOK(member, name)                                                            \
    (found = dlsym(library, NVTXH_I_TEXT(name)),                                                   \
     memcpy(&nvtxh_i_cuda.member, &found, sizeof(found)), found)

/* False: the driver's library is not loaded, or lacks something. */
NVTXH_I_ONCE bool nvtxh_i_cuda_load(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD), *found;
    bool all;

    if (!library)
        return false;
    nvtxh_i_cuda.peek_error = nvtxh_i_cuda_no_error;
    nvtxh_i_cuda.last_error = nvtxh_i_cuda_no_error;
    all = NVTXH_I_CUDA_LOOK(capture_info, NVTXH_I_CAPTURE_INFO_NAME) &&
          NVTXH_I_CUDA_LOOK(synchronize, cuStreamSynchronize) &&
          NVTXH_I_CUDA_LOOK(user_object_create, cuUserObjectCreate) &&
          NVTXH_I_CUDA_LOOK(user_object_release, cuUserObjectRelease) &&
          NVTXH_I_CUDA_LOOK(graph_retain, cuGraphRetainUserObject) &&
          NVTXH_I_CUDA_LOOK(graph_release, cuGraphReleaseUserObject) &&
          NVTXH_I_CUDA_LOOK(launch, cuLaunchHostFunc);
    dlclose(library); /* the program's own hold on it remains */
    return all;
}

#else

NVTXH_I_LINKONCE struct nvtxh_i_cuda nvtxh_i_cuda = {
    cudaLaunchHostFunc,         NVTXH_I_CAPTURE_INFO_NAME, cudaStreamSynchronize,
    cudaUserObjectCreate,       cudaUserObjectRelease,     cudaGraphRetainUserObject,
    cudaGraphReleaseUserObject, cudaPeekAtLastError,       cudaGetLastError};

NVTXH_I_ONCE bool nvtxh_i_cuda_load(void)
{
    return true;
}

#endif

/* A status that a call of ours has caused is our caller's affair, not cudaGetLastError()'s. */
static inline nvtxh_i_status nvtxh_i_cuda_result(nvtxh_i_status before, nvtxh_i_status status)
{
    if (NVTXH_I_UNLIKELY(status != NVTXH_I_SUCCESS) && before == NVTXH_I_SUCCESS)
        (void)nvtxh_i_cuda.last_error();
    return status;
}

NVTXH_I_C_END

#endif
