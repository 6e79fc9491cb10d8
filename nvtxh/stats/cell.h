/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATS_CELL_H
#define NVTXH_STATS_CELL_H

/* The cells of the table of statistics, as texts. Not API. */

#include "read.h"
#include "types.h"

#if NVTXH_I_IMPL

#include <stdio.h>

enum nvtxh_i_stats_column {
    NVTXH_I_STATS_NUMBERS = 12, /* first those, right-aligned */
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

/* A text in one of the formats; in a table without what would move the cursor. */
NVTXH_I_FN_COLD(void nvtxh_i_stats_text(FILE *file, const char *text,
                                        enum nvtxh_stats_format format))
{
    const char *c, *end;

    for (c = text ? text : ""; *c; c++) {
        unsigned char byte = NVTXH_I_CAST(unsigned char, *c);

        if (format == NVTXH_STATS_CSV) {
            fputs(byte == '"' ? "\"\"" : "", file);
            if (byte != '"')
                fputc(byte, file);
        } else if (byte < 0x20 || byte == 0x7f) {
            fprintf(file, format == NVTXH_STATS_JSON ? "\\u%04x" : "\\x%02x", byte);
        } else if (format == NVTXH_STATS_JSON && (byte == '"' || byte == '\\')) {
            fprintf(file, "\\%c", byte);
        } else if (format == NVTXH_STATS_JSON && byte >= 0x80) {
            /* JSON is UTF-8. */
            for (end = c + 1; (*end & 0xc0) == 0x80; end++)
                ;
            if (end - c == (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) && byte >= 0xc2 && byte < 0xf5)
                fwrite(c, 1, NVTXH_I_CAST(size_t, end - c), file);
            else
                fputs("\\ufffd", file);
            c = end - 1;
        } else {
            fputc(byte, file);
        }
    }
}

/* Three digits and the unit that goes with them. As snprintf: how long the text is. */
static inline size_t nvtxh_i_stats_time_text(uint64_t ns, char *ret_text, size_t size)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    double value = NVTXH_I_CAST(double, ns);
    int unit = 0;

    for (; unit < 3 && value >= 999.5; unit++)
        value /= 1000;
    return NVTXH_I_CAST(size_t, snprintf(ret_text, size, "%.*f %s",
                                         !unit || value >= 99.95 ? 0
                                         : value >= 9.995        ? 1
                                                                 : 2,
                                         value, units[unit]));
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

/* A cell, of the head if `row` is NULL. As snprintf: how long the text is. */
NVTXH_I_FN_COLD(size_t nvtxh_i_stats_cell(const struct nvtxh_stats *row, double all, int column,
                                          bool people, char *ret_text, size_t size))
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
    if (column == 0)
        return NVTXH_I_CAST(
            size_t, snprintf(ret_text, size, people ? "%.1f %%" : "%.1f",
                             all > 0 ? 100 * NVTXH_I_CAST(double, row->total_ns) / all : 0.0));
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

/* What a terminal shows of UTF-8, near enough: one column for each character. */
static inline size_t nvtxh_i_stats_width(const char *text)
{
    size_t width = 0;

    for (; text && *text; text++)
        width += (*text & 0xc0) != 0x80;
    return width;
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
