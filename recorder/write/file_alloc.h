/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_FILE_ALLOC_H
#define NVTXH_WRITE_FILE_ALLOC_H
/* Room in the recording's file, and its mapping. munmap frees the memory; what was written stays in the file. */
#include "../format/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool file_alloc_init(void);

/* Room for a chunk, mapped and ready to be written without faults that could fail; NULL with errno when the disk is
 * full, a limit is reached or the file is gone. In a program with many threads, several chunks share a mapping, and
 * EUSERS says that the process must not have more mappings, unless `anyway`. */
struct rec_chunk *file_alloc_chunk(uint32_t recording, size_t size, bool anyway);

/* The same with a descriptor from file_own_descriptor. Writes zeroes first: that costs less than first stores
 * through the mapping. */
struct rec_chunk *file_alloc_chunk_ahead(uint32_t recording, int own_descriptor, size_t size);

/* file_alloc_reserve maps room in the file for which the disk has no blocks yet. Nothing may be stored in a part of it
 * before file_alloc_blocks has allocated that part's blocks, which returns 0 or an errno. file_alloc_populate has the
 * kernel map the pages before the first store, only for speed. */
void *file_alloc_reserve(uint32_t recording, size_t size, uint64_t *ret_offset);
int file_alloc_blocks(uint32_t recording, uint64_t offset, size_t size);
void file_alloc_populate(void *room, size_t size);

#endif /* NVTXH_WRITE_FILE_ALLOC_H */
