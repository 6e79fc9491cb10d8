/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_ARENA_H
#define NVTXH_WRITE_ARENA_H
/*
 * Memory for NVTX's callbacks. They must not call malloc, because they may run in a signal handler that has interrupted
 * it. Nothing here calls malloc or takes a lock. A forked child inherits this memory.
 */
#include <stddef.h>

/* Zeroed, aligned to 16 bytes, never freed; NULL on failure. Leaves errno alone. */
void *arena_new(size_t size);

/* Pages that are freed by scratch_drop; NULL on failure. scratch_resize returns their new address; on failure NULL,
 * and the pages stay as they were. All three leave errno alone. */
void *scratch_new(size_t size);
void *scratch_resize(void *scratch, size_t size, size_t new_size);
void scratch_drop(void *scratch, size_t size);

#endif /* NVTXH_WRITE_ARENA_H */
