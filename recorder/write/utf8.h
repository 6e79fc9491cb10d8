/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_UTF8_H
#define NVTXH_WRITE_UTF8_H
#include <stddef.h>
#include <wchar.h>

/* Bytes of the UTF-8 form, without a terminator. What is no character becomes U+FFFD. */
size_t utf8_size(const wchar_t *wide);

/* Writes at most `room` bytes, never half a character; returns how many. No terminator. */
size_t utf8_from_wide(const wchar_t *wide, char *ret_text, size_t room);

/* A copy in memory of its own, NULL for NULL or when there is none; leaves errno alone. Given back
 * with utf8_drop. For names, which are rare: it allocates. */
char *utf8_new(const wchar_t *wide);
void utf8_drop(char *text);

#endif /* NVTXH_WRITE_UTF8_H */
