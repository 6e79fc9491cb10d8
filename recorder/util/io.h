/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Texts in buffers, such as one that says why something failed. Functions that read or write a
 * whole buffer in a file. */
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why something failed, in a line for people. A function that fails returns false and fills in its
 * caller's error. There is room for a sentence with a path; a longer text is cut at its end. */
struct error {
    char text[PATH_MAX + 256];
};

/* Sets the text. Returns false, for `return error_set(...)`. Arguments must not point into *ret. */
__attribute__((format(printf, 2, 3), cold)) bool error_set(struct error *ret, const char *format,
                                                           ...);

/* Adds to a text in a buffer of `size` bytes: `between`, unless the text is empty, then the rest. A
 * text that is too long is cut at its end. */
__attribute__((format(printf, 4, 5))) void text_append(char *buffer, size_t size,
                                                       const char *between, const char *format,
                                                       ...);

/* Returns the number of bytes read. If it is less than `size`, errno says why; errno 0: end of
 * file. */
size_t io_read(int fd, void *ret_bytes, size_t size, uint64_t offset);

/* Writes all `size` bytes. On failure returns false and sets errno. */
bool io_write(int fd, const void *bytes, size_t size, uint64_t offset);

/* Opens a nameless file in $TMPDIR or /var/tmp. On failure returns -1 and sets errno. */
int io_temporary(void);
