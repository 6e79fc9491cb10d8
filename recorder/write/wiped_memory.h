/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_WIPED_MEMORY_H
#define NVTXH_WRITE_WIPED_MEMORY_H
/* Memory that is zero at first, and zero again in a forked child, by whatever system call it was forked. */
#include <stdbool.h>
#include <stddef.h>

/* Pages, freed with munmap; NULL on failure. */
void *wiped_memory_new(size_t size);

/* Makes whole pages, which are private and anonymous, such memory. */
void wiped_memory_mark(void *pages, size_t size);

/* A piece of a page, for as long as the process lives; NULL on failure. For session_init only, in one thread. */
void *wiped_memory_share(size_t size);

/* False before Linux 4.14, where the kernel does not wipe. Then fork() wipes only what wiped_memory_share returned. */
bool wiped_memory_works(void);

#endif /* NVTXH_WRITE_WIPED_MEMORY_H */
