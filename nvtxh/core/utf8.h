/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CORE_UTF8_H
#define NVTXH_CORE_UTF8_H

/* Reads UTF-8, for the reports of statistics and of the recorder: a message may have any bytes. Not
 * API. */

#include "compiler.h"

/* The length of the character at TEXT, and its code point. 0: the character is not valid, or not
 * within LEFT bytes. */
static inline size_t nvtxh_i_utf8(const char *text, size_t left, uint32_t *ret_code) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t c = NVTXH_I_CAST(unsigned char, text[0]);
    size_t n = c < 0x80 ? 1 : c >> 5 == 6 ? 2 : c >> 4 == 14 ? 3 : c >> 3 == 30 ? 4 : 0, i;

    c = n > 1 ? c & (0xffu >> (n + 1)) : c;
    for (i = 1; i < n; i++) {
        if (i >= left || (text[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (NVTXH_I_CAST(unsigned char, text[i]) & 0x3fu);
    }
    *ret_code = c;
    return n && (c < least[n] || c > 0x10ffff || c >> 11 == 27 /* a surrogate */) ? 0 : n;
}

/* Does a terminal obey this character instead of showing it: a control, an end of line, a change of
 * text direction? */
static inline bool nvtxh_i_is_control(uint32_t c) {
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

#endif
