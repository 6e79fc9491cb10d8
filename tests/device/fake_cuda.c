/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Streams, events and errors. */
#include "fake.h"

#include <unistd.h>

pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t fake_changed = PTHREAD_COND_INITIALIZER;
unsigned fake_seed;

enum { FUNCTIONS = 64 };
static struct {
    const char *name;
    int calls, error, first, last;
} functions[FUNCTIONS];
static int n_drop, broken, still_called;
static struct CUstream_st *streams;
static struct CUstream_st legacy;
static __thread struct CUstream_st *of_thread;
static __thread cudaError_t last_error;

unsigned fake_random(void)
{
    fake_seed = fake_seed * 1103515245u + 12345u;
    return fake_seed >> 16;
}

static int function_number(const char *name)
{
    int i;

    for (i = 0; functions[i].name; i++)
        if (!strcmp(functions[i].name, name))
            return i;
    functions[i].name = name;
    return i;
}

void fake_fail(const char *function, int error, int first, int last)
{
    int i;

    pthread_mutex_lock(&fake_lock);
    i = function_number(function);
    functions[i].error = error;
    functions[i].first = functions[i].calls + first;
    functions[i].last = functions[i].calls + last;
    pthread_mutex_unlock(&fake_lock);
}

int fake_calls(const char *function)
{
    int calls;

    pthread_mutex_lock(&fake_lock);
    calls = functions[function_number(function)].calls;
    pthread_mutex_unlock(&fake_lock);
    return calls;
}

void fake_drop(int n)
{
    pthread_mutex_lock(&fake_lock);
    n_drop = n;
    pthread_mutex_unlock(&fake_lock);
}

void fake_shuffle(unsigned seed)
{
    pthread_mutex_lock(&fake_lock);
    fake_seed = seed;
    pthread_mutex_unlock(&fake_lock);
}

void fake_break(int error, int called)
{
    pthread_mutex_lock(&fake_lock);
    broken = error;
    still_called = called;
    pthread_cond_broadcast(&fake_changed);
    pthread_mutex_unlock(&fake_lock);
}

void fake_reset(void)
{
    int i;

    pthread_mutex_lock(&fake_lock);
    for (i = 0; functions[i].name; i++)
        functions[i].calls = functions[i].error = 0;
    n_drop = broken = 0;
    pthread_mutex_unlock(&fake_lock);
    last_error = cudaSuccess;
}

bool fake_dropped(void)
{
    return n_drop > 0 && n_drop--;
}

bool fake_broken_for_good(void)
{
    return broken && !still_called;
}

cudaError_t fake_enter(const char *function)
{
    int i;

    pthread_mutex_lock(&fake_lock);
    i = function_number(function);
    functions[i].calls++;
    if (broken)
        return (cudaError_t)broken;
    if (functions[i].error && functions[i].calls >= functions[i].first &&
        functions[i].calls <= functions[i].last)
        return (cudaError_t)functions[i].error;
    return cudaSuccess;
}

cudaError_t fake_leave(cudaError_t status)
{
    pthread_mutex_unlock(&fake_lock);
    if (status != cudaSuccess)
        last_error = status;
    return status;
}

/* --- what a stream does ---------------------------------------------------------------------- */

static void perform(struct op *op)
{
    bool call = true;

    pthread_mutex_lock(&fake_lock);
    if (op->kind == OP_WAIT)
        while (op->event->reached < op->number && !fake_broken_for_good())
            pthread_cond_wait(&fake_changed, &fake_lock);
    if (op->kind == OP_RECORD)
        op->event->reached = op->number;
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
        op->function(op->data);
    if (op->kind == OP_GRAPH)
        fake_run_graph(op->graph);
}

static void *run(void *data)
{
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

static void open_stream(struct CUstream_st *stream)
{
    stream->last = &stream->first;
    stream->next = streams;
    streams = stream;
    pthread_create(&stream->thread, NULL, run, stream);
}

struct CUstream_st *fake_stream(cudaStream_t stream)
{
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

void fake_enqueue(struct CUstream_st *stream, struct op given)
{
    struct op *op = malloc(sizeof(*op));

    *op = given;
    op->next = NULL;
    *stream->last = op;
    stream->last = &op->next;
    stream->enqueued++;
    pthread_cond_broadcast(&fake_changed);
}

/* With the lock: until all that is enqueued by now is done. */
static void wait_for(struct CUstream_st *stream)
{
    uint64_t until = stream->enqueued;

    while (stream->done < until)
        pthread_cond_wait(&fake_changed, &fake_lock);
}

/* --- the runtime's functions ------------------------------------------------------------------ */

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = last_error;

    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
    return last_error;
}

const char *cudaGetErrorName(cudaError_t error)
{
    (void)error;
    return "an error of the fake runtime";
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    cudaError_t status = fake_enter(__func__);

    (void)flags;
    if (status == cudaSuccess) {
        *stream = calloc(1, sizeof(**stream));
        open_stream(*stream);
    }
    return fake_leave(status);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
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

cudaError_t cudaStreamSynchronize(cudaStream_t handle)
{
    cudaError_t status = fake_enter(__func__);
    struct CUstream_st *stream = fake_stream(handle);

    if (status == cudaSuccess && stream->frontier.capture) {
        stream->frontier.capture->invalid = true;
        status = cudaErrorStreamCaptureUnsupported;
    } else {
        wait_for(stream);
    }
    return fake_leave(status);
}

cudaError_t cudaDeviceSynchronize(void)
{
    cudaError_t status = fake_enter(__func__);
    struct CUstream_st *stream;

    for (stream = streams; stream; stream = stream->next)
        wait_for(stream);
    return fake_leave(status);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void *data)
{
    cudaError_t status = fake_enter(__func__);
    struct CUstream_st *stream = fake_stream(handle);

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

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = calloc(1, sizeof(**event));
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    free(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle)
{
    cudaError_t status = fake_enter(__func__);
    struct CUstream_st *stream = fake_stream(handle);

    event->frontier = stream->frontier;
    if (status == cudaSuccess && !stream->frontier.capture)
        fake_enqueue(stream,
                     (struct op){.kind = OP_RECORD, .event = event, .number = ++event->recorded});
    return fake_leave(status);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned flags)
{
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

/* For fake_graph.c: every stream that takes part in a capture leaves it. */
void fake_end_capture(const struct capture *capture);
void fake_end_capture(const struct capture *capture)
{
    struct CUstream_st *stream;

    for (stream = streams; stream; stream = stream->next)
        if (stream->frontier.capture == capture)
            memset(&stream->frontier, 0, sizeof(stream->frontier));
}

bool fake_capturing(void);
bool fake_capturing(void)
{
    struct CUstream_st *stream;

    for (stream = streams; stream; stream = stream->next)
        if (stream->frontier.capture)
            return true;
    return false;
}
