/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* With -DDRIVER, a driver of CUDA that lacks most functions that a capture needs. Without: a
 * program that has loaded it uses none of it, and the capture has no profiler. */
#ifdef DRIVER

#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif
int cuProfilerStart(void);
int cuCtxSynchronize(void);
int cuCtxGetCurrent(void **ret_context);
#ifdef __cplusplus
}
#endif

int cuProfilerStart(void) {
    abort();
}

int cuCtxSynchronize(void) {
    abort();
}

int cuCtxGetCurrent(void **ret_context) {
    *ret_context = ret_context;
    return 0;
}

#else

#include "nvtxh.h"
#include "nvtxh/capture.h"
#include "check.h"

#include <dlfcn.h>

int main(int argc, char **argv) {
    const unsigned flags = NVTXH_CAPTURE_PROFILER | NVTXH_CAPTURE_WAIT;

    check(argc == 2 && dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL));
    check(nvtxh_capture_start("capture", flags) == !!getenv("NVTX_INJECTION64_PATH"));
    check(nvtxh_capture_stop() == !!getenv("NVTX_INJECTION64_PATH"));
    return 0;
}

#endif
