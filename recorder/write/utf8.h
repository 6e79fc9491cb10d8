/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_UTF8_H
#define NVTXH_WRITE_UTF8_H
#include <stddef.h>
#include <wchar.h>

/* Bytes of the UTF-8 form, without a terminator. What is no character becomes U+FFFD. */
size_t utf8_size(const wchar_t *wide);

/* Writes at most `room` bytes, never half a character; returns how many. No terminator. */
size_t utf8_from_wide(const wchar_t *wide, char *ret_text, size_t room);

/* A name in UTF-8, made without malloc: a signal handler may give names. A variable that is declared UTF8_OWNED gives its
 * memory back at the end of its block. */
enum { UTF8_HERE = 248 };
struct utf8 {
    void *pages; /* for what is too long for `here`; NULL: none */
    size_t room;
    char here[UTF8_HERE];
};

/* Fills it, returns the text. NULL for NULL, or on failure; leaves errno alone. */
const char *utf8_make(struct utf8 *ret, const wchar_t *wide);
void utf8_drop(struct utf8 *u);
#define UTF8_OWNED __attribute__((cleanup(utf8_drop)))

#endif /* NVTXH_WRITE_UTF8_H */
