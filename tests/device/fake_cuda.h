/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_FAKE_CUDA_H
#define NVTXH_TEST_FAKE_CUDA_H

/* A CUDA runtime without a device, for tests: streams are threads that run host functions in their
 * order, and wait for each other's events; stream captures make graphs, to be instantiated, cloned,
 * updated and replayed; user objects are destroyed on a thread of their own. It has the functions
 * of the runtime that the tests and device.h call, under their own names, and the driver's that
 * device.h looks up: a program that is linked with it instead of with libcudart runs.
 *
 * README.md has what it takes from CUDA's headers, and where it is kinder or harsher than CUDA.
 *
 * What CUDA does not specify is random here (fake_shuffle): which of two streams is faster, and in
 * what order the unordered nodes of a graph run. Rare failures of CUDA happen on demand, below. */

#ifdef __cplusplus
extern "C" {
#endif

/* Let the calls number FIRST to LAST of a function from now on, "cudaLaunchHostFunc", fail. */
void fake_fail(const char *function, int error, int first, int last);
/* How often a function was called since the last fake_reset(). */
int fake_calls(const char *function);
/* The next N host functions are enqueued and never called. */
void fake_drop(int n);
/* Random pauses of the streams, and random orders where CUDA promises none; 0: no more. */
void fake_shuffle(unsigned seed);
/* Breaks the context: every call returns ERROR from now on. Host functions that are already
 * enqueued are still called, or never. */
void fake_break(int error, int still_called);
/* Repairs the context, cancels planned failures, resets the counts. */
void fake_reset(void);
/* The number of live objects, once everything enqueued has been done. */
int fake_user_objects(void);
int fake_graphs(void); /* with their clones and instantiations */

#ifdef __cplusplus
}
#endif

#endif
