/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_IO_H
#define NVTXH_READ_IO_H
/* Reads and writes at a place in a file, until all bytes are done. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the bytes read; fewer with errno, which is 0 where the file ends. */
size_t io_read(int fd, void *ret_bytes, size_t size, uint64_t offset);

/* False with errno. */
bool io_write(int fd, const void *bytes, size_t size, uint64_t offset);

/* A file without a name in $TMPDIR or /var/tmp. Negative with errno: there is none. */
int io_temporary(void);

#endif /* NVTXH_READ_IO_H */
