/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_UTF8_H
#define NVTXH_WRITE_UTF8_H
#include <stddef.h>
#include <wchar.h>

/* Bytes of the UTF-8 form, without a terminator. What is no character becomes U+FFFD. */
size_t utf8_size(const wchar_t *wide);

/* Writes at most `room` bytes, never half a character; returns how many. No terminator. */
size_t utf8_from_wide(const wchar_t *wide, char *ret_text, size_t room);

/* A copy in memory of its own, NULL for NULL or on failure; leaves errno alone. For names, which are rare: it allocates.
 * A variable that is declared UTF8_OWNED gives it back at the end of its block. */
char *utf8_new(const wchar_t *wide);
void utf8_drop(char **text);
#define UTF8_OWNED __attribute__((cleanup(utf8_drop)))

#endif /* NVTXH_WRITE_UTF8_H */
