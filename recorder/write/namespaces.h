/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_NAMESPACES_H
#define NVTXH_WRITE_NAMESPACES_H
#include <stdbool.h>

/*
 * Whether the program, or a library it has loaded, may call unshare or setns, because it imports one of the two. The
 * kernel refuses a user namespace to a process with a second thread, so we must not have one. Direct system calls are
 * not seen. Takes the loader's lock.
 */
bool namespaces_wanted(void);

#endif /* NVTXH_WRITE_NAMESPACES_H */
