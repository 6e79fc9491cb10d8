/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CORE_TEXT_H
#define NVTXH_CORE_TEXT_H

/* Text of the reports of statistics and of the recorder: numbers with a decimal point in every
 * locale, and UTF-8. This header includes headers of the C library, so in nvtxh/ only the
 * implementation includes this header. Not API. */

#include "compiler.h"

#include <stdio.h>
#include <string.h>
#ifdef _GNU_SOURCE
#include <locale.h>
#include <stdlib.h>
#endif

NVTXH_I_C_BEGIN

/* Numbers. The program may have called setlocale(LC_ALL, ""): in many countries, strtod and printf
 * then read and write a comma instead of the point. */

/* Writes a number that is not negative, like snprintf with "%.*f". Returns the length of the text,
 * which has to fit. */
static inline size_t nvtxh_i_number_write(char *ret_text, size_t size, int decimals,
                                          double number) {
    size_t n = (size_t)snprintf(ret_text, size, "%.*f", decimals, number);
    size_t whole = strspn(ret_text, "0123456789"), after = (size_t)decimals;

    if (whole == n) {
        return n;
    }
    ret_text[whole] = '.'; /* the locale's point may have several bytes */
    memmove(ret_text + whole + 1, ret_text + n - after, after + 1);
    return whole + 1 + after;
}

/* Writes a number that is not negative and at most 10^30, with commas, into 64 bytes: 1234567 ->
 * "1,234,567". */
static inline void nvtxh_i_number_grouped(char *ret_text, int decimals, double number) {
    char digits[48];
    size_t n = nvtxh_i_number_write(digits, sizeof(digits), decimals, number),
           whole = strspn(digits, "0123456789"), i;

    for (i = 0; i < n; i++) {
        if (i && i < whole && (whole - i) % 3 == 0) {
            *ret_text++ = ',';
        }
        *ret_text++ = digits[i];
    }
    *ret_text = 0;
}

/* Writes VALUE, given in units[0], into 64 bytes: with three digits, in the largest of N units in
 * which it is at least 1. A unit is 1000 times the one before. WHOLE: no decimals in units[0]. */
static inline void nvtxh_i_number_short(char *ret_text, double value, const char *const *units,
                                        size_t n, bool whole) {
    size_t unit = 0, size;
    int decimals = 2;

    for (; unit + 1 < n && value >= 999.5; unit++) {
        value /= 1000;
    }
    if ((whole && !unit) || value >= 99.95) {
        decimals = 0;
    } else if (value >= 9.995) {
        decimals = 1;
    }
    nvtxh_i_number_grouped(ret_text, decimals, value);
    size = strlen(ret_text);
    snprintf(ret_text + size, 64 - size, " %s", units[unit]);
}

#ifdef _GNU_SOURCE /* files that read numbers define it; strict C hides strtod_l */
/* Like strtod, but in the locale "C". It is a constant of the C library, so newlocale takes
 * no memory and cannot fail. */
static inline double nvtxh_i_number_read(const char *text, char **ret_end) {
    return strtod_l(text, ret_end, newlocale(LC_ALL_MASK, "C", (locale_t)0));
}
#endif

/* UTF-8. A message may have any bytes. */

/* Returns the length in bytes of the character at TEXT; *RET_CODE is its code point. 0: the
 * character is not valid, or does not end within the LEFT bytes at TEXT. */
static inline size_t nvtxh_i_utf8(const char *text, size_t left, uint32_t *ret_code) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t c = (unsigned char)text[0];
    size_t n = c < 0x80 ? 1 : c >> 5 == 6 ? 2 : c >> 4 == 14 ? 3 : c >> 3 == 30 ? 4 : 0, i;

    c = n > 1 ? c & (0xffu >> (n + 1)) : c;
    for (i = 1; i < n; i++) {
        if (i >= left || (text[i] & 0xc0) != 0x80) {
            return 0;
        }
        c = c << 6 | ((unsigned char)text[i] & 0x3fu);
    }
    *ret_code = c;
    return n && (c < least[n] || c > 0x10ffff || c >> 11 == 27 /* a surrogate */) ? 0 : n;
}

/* Writes the character as UTF-8, of at most 4 bytes. Returns its length. */
static inline size_t nvtxh_i_utf8_write(char *ret_text, uint32_t c) {
    size_t more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3, i;

    ret_text[0] = (char)(more ? 0x780u >> more | c >> 6 * more : c);
    for (i = 1; i <= more; i++) {
        ret_text[i] = (char)(0x80 | (c >> 6 * (more - i) & 0x3f));
    }
    return more + 1;
}

/* Does a terminal obey this character instead of showing it: a control, an end of line, a change of
 * text direction? */
static inline bool nvtxh_i_is_control(uint32_t c) {
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

NVTXH_I_C_END

#endif
