/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report.h"

#include <string.h>

const char *const figure_units[FIGURE_UNITS] = {"auto", "ns", "us", "ms", "s"};

void figure_number(double number, int decimals, char ret_text[64])
{
    char digits[48];
    char *to = ret_text;

    if (fabs(number) > 1e30) {
        snprintf(ret_text, 64, "%g", number);
        return;
    }
    int n = snprintf(digits, sizeof(digits), "%.*f", decimals, number);
    int whole = decimals ? n - decimals - 1 : n;
    for (int i = 0; i < n; i++) {
        if (i && i < whole && (whole - i) % 3 == 0 && to[-1] != '-') {
            *to++ = ',';
        }
        *to++ = digits[i];
    }
    *to = 0;
}

void figure_digits(double number, int decimals, FILE *out)
{
    char digits[VALUE_DIGITS];

    if (decimals < 0) {
        fputs(value_digits(&(struct value){.kind = VALUE_REAL, .d = number}, digits), out);
    } else {
        fprintf(out, "%.*f", decimals, number);
    }
}

void figure_value(double value, char ret_text[64])
{
    if (fabs(value) > 0 && fabs(value) < 0.1) {
        snprintf(ret_text, 64, "%.3g", value);
    } else {
        figure_number(value, value == trunc(value) ? 0 : 3, ret_text);
    }
}

/* Three digits, in the largest unit in which the value is at least 1. A unit is `step` times the unit before. With
 * `whole`, a value in the first unit gets no digits after the point. */
static void three_digits(double value, double step, const char *const *units, size_t count, bool whole,
                         char ret_text[64])
{
    size_t unit = 0;

    for (; unit + 1 < count && fabs(value) >= step - 0.5; unit++) {
        value /= step;
    }
    int decimals = fabs(value) < 9.995 ? 2 : fabs(value) < 99.95 ? 1 : 0;
    figure_number(value, whole && !unit ? 0 : decimals, ret_text);
    size_t size = strlen(ret_text);
    snprintf(ret_text + size, 64 - size, " %s", units[unit]);
}

void figure_time(double ns, size_t unit, int decimals, bool utf8, char ret_text[64])
{
    static const double sizes[FIGURE_UNITS] = {1, 1, 1e3, 1e6, 1e9};
    const char *const names[] = {"ns", utf8 ? "µs" : "us", "ms", "s"};

    if (unit) {
        figure_number(ns / sizes[unit], unit == 1 ? decimals : 3, ret_text);
    } else {
        three_digits(ns, 1000, names, 4, decimals == 0 || ns >= 99.95 || ns == floor(ns), ret_text);
    }
}

void figure_size(uint64_t bytes, char ret_text[64])
{
    static const char *const names[] = {"bytes", "kB", "MB", "GB", "TB"};

    three_digits((double)bytes, 1000, names, 5, true, ret_text);
}
