/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_WIPED_MEMORY_H
#define NVTXH_WRITE_WIPED_MEMORY_H
/* Memory that is zero in the beginning and again in a forked child, by whatever way it was forked. */
#include <stdbool.h>
#include <stddef.h>

/* Pages, given back with munmap; NULL on failure. */
void *wiped_memory_new(size_t size);

/* A piece of the page for what lasts as long as the process; NULL if there is none. For session_init, in one
 * thread. */
void *wiped_memory_share(size_t size);

/* False before Linux 4.14, where the kernel wipes nothing: at least fork() itself then wipes the shared page. */
bool wiped_memory_works(void);

#endif /* NVTXH_WRITE_WIPED_MEMORY_H */
