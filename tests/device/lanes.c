/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ranges and marks in streams with and without names, in two domains, in a graph, on several
 * threads, and in a stream whose name changes. lanes.py records the program and looks for the
 * ranges in the lanes of their streams. Prints the handle of the stream without a name. */
#include "nvtxh.h"
#include "nvtxh/device.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

NVTXH_DOMAIN(library, "library");

enum { CROWD = 3, MANY = 120 };
static cudaStream_t compute, copy, unnamed, again, crowded[CROWD];

static void CUDART_CB work(void *unused) {
    (void)unused;
    usleep(200);
}

static void wait_for(cudaStream_t stream) {
    cudaStreamSynchronize(stream);
    nvtxh_device_drain(-1);
}

static void nested(void) {
    NVTXH_DEVICE_SCOPE(compute, "outer");
    {
        NVTXH_DEVICE_SCOPE(compute, "inner", .payload = nvtxh_payload(5));
        cudaLaunchHostFunc(compute, work, NULL);
    }
    {
        NVTXH_DEVICE_SCOPE(compute, "of a library", .domain = &library);
        cudaLaunchHostFunc(compute, work, NULL);
    }
}

static void elsewhere(void) {
    struct nvtxh_device_range first, second;

    nvtxh_device_start(copy, &first, "first");
    cudaLaunchHostFunc(copy, work, NULL);
    nvtxh_device_start(copy, &second, "second");
    cudaLaunchHostFunc(copy, work, NULL);
    nvtxh_device_end(copy, first);
    cudaLaunchHostFunc(copy, work, NULL);
    nvtxh_device_end(copy, second);
    nvtxh_device_mark(copy, "there");
    {
        NVTXH_DEVICE_SCOPE(unnamed, "without");
        cudaLaunchHostFunc(unnamed, work, NULL);
    }
    {
        NVTXH_DEVICE_SCOPE(NULL, "by default");
        cudaLaunchHostFunc(NULL, work, NULL);
    }
    {
        NVTXH_DEVICE_SCOPE(cudaStreamLegacy, "by its name");
        cudaLaunchHostFunc(cudaStreamLegacy, work, NULL);
    }
    {
        NVTXH_DEVICE_SCOPE(cudaStreamPerThread, "of the thread");
        cudaLaunchHostFunc(cudaStreamPerThread, work, NULL);
    }
}

/* Twice replayed; a range is shown where it was captured. */
static void graph(void) {
    cudaGraph_t captured;
    cudaGraphExec_t launched;
    int i;

    cudaStreamBeginCapture(compute, cudaStreamCaptureModeGlobal);
    {
        NVTXH_DEVICE_SCOPE(compute, "replayed");
        cudaLaunchHostFunc(compute, work, NULL);
    }
    cudaStreamEndCapture(compute, &captured);
    cudaGraphInstantiateWithFlags(&launched, captured, 0);
    for (i = 0; i < 2; i++) {
        cudaGraphLaunch(launched, copy);
        wait_for(copy);
    }
    cudaGraphExecDestroy(launched);
    cudaGraphDestroy(captured);
}

/* All threads are the first in all these streams. */
static void *crowd(void *unused) {
    int i;

    for (i = 0; i < CROWD; i++) {
        NVTXH_DEVICE_SCOPE(crowded[i], "in a crowd");
        cudaLaunchHostFunc(crowded[i], work, NULL);
    }
    return unused;
}

static void crowds(void) {
    pthread_t threads[CROWD];
    char name[] = "crowd 0";
    int i;

    for (i = 0; i < CROWD; i++, name[6]++) {
        cudaStreamCreateWithFlags(&crowded[i], cudaStreamNonBlocking);
        nvtxh_stream_name(crowded[i], name);
    }
    for (i = 0; i < CROWD; i++)
        pthread_create(&threads[i], NULL, crowd, NULL);
    for (i = 0; i < CROWD; i++)
        pthread_join(threads[i], NULL);
    for (i = 0; i < CROWD; i++)
        wait_for(crowded[i]);
}

/* Many streams, all with the same name. */
static void many(void) {
    cudaStream_t streams[MANY];
    int i;

    for (i = 0; i < MANY; i++) {
        cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
        nvtxh_stream_name(streams[i], "many");
        NVTXH_DEVICE_SCOPE(streams[i], "one of many");
    }
    for (i = 0; i < MANY; i++)
        wait_for(streams[i]);
}

/* As if a stream had been destroyed, and another one made at its address. */
static void renamed(void) {
    {
        NVTXH_DEVICE_SCOPE(again, "before its name");
        cudaLaunchHostFunc(again, work, NULL);
    }
    wait_for(again);
    nvtxh_stream_name(again, "request 1");
    {
        NVTXH_DEVICE_SCOPE(again, "early");
        cudaLaunchHostFunc(again, work, NULL);
    }
    wait_for(again);
    nvtxh_stream_name(again, "request 2");
    {
        NVTXH_DEVICE_SCOPE(again, "late");
        cudaLaunchHostFunc(again, work, NULL);
    }
    wait_for(again);
}

int main(void) {
    cudaStream_t *const all[] = {&compute, &copy, &unnamed, &again};
    size_t i;

    for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (cudaStreamCreateWithFlags(all[i], cudaStreamNonBlocking) != cudaSuccess)
            return 1;
    nvtxh_stream_name(compute, "compute");
    nvtxh_stream_name(copy, "copy");
    NVTXH_RANGE_SCOPE("on the host");
    nested();
    elsewhere();
    for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        wait_for(*all[i]);
    cudaDeviceSynchronize();
    wait_for(NULL);
    graph();
    crowds();
    many();
    renamed();
    printf("0x%lx\n", (unsigned long)unnamed);
    return 0;
}
