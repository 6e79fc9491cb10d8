/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "utf8.h"
#include "../base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t utf8_character(const char *text, size_t left)
{
    const unsigned char *p = (const unsigned char *)text;
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = p[0] < 0x80 ? 1 : p[0] >> 5 == 6 ? 2 : p[0] >> 4 == 14 ? 3 : p[0] >> 3 == 30 ? 4 : 0;

    if (n == 0 || n > left) {
        return 0;
    }
    unsigned c = n == 1 ? p[0] : p[0] & (0xffu >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if (p[i] >> 6 != 2) {
            return 0;
        }
        c = c << 6 | (p[i] & 0x3f);
    }
    return c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0 : n;
}

bool utf8_is(const char *text, size_t size)
{
    size_t n = 1;

    for (size_t i = 0; i < size && n; i += n) {
        n = utf8_character(text + i, size - i);
    }
    return n > 0;
}

char *utf8_copy(const char *text, size_t size, size_t *ret_size)
{
    char *copy = must_alloc(NULL, 3 * size + 1, 1);
    char *to = copy;

    for (size_t i = 0; i < size;) {
        size_t n = utf8_character(text + i, size - i);
        if (n) {
            memcpy(to, text + i, n);
        } else {
            memcpy(to, "\xef\xbf\xbd", 3);
        }
        to += n ? n : 3;
        i += n ? n : 1;
    }
    *to = 0;
    if (ret_size) {
        *ret_size = (size_t)(to - copy);
    }
    return copy;
}

unsigned utf8_code(const char *text, size_t n)
{
    unsigned c = (unsigned char)text[0];

    c = n == 1 ? c : c & (0xffu >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        c = c << 6 | ((unsigned char)text[i] & 0x3f);
    }
    return c;
}

bool utf8_is_control(unsigned c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

char *utf8_escape(char *to, unsigned c)
{
    if (c == '\n' || c == '\t') {
        return stpcpy(to, c == '\n' ? "\\n" : "\\t");
    }
    return to + sprintf(to, c < 0x80 ? "\\x%02x" : "\\u%04x", c);
}

char *printable(const char *text, size_t size, size_t longest)
{
    char *valid = utf8_is(text, size) ? NULL : utf8_copy(text, size, &size);
    text = valid ? valid : text;
    char *out = must_alloc(NULL, 4 * (size < longest ? size : longest) + 8, 1);
    char *to = out;

    for (size_t i = 0, n; i < size; i += n) {
        n = utf8_character(text + i, size - i);
        unsigned c = utf8_code(text + i, n);
        if ((size_t)(to - out) >= longest) {
            to += sprintf(to, "...");
            break;
        }
        if (utf8_is_control(c)) {
            to = utf8_escape(to, c);
        } else {
            memcpy(to, text + i, n);
            to += n;
        }
    }
    *to = 0;
    free(valid);
    return out;
}
