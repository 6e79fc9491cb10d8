/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_REPORT_UTF8_H
#define NVTXH_REPORT_UTF8_H
/* Messages are whatever bytes the program gave. */
#include <stdbool.h>
#include <stddef.h>

/* Length of the valid UTF-8 character at `text`, or 0. */
size_t utf8_character(const char *text, size_t left);

/* The number of a valid character of `n` bytes. */
unsigned utf8_code(const char *text, size_t n);

/* Characters that a terminal obeys instead of showing them: controls, ends of lines, and those that turn the
 * direction of writing. */
bool utf8_is_control(unsigned c);

/* Writes such a character so that it can be seen, in at most 8 bytes and a NUL; returns where that is. */
char *utf8_escape(char *to, unsigned c);

/* Whether all of it is UTF-8. */
bool utf8_is(const char *text, size_t size);

/* A copy that is UTF-8: U+FFFD stands for each byte that is none. Free it. */
char *utf8_copy(const char *text, size_t size, size_t *ret_size);

/* Makes a text safe for a terminal and a line: control characters and those that turn the direction of writing as
 * escapes, what is not UTF-8 as U+FFFD, long ones cut. Free it. */
char *printable(const char *text, size_t size, size_t longest);

#endif /* NVTXH_REPORT_UTF8_H */
