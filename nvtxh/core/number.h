/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CORE_NUMBER_H
#define NVTXH_CORE_NUMBER_H

/* Numbers as text, with a decimal point in every locale: the program may have called
 * setlocale(LC_ALL, ""), and strtod and printf then read and write a comma in many countries.
 * Includes headers of the C library, so only the implementation includes it. Not API. */

#include "compiler.h"

#include <stdio.h>
#include <string.h>
#ifdef _GNU_SOURCE
#include <locale.h>
#include <stdlib.h>
#endif

NVTXH_I_C_BEGIN

/* Writes a number that is not negative, like snprintf with "%.*f". Returns the length of the text,
 * which has to fit. */
static inline size_t nvtxh_i_number_write(char *ret_text, size_t size, int decimals,
                                          double number) {
    size_t n = NVTXH_I_CAST(size_t, snprintf(ret_text, size, "%.*f", decimals, number));
    size_t whole = strspn(ret_text, "0123456789"), after = NVTXH_I_CAST(size_t, decimals);

    if (whole == n)
        return n;
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
        if (i && i < whole && (whole - i) % 3 == 0)
            *ret_text++ = ',';
        *ret_text++ = digits[i];
    }
    *ret_text = 0;
}

/* Writes three digits and the largest of N units in which the value is at least 1, into 64 bytes. A
 * unit is 1000 times the unit before. WHOLE: no digits after the point in the first unit. */
static inline void nvtxh_i_number_short(char *ret_text, double value, const char *const *units,
                                        size_t n, bool whole) {
    size_t unit = 0, size;

    for (; unit + 1 < n && value >= 999.5; unit++)
        value /= 1000;
    nvtxh_i_number_grouped(ret_text,
                           (whole && !unit) || value >= 99.95 ? 0
                           : value >= 9.995                   ? 1
                                                              : 2,
                           value);
    size = strlen(ret_text);
    snprintf(ret_text + size, 64 - size, " %s", units[unit]);
}

#ifdef _GNU_SOURCE /* what includes this for reading defines it; strict C hides strtod_l */
/* Like strtod. The "C" locale is a constant of the C library, so newlocale takes no memory and
 * cannot fail. */
static inline double nvtxh_i_number_read(const char *text, char **ret_end) {
    return strtod_l(text, ret_end, newlocale(LC_ALL_MASK, "C", NVTXH_I_CAST(locale_t, 0)));
}
#endif

NVTXH_I_C_END

#endif
