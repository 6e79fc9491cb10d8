/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A matrix product in bands, on two streams: while one band is multiplied, the next is copied in
 * and the last one out. The annotations say what the streams do, not when the host asked for it,
 * and so show whether the copies are really hidden.
 *
 *     nvcc -I .. 06_device.cu -o 06_device && nvtxh record -o run.nvtxh -- ./06_device
 *
 * 06_device.c is of the same kind in C, with the driver API alone. */
#include "nvtxh.h"
#include "nvtxh/device.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

NVTX_DOMAIN(product, "product");

enum { N = 1024, TILE = 16, BANDS = 8, ROWS = N / BANDS };

/* C = A B, for a band of A and of C; each block has its tiles of A and B in shared memory. */
__global__ void multiply(const float *a, const float *b, float *c) {
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;

    for (int k = 0; k < N; k += TILE) {
        tile_a[threadIdx.y][threadIdx.x] = a[row * N + k + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * N + column];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
        __syncthreads();
    }
    c[row * N + column] = sum;
}

static void need(cudaError_t status, const char *what) {
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr,
                 "06_device: %s: %s\n06_device: needs a CUDA device and its driver; `nvidia-smi` "
                 "says whether there are\n",
                 what, cudaGetErrorName(status));
    std::exit(1);
}

/* A number in [-1, 1] for each place, the same in every run. */
static float value(unsigned i) {
    return static_cast<float>((i * 2654435761u >> 8) % 2001) / 1000.0f - 1.0f;
}

int main() {
    const size_t band = sizeof(float) * ROWS * N, all = sizeof(float) * N * N;
    float *a, *c, *on_device_a[2], *on_device_c[2], *on_device_b;
    std::vector<float> b(N * N);
    cudaStream_t streams[2];

    need(cudaMallocHost(&a, all), "memory for A");
    need(cudaMallocHost(&c, all), "memory for C");
    need(cudaMalloc(&on_device_b, all), "memory for B");
    for (unsigned i = 0; i < N * N; i++) {
        a[i] = value(i);
        b[i] = value(i + 77);
    }
    for (int i = 0; i < 2; i++) {
        need(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking), "a stream");
        need(cudaMalloc(&on_device_a[i], band), "memory for a band");
        need(cudaMalloc(&on_device_c[i], band), "memory for a band");
        nvtxh_stream_name(streams[i], i ? "odd bands" : "even bands");
    }
    need(cudaMemcpy(on_device_b, b.data(), all, cudaMemcpyHostToDevice), "copying B");

    for (int i = 0; i < BANDS; i++) {
        cudaStream_t stream = streams[i % 2];
        struct nvtxh_device_range step;

        /* One range behind the other: N of them take N + 1 host functions. */
        nvtxh_device_start(stream, &step, "copy in", .domain = &product, .color = NVTXH_STEELBLUE,
                           .payload = nvtxh_payload(i));
        cudaMemcpyAsync(on_device_a[i % 2], a + i * ROWS * N, band, cudaMemcpyHostToDevice, stream);
        nvtxh_device_next(stream, &step, "multiply", .domain = &product, .color = NVTXH_TOMATO,
                          .payload = nvtxh_payload(i));
        multiply<<<dim3(N / TILE, ROWS / TILE), dim3(TILE, TILE), 0, stream>>>(
            on_device_a[i % 2], on_device_b, on_device_c[i % 2]);
        nvtxh_device_next(stream, &step, "copy out", .domain = &product, .color = NVTXH_SEAGREEN,
                          .payload = nvtxh_payload(i));
        cudaMemcpyAsync(c + i * ROWS * N, on_device_c[i % 2], band, cudaMemcpyDeviceToHost, stream);
        nvtxh_device_end(stream, step);
    }
    {
        NVTX_SCOPE("wait", .domain = &product);
        need(cudaDeviceSynchronize(), "the product");
    }

    double error = 0;
    for (unsigned i = 0; i < N * N; i += 997) { /* some of it, by hand */
        double sum = 0;
        for (unsigned k = 0; k < N; k++)
            sum += static_cast<double>(a[i / N * N + k]) * static_cast<double>(b[k * N + i % N]);
        error = std::fmax(error, std::fabs(sum - static_cast<double>(c[i])));
    }
    std::printf("%d x %d, in %d bands: %s\n", N, N, BANDS, error < 1e-2 ? "right" : "wrong");
    return error < 1e-2 ? 0 : 1;
}
