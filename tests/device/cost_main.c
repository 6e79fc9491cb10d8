/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls the functions of cost.c, each CALLS times. */
#define NVTXH_IMPLEMENTATION
#include "nvtxh/device.h"
#include "fake_cuda.h"

#define FUNCTIONS X(plain) X(scope) X(start_end) X(start_next_end) X(mark)

NVTXH_DOMAIN(train, "train");
int callee(int n);
void call_all(int n);
void counted(int n);
int stored;
cudaStream_t stream;

#define X(name) void name(void);
FUNCTIONS
#undef X

int __attribute__((noinline, noclone)) callee(int n) {
    return n + 1;
}

void __attribute__((noinline, noclone)) call_all(int n) {
    int i;

    for (i = 0; i < n; i++) {
#define X(name) name();
        FUNCTIONS
#undef X
    }
}

void __attribute__((noinline, noclone)) counted(int n) {
    call_all(n);
    stored = n;
}

/* Idle work enqueues nothing: no call of CUDA is made at all. */
int main(void) {
    call_all(1); /* finds out that nobody listens */
    counted(CALLS);
    return fake_calls("cudaLaunchHostFunc") + fake_calls("cudaStreamGetCaptureInfo");
}
