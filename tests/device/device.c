/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Exits with 0 and the name of the device, or with 77 and the reason why there is none. */
#include <cuda_runtime_api.h>
#include <stdio.h>

int main(void) {
    struct cudaDeviceProp properties;
    int n = 0, runtime = 0, driver = 0;
    cudaError_t status = cudaGetDeviceCount(&n);

    if (status != cudaSuccess || !n) {
        printf("skipped: no CUDA device (%s)\n",
               status == cudaSuccess ? "none found" : cudaGetErrorName(status));
        return 77;
    }
    cudaRuntimeGetVersion(&runtime);
    cudaDriverGetVersion(&driver);
    if (cudaGetDeviceProperties(&properties, 0) == cudaSuccess)
        printf("%s, runtime %d, driver %d\n", properties.name, runtime, driver);
    return 0;
}
