/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stream captures: what makes graphs. */
#include "fake.h"

static unsigned long long last_capture;
static struct capture *captures; /* all there ever were: events may name them */

int fake_add_node(struct frontier *frontier, cudaHostFn_t function, void *data) {
    struct graph *graph = frontier->capture->graph;
    struct node *node = &graph->nodes[graph->n_nodes];

    if (graph->n_nodes == NODES)
        return -1;
    node->function = function;
    node->data = data;
    node->n_deps = frontier->n;
    memcpy(node->deps, frontier->nodes, sizeof(node->deps));
    frontier->n = 1;
    frontier->nodes[0] = graph->n_nodes;
    return graph->n_nodes++;
}

/* FRONTIER comes after OTHER as well; a stream that did not take part in the capture does now. */
void fake_join(struct frontier *frontier, const struct frontier *other) {
    int i, k;

    if (!other->capture->graph)
        return; /* it has ended */
    frontier->capture = other->capture;
    for (i = 0; i < other->n; i++) {
        for (k = 0; k < frontier->n && frontier->nodes[k] != other->nodes[i]; k++)
            ;
        if (k == frontier->n && k < DEPS)
            frontier->nodes[frontier->n++] = other->nodes[i];
    }
}

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, enum cudaStreamCaptureMode mode) {
    cudaError_t status = fake_enter(__func__);
    struct CUstream_st *stream = fake_stream(handle);

    if (status == cudaSuccess && (uintptr_t)handle <= 1)
        status = cudaErrorStreamCaptureUnsupported;
    if (status == cudaSuccess && stream->frontier.capture)
        status = cudaErrorIllegalState;
    if (status == cudaSuccess) {
        struct capture *capture = calloc(1, sizeof(*capture));

        capture->id = ++last_capture;
        capture->next = captures;
        captures = capture;
        capture->graph = fake_new_graph();
        capture->origin = stream;
        capture->mode = mode;
        capture->thread = pthread_self();
        stream->frontier.capture = capture;
    }
    return fake_leave(status);
}

static __thread enum cudaStreamCaptureMode interaction; /* Global is 0 */

bool fake_prohibited(void) {
    struct capture *capture;
    bool any = false;

    for (capture = captures; capture && interaction != cudaStreamCaptureModeRelaxed;
         capture = capture->next) {
        bool own = pthread_equal(capture->thread, pthread_self());

        if (capture->graph && capture->mode != cudaStreamCaptureModeRelaxed &&
            (own || (capture->mode == cudaStreamCaptureModeGlobal &&
                     interaction == cudaStreamCaptureModeGlobal)))
            any = capture->invalid = true;
    }
    return any;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    cudaError_t status = fake_enter(__func__);
    enum cudaStreamCaptureMode before = interaction;

    if (status == cudaSuccess) {
        interaction = *mode;
        *mode = before;
    }
    return fake_leave(status);
}

void fake_spoil_capture(struct capture *capture) {
    capture->invalid = true;
    if (capture->graph)
        fake_release_graph(capture->graph);
    capture->graph = NULL;
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *ret_graph) {
    cudaError_t status = fake_enter(__func__);
    struct capture *capture = fake_stream(handle)->frontier.capture;

    *ret_graph = NULL;
    if (!capture)
        return fake_leave(cudaErrorIllegalState);
    if (capture->origin != fake_stream(handle))
        return fake_leave(cudaErrorStreamCaptureUnmatched);
    if (capture->mode != cudaStreamCaptureModeRelaxed &&
        !pthread_equal(capture->thread, pthread_self()))
        return fake_leave(cudaErrorStreamCaptureWrongThread);
    if (status == cudaSuccess && capture->invalid)
        status = cudaErrorStreamCaptureInvalidated;
    fake_end_capture(capture);
    if (status == cudaSuccess)
        *ret_graph = (cudaGraph_t)(void *)capture->graph;
    else
        fake_spoil_capture(capture);
    capture->graph = NULL;
    return fake_leave(status);
}

static cudaError_t capture_info(const char *function, cudaStream_t handle,
                                enum cudaStreamCaptureStatus *ret_status,
                                unsigned long long *ret_id, cudaGraph_t *ret_graph) {
    cudaError_t status = fake_enter(function);
    struct capture *capture = fake_stream(handle)->frontier.capture;

    if (status == cudaSuccess && (uintptr_t)handle <= 1 && fake_blocking_capture())
        status = cudaErrorStreamCaptureImplicit;
    if (status != cudaSuccess)
        return fake_leave(status);
    *ret_status = !capture           ? cudaStreamCaptureStatusNone
                  : capture->invalid ? cudaStreamCaptureStatusInvalidated
                                     : cudaStreamCaptureStatusActive;
    /* The rest is valid only while the status is Active. */
    if (capture && !capture->invalid && ret_id)
        *ret_id = capture->id;
    if (capture && !capture->invalid && ret_graph)
        *ret_graph = (cudaGraph_t)(void *)capture->graph;
    return fake_leave(status);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *ret_status) {
    return capture_info(__func__, stream, ret_status, NULL, NULL);
}

/* Three signatures, by version; in CUDA 12 the name is that of another function. */
#if CUDART_VERSION >= 13000
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *ret_status,
                                     unsigned long long *ret_id, cudaGraph_t *ret_graph,
                                     const cudaGraphNode_t **nodes, const cudaGraphEdgeData **edges,
                                     size_t *n) {
    (void)edges;
#elif CUDART_VERSION >= 12000
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *ret_status,
                                     unsigned long long *ret_id, cudaGraph_t *ret_graph,
                                     const cudaGraphNode_t **nodes, size_t *n) {
#else
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream,
                                        enum cudaStreamCaptureStatus *ret_status,
                                        unsigned long long *ret_id, cudaGraph_t *ret_graph,
                                        const cudaGraphNode_t **nodes, size_t *n) {
#endif
    (void)nodes;
    (void)n;
    return capture_info("cudaStreamGetCaptureInfo", stream, ret_status, ret_id, ret_graph);
}
