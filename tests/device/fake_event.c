/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Events, and the device's clock that they are stamped with. */
#include "fake.h"

#include <time.h>

static struct CUevent_st *events; /* all that are alive */
static int n_events, drift_ppm;
int fake_slow;

/* The clock of the second device is as slow as that of the first is fast. */
static int64_t device_ns(int device) {
    struct timespec t;
    int64_t ns;

    clock_gettime(CLOCK_MONOTONIC, &t);
    ns = t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
    return ns + (int64_t)((double)ns / 1e6 * (device ? -drift_ppm : drift_ppm)) + 123456789;
}

void fake_slow_events(int n) {
    pthread_mutex_lock(&fake_lock);
    fake_slow = n;
    pthread_mutex_unlock(&fake_lock);
}

void fake_drift(int ppm) {
    pthread_mutex_lock(&fake_lock);
    drift_ppm = ppm;
    pthread_mutex_unlock(&fake_lock);
}

int fake_events(void) {
    int n;

    pthread_mutex_lock(&fake_lock);
    n = n_events;
    pthread_mutex_unlock(&fake_lock);
    return n;
}

void fake_reach(cudaEvent_t event, uint64_t number) {
    if (number > event->reached) { /* else another stream was faster, with a later record */
        event->reached = number;
        event->ns = device_ns(event->device);
    }
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    cudaError_t status = fake_enter(__func__);

    (void)flags;
    if (status == cudaSuccess && fake_prohibited())
        status = cudaErrorStreamCaptureUnsupported;
    if (status == cudaSuccess) {
        *event = calloc(1, sizeof(**event));
        (*event)->device = fake_device;
        (*event)->next = events;
        events = *event;
        n_events++;
    }
    return fake_leave(status);
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    struct CUevent_st **at;

    pthread_mutex_lock(&fake_lock);
    for (at = &events; *at != event; at = &(*at)->next)
        ;
    *at = event->next;
    n_events--;
    pthread_mutex_unlock(&fake_lock);
    free(event);
    return cudaSuccess;
}

static cudaError_t record(cudaEvent_t event, cudaStream_t handle, unsigned flags) {
    cudaError_t status = fake_enter("cudaEventRecord");
    struct CUstream_st *stream = fake_stream(handle);

    if (status == cudaSuccess &&
        event->device != ((uintptr_t)handle <= 2 ? fake_device : stream->device))
        status = cudaErrorInvalidResourceHandle;
    if (status != cudaSuccess)
        return fake_leave(status);
    if (flags & cudaEventRecordExternal) {
        if (!stream->frontier.capture)
            status = cudaErrorInvalidValue;
        else if (stream->frontier.capture->invalid)
            status = cudaErrorStreamCaptureInvalidated;
        else if (fake_add_node(&stream->frontier, NULL, event) < 0)
            status = cudaErrorMemoryAllocation;
        return fake_leave(status);
    }
    event->frontier = stream->frontier;
    if (!stream->frontier.capture && !fake_dropped(OP_RECORD))
        fake_enqueue(stream,
                     (struct op){.kind = OP_RECORD, .event = event, .number = ++event->recorded});
    else if (!stream->frontier.capture)
        event->recorded++; /* and never reached */
    return fake_leave(status);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return record(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    return record(event, stream, flags);
}

/* With the lock. */
static cudaError_t answer(cudaEvent_t event) {
    return event->frontier.capture            ? cudaErrorCapturedEvent
           : event->reached < event->recorded ? cudaErrorNotReady
                                              : cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    cudaError_t status = fake_enter(__func__);

    if (status == cudaSuccess && fake_prohibited())
        status = cudaErrorStreamCaptureUnsupported;
    return fake_leave(status == cudaSuccess ? answer(event) : status);
}

cudaError_t cudaEventElapsedTime(float *ret_ms, cudaEvent_t from, cudaEvent_t to) {
    cudaError_t status = fake_enter(__func__);

    if (status == cudaSuccess && fake_prohibited())
        status = cudaErrorStreamCaptureUnsupported;
    if (status == cudaSuccess && (!from->recorded || !to->recorded || from->device != to->device))
        status = cudaErrorInvalidResourceHandle;
    if (status == cudaSuccess)
        status = answer(from);
    if (status == cudaSuccess)
        status = answer(to);
    if (status == cudaSuccess)
        *ret_ms = (float)((double)(to->ns - from->ns) / 1e6);
    return fake_leave(status);
}
