/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_FAKE_CONTEXTS_H
#define NVTXH_TEST_FAKE_CONTEXTS_H

/* A driver that has only contexts, for contexts.c: in a program with a static CUDA runtime, the
 * dynamic linker finds nothing else. Three devices; context 1 + N is the one that the runtime uses
 * of device N. As cuda.h says, cuCtxSynchronize and cuProfilerStart are about the current context
 * of the thread, and answer CUDA_ERROR_INVALID_CONTEXT where there is none; retaining makes a
 * context active. */

#ifdef __cplusplus
extern "C" {
#endif

enum { DEVICES = 3, CONTEXTS = 8 };

/* Device N is in use, or no longer. */
void fake_use(int device, int in_use);
/* The profiler and waiting fail in a context, or no longer. */
void fake_refuse(int context, int refuse);
/* Context number N, or none for 0, is the thread's current one. */
void fake_current(int context);
/* What was called since the last time, as "<2 w1 >2": profiler on and off and wait, in which
 * context. */
const char *fake_did(void);
/* How many contexts are retained, on the thread's stack, or active now. */
int fake_retained(void);
int fake_stacked(void);
int fake_active(void);

#ifdef __cplusplus
}
#endif

#endif
