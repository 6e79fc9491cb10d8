/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_WIPED_MEMORY_H
#define NVTXH_WRITE_WIPED_MEMORY_H
/* Memory that is zero in the beginning and again in a forked child, by whatever way it was forked. */
#include <stdbool.h>
#include <stddef.h>

/* Pages, given back with munmap; NULL on failure. */
void *wiped_memory_new(size_t size);

/* A piece of the page that all parts of the recorder share for what lasts as long as the process; NULL if there is
 * none. For startup.c, in one thread. */
void *wiped_memory_share(size_t size);

/* Before Linux 4.14 the kernel wipes nothing: then the shared page can at least be wiped by hand. */
bool wiped_memory_works(void);
void wiped_memory_wipe_shared(void);

#endif /* NVTXH_WRITE_WIPED_MEMORY_H */
