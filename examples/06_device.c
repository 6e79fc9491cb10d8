/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Device ranges in C, with the driver API alone, as inference engines use it: a vector is worked on
 * in pieces, on two streams, copied in and out around the work. The driver is looked up at run
 * time, so that the program starts, and says what it needs, where there is none.
 *
 *     cc -I .. -I /usr/local/cuda/include 06_device.c -o 06_device -ldl -lpthread */
#define NVTXH_CUDA_DRIVER
#include "nvtxh.h"
#include "nvtxh/device.h"

#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

NVTX_DOMAIN(polynomial, "polynomial");

enum { N = 1 << 22, PIECES = 16, PIECE = N / PIECES, BLOCK = 256 };

/* x[i] = x[i] * x[i] + 1, for PTX that every device of the last decade takes. */
static const char program[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                              ".visible .entry square(.param .u64 vector)\n"
                              "{\n"
                              "    .reg .b32 %block, %size, %thread, %i;\n"
                              "    .reg .b64 %vector, %offset;\n"
                              "    .reg .f32 %x;\n"
                              "    ld.param.u64 %vector, [vector];\n"
                              "    cvta.to.global.u64 %vector, %vector;\n"
                              "    mov.u32 %block, %ctaid.x;\n"
                              "    mov.u32 %size, %ntid.x;\n"
                              "    mov.u32 %thread, %tid.x;\n"
                              "    mad.lo.s32 %i, %block, %size, %thread;\n"
                              "    mul.wide.s32 %offset, %i, 4;\n"
                              "    add.s64 %vector, %vector, %offset;\n"
                              "    ld.global.f32 %x, [%vector];\n"
                              "    fma.rn.f32 %x, %x, %x, 0f3F800000;\n"
                              "    st.global.f32 [%vector], %x;\n"
                              "    ret;\n"
                              "}\n";

/* The driver's functions, by the names that cuda.h gives them. */
#define FUNCTIONS                                                                                  \
    X(cuInit, (unsigned))                                                                          \
    X(cuDeviceGet, (CUdevice *, int))                                                              \
    X(cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice))                                           \
    X(cuCtxSetCurrent, (CUcontext))                                                                \
    X(cuModuleLoadData, (CUmodule *, const void *))                                                \
    X(cuModuleGetFunction, (CUfunction *, CUmodule, const char *))                                 \
    X(cuStreamCreate, (CUstream *, unsigned))                                                      \
    X(cuMemAlloc, (CUdeviceptr *, size_t))                                                         \
    X(cuMemAllocHost, (void **, size_t))                                                           \
    X(cuMemcpyHtoDAsync, (CUdeviceptr, const void *, size_t, CUstream))                            \
    X(cuMemcpyDtoHAsync, (void *, CUdeviceptr, size_t, CUstream))                                  \
    X(cuCtxSynchronize, (void))                                                                    \
    X(cuLaunchKernel, (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,     \
                       unsigned, CUstream, void **, void **))
static struct {
#define X(name, arguments) CUresult(*call_##name) arguments;
    FUNCTIONS
#undef X
} driver;
#define STRING_(name) #name
#define STRING(name) STRING_(name)

static void need(int holds, const char *what) {
    if (holds)
        return;
    fprintf(
        stderr,
        "06_device: %s\n06_device: needs a CUDA device and its driver; `nvidia-smi` says whether "
        "there are\n",
        what);
    exit(1);
}

static void load_driver(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL), *found;

    need(library != NULL, "no libcuda.so.1");
#define X(name, arguments)                                                                         \
    found = dlsym(library, STRING(name));                                                          \
    need(found != NULL, "libcuda.so.1 has no " STRING(name));                                      \
    memcpy(&driver.call_##name, &found, sizeof(found));
    FUNCTIONS
#undef X
}

int main(void) {
    CUstream streams[2];
    CUdeviceptr pieces[2];
    CUcontext context;
    CUfunction square;
    CUmodule module;
    CUdevice device;
    float *vector;
    void *memory;
    int i;

    load_driver();
    need(!driver.call_cuInit(0), "cuInit fails");
    need(!driver.call_cuDeviceGet(&device, 0), "no device");
    need(!driver.call_cuDevicePrimaryCtxRetain(&context, device), "no context");
    need(!driver.call_cuCtxSetCurrent(context), "no context");
    need(!driver.call_cuModuleLoadData(&module, program), "the program does not load");
    need(!driver.call_cuModuleGetFunction(&square, module, "square"), "no function square");
    need(!driver.call_cuMemAllocHost(&memory, sizeof(float) * N), "no memory");
    vector = memory;
    nvtxh_context_name(context, "squares");
    for (i = 0; i < 2; i++) {
        need(!driver.call_cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING), "no stream");
        need(!driver.call_cuMemAlloc(&pieces[i], sizeof(float) * PIECE), "no memory");
        nvtxh_stream_name(streams[i], i ? "odd pieces" : "even pieces");
    }
    for (i = 0; i < N; i++)
        vector[i] = (float)(i % 1000);

    for (i = 0; i < PIECES; i++) {
        void *arguments[] = {&pieces[i % 2]};
        CUstream stream = streams[i % 2];
        float *piece = vector + (size_t)i * PIECE;

        NVTXH_DEVICE_SCOPE(stream, "piece", .domain = &polynomial, .payload = nvtxh_payload(i));
        driver.call_cuMemcpyHtoDAsync(pieces[i % 2], piece, sizeof(float) * PIECE, stream);
        {
            NVTXH_DEVICE_SCOPE(stream, "square", .domain = &polynomial, .color = NVTXH_TOMATO);
            driver.call_cuLaunchKernel(square, PIECE / BLOCK, 1, 1, BLOCK, 1, 1, 0, stream,
                                       arguments, NULL);
        }
        driver.call_cuMemcpyDtoHAsync(piece, pieces[i % 2], sizeof(float) * PIECE, stream);
    }
    need(!driver.call_cuCtxSynchronize(), "the work fails");

    for (i = 0; i < N; i++) {
        float x = (float)(i % 1000), expected = x * x + 1;

        if (vector[i] < expected || vector[i] > expected) {
            printf("%d squares: wrong from %d on\n", N, i);
            return 1;
        }
    }
    printf("%d squares: right\n", N);
    return 0;
}
