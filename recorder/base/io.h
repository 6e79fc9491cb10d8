/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_BASE_IO_H
#define NVTXH_BASE_IO_H
/* Reads and writes all bytes at an offset in a file. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the number of bytes read. If it is less than `size`, errno says why; errno 0: the file ends. */
size_t io_read(int fd, void *ret_bytes, size_t size, uint64_t offset);

/* False with errno on failure. */
bool io_write(int fd, const void *bytes, size_t size, uint64_t offset);

/* A nameless file in $TMPDIR or /var/tmp. Negative with errno on failure. */
int io_temporary(void);

#endif /* NVTXH_BASE_IO_H */
