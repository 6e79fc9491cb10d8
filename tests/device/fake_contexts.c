/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See fake_contexts.h. One thread calls it. */
#include "fake_contexts.h"

#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int used[DEVICES], retained[DEVICES], refusing[CONTEXTS];
static int stack[CONTEXTS], height;
static char did[256];
static size_t n_did;

static CUcontext handle(int number) {
    return (CUcontext)(uintptr_t)number;
}

static int current(void) {
    return height ? stack[height - 1] : 0;
}

static CUresult note(const char *what) {
    if (!current())
        return CUDA_ERROR_INVALID_CONTEXT;
    n_did += (size_t)snprintf(did + n_did, sizeof(did) - n_did, "%s%s%d", n_did ? " " : "", what,
                              current());
    return refusing[current()] ? CUDA_ERROR_UNKNOWN : CUDA_SUCCESS;
}

void fake_refuse(int context, int refuse) {
    refusing[context] = refuse;
}

void fake_use(int device, int in_use) {
    used[device] = in_use;
}

void fake_current(int context) {
    height = context != 0;
    stack[0] = context;
}

const char *fake_did(void) {
    static char answer[sizeof(did)];

    memcpy(answer, did, sizeof(did));
    did[n_did = 0] = 0;
    return answer;
}

int fake_retained(void) {
    return retained[0] + retained[1] + retained[2];
}

int fake_stacked(void) {
    return height;
}

int fake_active(void) {
    return (used[0] || retained[0]) + (used[1] || retained[1]) + (used[2] || retained[2]);
}

CUresult cuCtxGetCurrent(CUcontext *ret_context) {
    *ret_context = handle(current());
    return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext context) {
    stack[height++] = (int)(uintptr_t)context;
    return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext *ret_context) {
    *ret_context = handle(current());
    height--;
    return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void) {
    return note("w");
}

CUresult cuProfilerStart(void);
CUresult cuProfilerStart(void) {
    return note("<");
}

CUresult cuProfilerStop(void);
CUresult cuProfilerStop(void) {
    return note(">");
}

CUresult cuDeviceGetCount(int *ret_n) {
    *ret_n = DEVICES;
    return CUDA_SUCCESS;
}

/* CUDA does not promise that a CUdevice is its ordinal. */
CUresult cuDeviceGet(CUdevice *ret_device, int ordinal) {
    *ret_device = 100 + ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *ret_flags, int *ret_active) {
    *ret_flags = 0;
    *ret_active = used[device - 100] || retained[device - 100];
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *ret_context, CUdevice device) {
    retained[device - 100]++;
    *ret_context = handle(1 + device - 100);
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
    retained[device - 100]--;
    return CUDA_SUCCESS;
}
