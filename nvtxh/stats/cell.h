/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATS_CELL_H
#define NVTXH_STATS_CELL_H

/* The cells of the statistics table, as text. Not API. */

#include "read.h"
#include "types.h"
#include "../core/number.h"

#if NVTXH_I_IMPL

#include <stdio.h>
#include <string.h>

enum nvtxh_i_stats_column {
    NVTXH_I_STATS_NUMBERS = 12, /* these columns come first, right-aligned */
    NVTXH_I_STATS_STYLE = NVTXH_I_STATS_NUMBERS,
    NVTXH_I_STATS_RANGE,
    NVTXH_I_STATS_PLACE,
    NVTXH_I_STATS_COLUMNS
};

NVTXH_I_C_BEGIN

static inline bool nvtxh_i_stats_timed(const struct nvtxh_stats *row)
{
    return row->kind != NVTXH_STATS_MARK;
}

/* The length of the UTF-8 character at TEXT, and its code point. 0: the character is not valid. */
static inline size_t nvtxh_i_stats_character(const char *text, uint32_t *ret_code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t c = NVTXH_I_CAST(unsigned char, text[0]);
    size_t n = c < 0x80 ? 1 : c >> 5 == 6 ? 2 : c >> 4 == 14 ? 3 : c >> 3 == 30 ? 4 : 0, i;

    c = n > 1 ? c & (0xffu >> (n + 1)) : c;
    for (i = 1; i < n; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (NVTXH_I_CAST(unsigned char, text[i]) & 0x3fu);
    }
    *ret_code = c;
    return n && (c < least[n] || c > 0x10ffff || c >> 11 == 27 /* a surrogate */) ? 0 : n;
}

/* Does this character move the cursor, or change the direction of the text after it? */
static inline bool nvtxh_i_stats_is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* Prints a text in one of the formats, as valid UTF-8; a table shows control characters as escapes. Returns the width
 * in columns, one for each character. FILE may be NULL. */
NVTXH_I_COLD size_t nvtxh_i_stats_text(FILE *file, const char *text, enum nvtxh_stats_format format)
{
    size_t columns = 0, n;

    for (; text && *text; text += n) {
        char shown[16] = "\xef\xbf\xbd"; /* U+FFFD, in place of each byte that is not UTF-8 */
        bool quoted, hidden;
        uint32_t c = 0;

        n = nvtxh_i_stats_character(text, &c);
        quoted =
            (format != NVTXH_STATS_TABLE && c == '"') || (format == NVTXH_STATS_JSON && c == '\\');
        hidden = (format == NVTXH_STATS_TABLE && nvtxh_i_stats_is_control(c)) ||
                 (format == NVTXH_STATS_JSON && (c < 0x20 || c == 0x7f));
        columns++;
        if (!n) {
            n = 1;
        } else if (hidden) {
            snprintf(shown, sizeof(shown),
                     format == NVTXH_STATS_JSON || c > 0x7f ? "\\u%04x" : "\\x%02x", c);
            columns += strlen(shown) - 1;
        } else {
            shown[0] = format == NVTXH_STATS_JSON ? '\\' : '"';
            memcpy(shown + quoted, text, n);
            shown[quoted + n] = 0;
        }
        if (file)
            fputs(shown, file);
    }
    return columns;
}

/* Formats a time with three digits and a unit. Returns the length of the text, like snprintf. */
static inline size_t nvtxh_i_stats_time_text(uint64_t ns, char *ret_text, size_t size)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    double value = NVTXH_I_CAST(double, ns);
    int unit = 0;
    size_t n;

    for (; unit < 3 && value >= 999.5; unit++)
        value /= 1000;
    n = nvtxh_i_number_write(ret_text, size,
                             !unit || value >= 99.95 ? 0
                             : value >= 9.995        ? 1
                                                     : 2,
                             value);
    return n + NVTXH_I_CAST(size_t, snprintf(ret_text + n, size - n, " %s", units[unit]));
}

/* 1234567 -> "1,234,567" */
static inline size_t nvtxh_i_stats_count_text(uint64_t number, char *ret_text, size_t size)
{
    char digits[32];
    size_t n = NVTXH_I_CAST(
        size_t, snprintf(digits, sizeof(digits), "%llu", NVTXH_I_CAST(unsigned long long, number)));
    size_t i, length = 0;

    for (i = 0; i < n && length + 2 < size; i++) {
        if (i && (n - i) % 3 == 0)
            ret_text[length++] = ',';
        ret_text[length++] = digits[i];
    }
    ret_text[length] = 0;
    return length;
}

/* Formats a cell, or the title of its column if ROW is NULL. ALL: the total time of all rows, in ns. PEOPLE: for the
 * table; else for CSV. Returns the length of the text, like snprintf. */
NVTXH_I_COLD size_t nvtxh_i_stats_cell(const struct nvtxh_stats *row, double all, int column,
                                       bool people, char *ret_text, size_t size)
{
    static const char *const names[] = {"Time (%)",  "Total Time (ns)", "Instances", "Avg (ns)",
                                        "Med (ns)",  "Min (ns)",        "Max (ns)",  "StdDev (ns)",
                                        "Self (ns)", "P90 (ns)",        "P99 (ns)",  "P99.9 (ns)",
                                        "Style",     "Range",           "Place"};
    static const char *const titles[] = {"Share", "Total", "Count",  "Avg",   "Med",
                                         "Min",   "Max",   "StdDev", "Self",  "P90",
                                         "P99",   "P99.9", "Style",  "Range", "Place"};

    if (!row)
        return NVTXH_I_CAST(
            size_t, snprintf(ret_text, size, "%s", people ? titles[column] : names[column]));
    if (column == NVTXH_I_STATS_STYLE)
        return NVTXH_I_CAST(size_t, snprintf(ret_text, size, "%s",
                                             row->kind == NVTXH_STATS_MARK    ? "Mark"
                                             : row->kind == NVTXH_STATS_RANGE ? "StartEnd"
                                                                              : "PushPop"));
    if (!nvtxh_i_stats_timed(row) && column != 2) {
        *ret_text = 0;
        return 0;
    }
    if (column == 0) {
        size_t n = nvtxh_i_number_write(
            ret_text, size, 1, all > 0 ? 100 * NVTXH_I_CAST(double, row->total_ns) / all : 0.0);

        return n + NVTXH_I_CAST(size_t, snprintf(ret_text + n, size - n, "%s", people ? " %" : ""));
    }
    {
        const uint64_t numbers[] = {row->total_ns, row->count,  row->average_ns,   row->median_ns,
                                    row->min_ns,   row->max_ns, row->deviation_ns, row->self_ns,
                                    row->p90_ns,   row->p99_ns, row->p999_ns};
        uint64_t number = numbers[column - 1];

        if (people)
            return column == 2 ? nvtxh_i_stats_count_text(number, ret_text, size)
                               : nvtxh_i_stats_time_text(number, ret_text, size);
        return NVTXH_I_CAST(
            size_t, snprintf(ret_text, size, "%llu", NVTXH_I_CAST(unsigned long long, number)));
    }
}

static inline size_t nvtxh_i_stats_width(const char *text)
{
    return nvtxh_i_stats_text(NVTXH_I_NULL, text, NVTXH_STATS_TABLE);
}

static inline void nvtxh_i_stats_range_name(FILE *file, const struct nvtxh_stats *row,
                                            enum nvtxh_stats_format format)
{
    nvtxh_i_stats_text(file, row->domain, format);
    if (row->domain)
        fputc(':', file);
    nvtxh_i_stats_text(file, row->message, format);
}

NVTXH_I_C_END

#endif
#endif
