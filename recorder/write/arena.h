/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_ARENA_H
#define NVTXH_WRITE_ARENA_H
/*
 * Memory for what NVTX's callbacks keep. They may run in a signal handler that has interrupted malloc, and must not
 * call it; nothing here does, nor takes a lock. A forked child inherits all of it.
 */
#include <stddef.h>

/* Zeroed, aligned to 16 bytes, never given back; NULL on failure. Leaves errno alone. */
void *arena_new(size_t size);

/* Whole pages, for as long as they are needed; NULL on failure. scratch_resize returns their new address; on failure NULL,
 * and they stay as they were. They leave errno alone. */
void *scratch_new(size_t size);
void *scratch_resize(void *scratch, size_t size, size_t new_size);
void scratch_drop(void *scratch, size_t size);

#endif /* NVTXH_WRITE_ARENA_H */
