/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_THREAD_MEMORY_H
#define NVTXH_WRITE_THREAD_MEMORY_H
/*
 * The memory of threads that record: for each a state, which a fork wipes, and depths, which survive it. Many threads
 * share two mappings. Takes no lock, and may be called in a signal handler.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `size`: of a state, in bytes. */
bool thread_memory_init(size_t size);

/* Returns a state, and depths for all domains. All are zero. NULL on failure, with EUSERS if the process must not have
 * more mappings. */
void *thread_memory_new(uint32_t **ret_depth);

/* Frees a state and its depths. */
void thread_memory_free(void *thread);

#endif /* NVTXH_WRITE_THREAD_MEMORY_H */
