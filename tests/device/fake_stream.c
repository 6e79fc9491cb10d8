/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Streams and events. */
#include "fake.h"

#include <unistd.h>

static struct CUstream_st *streams;
static struct CUstream_st legacy;
static __thread struct CUstream_st *of_thread;

static void perform(struct op *op) {
    bool call = true;

    pthread_mutex_lock(&fake_lock);
    if (op->kind == OP_WAIT)
        while (op->event->reached < op->number && !fake_broken_for_good())
            pthread_cond_wait(&fake_changed, &fake_lock);
    if (op->kind == OP_RECORD)
        fake_reach(op->event, op->number);
    if (op->kind == OP_HOST)
        call = !fake_broken_for_good();
    if (fake_seed && fake_random() % 4 == 0) {
        unsigned us = fake_random() % 50;

        pthread_mutex_unlock(&fake_lock);
        usleep(us);
        pthread_mutex_lock(&fake_lock);
    }
    pthread_mutex_unlock(&fake_lock);
    if (op->kind == OP_HOST && call)
        fake_call_back(op->function, op->data);
    if (op->kind == OP_GRAPH)
        fake_run_graph(op->graph);
}

static void *run(void *data) {
    struct CUstream_st *stream = data;

    pthread_mutex_lock(&fake_lock);
    for (;;) {
        struct op *op = stream->first;

        if (!op && stream->closed)
            break;
        if (!op) {
            pthread_cond_wait(&fake_changed, &fake_lock);
            continue;
        }
        pthread_mutex_unlock(&fake_lock);
        perform(op);
        pthread_mutex_lock(&fake_lock);
        stream->first = op->next;
        if (!stream->first)
            stream->last = &stream->first;
        stream->done++;
        free(op);
        pthread_cond_broadcast(&fake_changed);
    }
    pthread_mutex_unlock(&fake_lock);
    return NULL;
}

static void open_stream(struct CUstream_st *stream) {
    stream->last = &stream->first;
    stream->next = streams;
    streams = stream;
    pthread_create(&stream->thread, NULL, run, stream);
}

struct CUstream_st *fake_stream(cudaStream_t stream) {
    if ((uintptr_t)stream == 2) {
        if (!of_thread) {
            of_thread = calloc(1, sizeof(*of_thread));
            open_stream(of_thread);
        }
        return of_thread;
    }
    if ((uintptr_t)stream <= 1) {
        if (!legacy.last)
            open_stream(&legacy);
        return &legacy;
    }
    return stream;
}

void fake_enqueue(struct CUstream_st *stream, struct op given) {
    struct op *op = malloc(sizeof(*op));

    *op = given;
    op->next = NULL;
    while (stream->enqueued - stream->done >= QUEUE)
        pthread_cond_wait(&fake_changed, &fake_lock);
    *stream->last = op;
    stream->last = &op->next;
    stream->enqueued++;
    pthread_cond_broadcast(&fake_changed);
}

/* With the lock: until all that is enqueued by now is done. */
static void wait_for(struct CUstream_st *stream) {
    uint64_t until = stream->enqueued;

    while (stream->done < until)
        pthread_cond_wait(&fake_changed, &fake_lock);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    cudaError_t status = fake_enter(__func__);

    if (status == cudaSuccess) {
        *stream = calloc(1, sizeof(**stream));
        (*stream)->blocking = !(flags & cudaStreamNonBlocking);
        open_stream(*stream);
    }
    return fake_leave(status);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
    return cudaStreamCreateWithFlags(stream, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    struct CUstream_st **at;

    pthread_mutex_lock(&fake_lock);
    stream->closed = true;
    for (at = &streams; *at != stream; at = &(*at)->next)
        ;
    *at = stream->next;
    pthread_cond_broadcast(&fake_changed);
    pthread_mutex_unlock(&fake_lock);
    pthread_join(stream->thread, NULL);
    free(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
    cudaError_t status = fake_enter(__func__);
    struct CUstream_st *stream = fake_stream(handle);

    if (status == cudaSuccess && stream->frontier.capture) {
        stream->frontier.capture->invalid = true;
        status = cudaErrorStreamCaptureUnsupported;
    } else if (status == cudaSuccess && fake_prohibited()) {
        status = cudaErrorStreamCaptureUnsupported;
    } else {
        wait_for(stream);
    }
    return fake_leave(status);
}

cudaError_t cudaDeviceSynchronize(void) {
    cudaError_t status = fake_enter(__func__);
    struct CUstream_st *stream;

    if (status == cudaSuccess && fake_prohibited())
        return fake_leave(cudaErrorStreamCaptureUnsupported);
    for (stream = streams; stream; stream = stream->next)
        wait_for(stream);
    return fake_leave(status);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void *data) {
    cudaError_t status = fake_enter(__func__);
    struct CUstream_st *stream = fake_stream(handle);

    if (status == cudaSuccess && stream == &legacy && fake_blocking_capture()) {
        fake_blocking_capture()->invalid = true;
        status = cudaErrorStreamCaptureImplicit;
    }
    if (status == cudaErrorStreamCaptureInvalidated && stream->frontier.capture)
        fake_spoil_capture(stream->frontier.capture);
    if (status != cudaSuccess)
        return fake_leave(status);
    if (stream->frontier.capture && stream->frontier.capture->invalid)
        status = cudaErrorStreamCaptureInvalidated;
    else if (stream->frontier.capture && fake_add_node(&stream->frontier, function, data) < 0)
        status = cudaErrorMemoryAllocation;
    else if (!stream->frontier.capture && !fake_dropped())
        fake_enqueue(stream, (struct op){.kind = OP_HOST, .function = function, .data = data});
    return fake_leave(status);
}

#if CUDART_VERSION >= 13010
cudaError_t cudaLaunchHostFunc_v2(cudaStream_t stream, cudaHostFn_t function, void *data,
                                  unsigned mode) {
    if (mode > cudaHostTaskSpinWait)
        return cudaErrorInvalidValue;
    return cudaLaunchHostFunc(stream, function, data);
}
#endif

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned flags) {
    cudaError_t status = fake_enter(__func__);
    struct CUstream_st *stream = fake_stream(handle);

    (void)flags;
    if (status == cudaSuccess && event->frontier.capture)
        fake_join(&stream->frontier, &event->frontier);
    else if (status == cudaSuccess)
        fake_enqueue(stream,
                     (struct op){.kind = OP_WAIT, .event = event, .number = event->recorded});
    return fake_leave(status);
}

void fake_end_capture(const struct capture *capture) {
    struct CUstream_st *stream;

    for (stream = streams; stream; stream = stream->next)
        if (stream->frontier.capture == capture)
            memset(&stream->frontier, 0, sizeof(stream->frontier));
}

struct capture *fake_blocking_capture(void) {
    struct CUstream_st *stream;

    for (stream = streams; stream; stream = stream->next)
        if (stream->blocking && stream->frontier.capture)
            return stream->frontier.capture;
    return NULL;
}
