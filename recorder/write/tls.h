/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_TLS_H
#define NVTXH_WRITE_TLS_H
/*
 * The access model of our thread-local variables. An access costs one instruction. With the default model it costs a
 * call, which at the first use in each thread allocates memory and takes the loader's lock, even in a signal handler.
 * glibc always has room for a few pointers of this model.
 */
#include <limits.h> /* __GLIBC__ */

#if defined(__GLIBC__) && !defined(NVTXH_WRITE_NO_INITIAL_EXEC)
#define NVTXH_WRITE_TLS __attribute__((tls_model("initial-exec")))
#else
#define NVTXH_WRITE_TLS
#endif

#endif /* NVTXH_WRITE_TLS_H */
