/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_VERSION_H
#define NVTXH_VERSION_H

/* The version of nvtxh, defined only here; a test compares it with the version in the build files.
 * NVTXH_VERSION is for comparisons: `#if NVTXH_VERSION >= 100` means 0.1.0 or newer. */
#define NVTXH_VERSION_MAJOR 0
#define NVTXH_VERSION_MINOR 1
#define NVTXH_VERSION_PATCH 0
#define NVTXH_VERSION                                                                              \
    (NVTXH_VERSION_MAJOR * 10000 + NVTXH_VERSION_MINOR * 100 + NVTXH_VERSION_PATCH)

#endif
