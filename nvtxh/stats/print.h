/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATS_PRINT_H
#define NVTXH_STATS_PRINT_H

/* Prints statistics as a table, as CSV and as JSON. Not API. */

#include "read.h"
#include "../core/number.h"
#include "../core/utf8.h"

#if NVTXH_I_IMPL

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The columns that are not texts. Those before SHARE are the members of struct nvtxh_stats from `count` on. */
enum {
    NVTXH_I_STATS_COUNT,
    NVTXH_I_STATS_SHARE = 11,
    NVTXH_I_STATS_STYLE,
    NVTXH_I_STATS_RANGE /* the number of these columns; the next is the range's name */
};

NVTXH_I_C_BEGIN

static inline bool nvtxh_i_stats_timed(const struct nvtxh_stats *row)
{
    return row->kind != NVTXH_STATS_MARK;
}

static inline uint64_t nvtxh_i_stats_number_at(const struct nvtxh_stats *row, size_t column)
{
    uint64_t numbers[NVTXH_I_STATS_SHARE];

    NVTXH_I_ASSERT(offsetof(struct nvtxh_stats, p999_ns) ==
                       offsetof(struct nvtxh_stats, count) + sizeof(numbers) - sizeof(numbers[0]),
                   "the numbers are one after the other");
    memcpy(numbers, NVTXH_I_BITS(const char *, row) + offsetof(struct nvtxh_stats, count), sizeof(numbers));
    return numbers[column == NVTXH_I_STATS_SHARE ? 1 : column];
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

        n = nvtxh_i_utf8(text, 4, &c);
        quoted = (format != NVTXH_STATS_TABLE && c == '"') || (format == NVTXH_STATS_JSON && c == '\\');
        hidden = (format == NVTXH_STATS_TABLE && nvtxh_i_is_control(c)) ||
                 (format == NVTXH_STATS_JSON && (c < 0x20 || c == 0x7f));
        columns++;
        if (!n) {
            n = 1;
        } else if (hidden) {
            snprintf(shown, sizeof(shown), format == NVTXH_STATS_JSON || c > 0x7f ? "\\u%04x" : "\\x%02x", c);
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

/* Prints a range's name as "domain:message". Returns its width. FILE may be NULL. */
static inline size_t nvtxh_i_stats_name(FILE *file, const struct nvtxh_stats *row, enum nvtxh_stats_format format)
{
    size_t n = nvtxh_i_stats_text(file, row->domain, format);

    if (row->domain)
        n += nvtxh_i_stats_text(file, ":", format);
    return n + nvtxh_i_stats_text(file, row->message, format);
}

/* Formats a time with three digits and a unit. */
static inline void nvtxh_i_stats_time_text(uint64_t ns, char *ret_text, size_t size)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    double value = NVTXH_I_CAST(double, ns);
    int unit = 0;
    size_t n;

    for (; unit < 3 && value >= 999.5; unit++)
        value /= 1000;
    n = nvtxh_i_number_write(ret_text, size, !unit || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, value);
    snprintf(ret_text + n, size - n, " %s", units[unit]);
}

/* 1234567 -> "1,234,567" */
static inline void nvtxh_i_stats_count_text(uint64_t number, char *ret_text, size_t size)
{
    char digits[32];
    int n = snprintf(digits, sizeof(digits), "%llu", NVTXH_I_CAST(unsigned long long, number)), i;
    size_t length = 0;

    for (i = 0; i < n && length + 2 < size; i++) {
        if (i && (n - i) % 3 == 0)
            ret_text[length++] = ',';
        ret_text[length++] = digits[i];
    }
    ret_text[length] = 0;
}

/* Formats a cell, or the title of its column if ROW is NULL. ALL: the total time of all rows, in ns. PEOPLE: for the
 * table; else for CSV. */
NVTXH_I_COLD void nvtxh_i_stats_cell(const struct nvtxh_stats *row, double all, size_t column, bool people,
                                     char *ret_text, size_t size)
{
    static const char *const titles[] = {"Count", "Total", "Self", "Min",   "Max",   "Avg",  "StdDev",
                                         "Med",   "P90",   "P99",  "P99.9", "Share", "Style"};
    static const char *const names[] = {"Instances",  "Total Time (ns)", "Self (ns)", "Min (ns)", "Max (ns)",
                                        "Avg (ns)",   "StdDev (ns)",     "Med (ns)",  "P90 (ns)", "P99 (ns)",
                                        "P99.9 (ns)", "Time (%)",        "Style"};
    const char *text = people ? titles[column] : names[column];
    uint64_t number;
    size_t n;

    if (row && column == NVTXH_I_STATS_STYLE)
        text = row->kind == NVTXH_STATS_MARK ? "Mark" : row->kind == NVTXH_STATS_RANGE ? "StartEnd" : "PushPop";
    else if (row && !nvtxh_i_stats_timed(row) && column != NVTXH_I_STATS_COUNT)
        text = "";
    snprintf(ret_text, size, "%s", text);
    if (!row || !*text || column == NVTXH_I_STATS_STYLE)
        return;
    number = nvtxh_i_stats_number_at(row, column);
    if (column == NVTXH_I_STATS_SHARE) {
        n = nvtxh_i_number_write(ret_text, size, 1, all > 0 ? 100 * NVTXH_I_CAST(double, number) / all : 0.0);
        snprintf(ret_text + n, size - n, "%s", people ? " %" : "");
    } else if (!people)
        snprintf(ret_text, size, "%llu", NVTXH_I_CAST(unsigned long long, number));
    else if (column == NVTXH_I_STATS_COUNT)
        nvtxh_i_stats_count_text(number, ret_text, size);
    else
        nvtxh_i_stats_time_text(number, ret_text, size);
}

/* The longest total first. Marks, which have no times, come last, the most frequent first. */
static inline int nvtxh_i_stats_order(const void *a, const void *b)
{
    const struct nvtxh_stats *x = NVTXH_I_CAST(const struct nvtxh_stats *, a);
    const struct nvtxh_stats *y = NVTXH_I_CAST(const struct nvtxh_stats *, b);

    if (nvtxh_i_stats_timed(x) != nvtxh_i_stats_timed(y))
        return nvtxh_i_stats_timed(x) ? -1 : 1;
    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return 0;
}

static inline void nvtxh_i_stats_print_table(FILE *file, const struct nvtxh_stats *rows, size_t n, double all)
{
    /* What matters most comes first, as in the report of `nvtxh stats`. */
    static const unsigned char order[NVTXH_I_STATS_RANGE] = {
        1, NVTXH_I_STATS_SHARE, NVTXH_I_STATS_COUNT, 5, 2, 9, 7, 4, 3, 8, 10, 6, NVTXH_I_STATS_STYLE};
    size_t widths[NVTXH_I_STATS_RANGE + 1] = {0}, i, k, width;
    char text[48];

    for (i = 0; i <= n; i++) {
        const struct nvtxh_stats *row = i ? &rows[i - 1] : NVTXH_I_NULL;

        for (k = 0; k <= NVTXH_I_STATS_RANGE; k++) {
            if (k < NVTXH_I_STATS_RANGE) {
                nvtxh_i_stats_cell(row, all, k, true, text, sizeof(text));
                width = strlen(text);
            } else {
                width = row ? nvtxh_i_stats_name(NVTXH_I_NULL, row, NVTXH_STATS_TABLE) : 5;
                width = width < 60 ? width : 60;
            }
            widths[k] = width > widths[k] ? width : widths[k];
        }
    }
    for (i = 0; i <= n; i++) {
        const struct nvtxh_stats *row = i ? &rows[i - 1] : NVTXH_I_NULL;

        width = row ? nvtxh_i_stats_name(file, row, NVTXH_STATS_TABLE)
                    : nvtxh_i_stats_text(file, "Range", NVTXH_STATS_TABLE);
        for (; width < widths[NVTXH_I_STATS_RANGE]; width++)
            fputc(' ', file);
        for (k = 0; k < NVTXH_I_STATS_RANGE; k++) {
            nvtxh_i_stats_cell(row, all, order[k], true, text, sizeof(text));
            fprintf(file, order[k] < NVTXH_I_STATS_STYLE ? "  %*s" : "  %-*s", NVTXH_I_CAST(int, widths[order[k]]),
                    text);
        }
        if (row && row->line)
            fprintf(file, "  %s:%u\n", row->file, row->line);
        else
            fprintf(file, "  %s\n", row ? row->file : "Place");
    }
}

static inline void nvtxh_i_stats_print_csv(FILE *file, const struct nvtxh_stats *rows, size_t n, double all)
{
    static const unsigned char order[NVTXH_I_STATS_RANGE] = {
        NVTXH_I_STATS_SHARE, 1, NVTXH_I_STATS_COUNT, 5, 7, 3, 4, 6, 2, 8, 9, 10, NVTXH_I_STATS_STYLE};
    char text[48];
    size_t i, k;

    for (i = 0; i <= n; i++) {
        const struct nvtxh_stats *row = i ? &rows[i - 1] : NVTXH_I_NULL;
        const char *const texts[] = {row ? row->domain : NVTXH_I_NULL, row ? row->message : NVTXH_I_NULL,
                                     row ? row->function : NVTXH_I_NULL, row ? row->file : NVTXH_I_NULL};

        for (k = 0; k < NVTXH_I_STATS_RANGE; k++) {
            nvtxh_i_stats_cell(row, all, order[k], false, text, sizeof(text));
            fprintf(file, "%s,", text);
        }
        if (!row) {
            fputs("Range,Domain,Message,Function,File,Line\n", file);
            continue;
        }
        fputc('"', file);
        nvtxh_i_stats_name(file, row, NVTXH_STATS_CSV);
        for (k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
            fputs("\",\"", file);
            nvtxh_i_stats_text(file, texts[k], NVTXH_STATS_CSV);
        }
        fprintf(file, "\",%u\n", row->line);
    }
}

static inline void nvtxh_i_stats_member(FILE *file, const char *name, const char *text)
{
    fprintf(file, "\"%s\": %s", name, text ? "\"" : "null, ");
    nvtxh_i_stats_text(file, text, NVTXH_STATS_JSON);
    fputs(text ? "\", " : "", file);
}

static inline void nvtxh_i_stats_print_json(FILE *file, const struct nvtxh_stats *rows, size_t n)
{
    static const char *const kinds[] = {"", "scope", "mark", "push", "range"};
    static const char *const names[] = {"count",        "total_ns",  "self_ns", "min_ns", "max_ns", "average_ns",
                                        "deviation_ns", "median_ns", "p90_ns",  "p99_ns", "p999_ns"};
    size_t i, k;

    fputs("{\"ranges\": [", file);
    for (i = 0; i < n; i++) {
        const struct nvtxh_stats *row = &rows[i];

        fputs(i ? ",\n  {" : "\n  {", file);
        nvtxh_i_stats_member(file, "message", row->message);
        nvtxh_i_stats_member(file, "domain", row->domain);
        nvtxh_i_stats_member(file, "function", row->function);
        nvtxh_i_stats_member(file, "file", row->file);
        fprintf(file, "\"line\": %u, \"kind\": \"%s\"", row->line, kinds[row->kind]);
        for (k = 0; k < (nvtxh_i_stats_timed(row) ? NVTXH_I_STATS_SHARE : 1); k++)
            fprintf(file, ", \"%s\": %llu", names[k],
                    NVTXH_I_CAST(unsigned long long, nvtxh_i_stats_number_at(row, k)));
        fputs("}", file);
    }
    fputs(n ? "\n]}\n" : "]}\n", file);
}

NVTXH_I_LINKONCE bool nvtxh_stats_print(FILE *file, enum nvtxh_stats_format format)
{
    struct nvtxh_stats *rows = NVTXH_I_NULL;
    size_t n = 0, room, i;
    double all = 0;

    if (format < NVTXH_STATS_TABLE || format > NVTXH_STATS_JSON)
        return false;
    nvtxh_stats_read(NVTXH_I_NULL, 0, &n);
    room = n;
    if (n)
        rows = NVTXH_I_CAST(struct nvtxh_stats *, calloc(n, sizeof(*rows)));
    if (n && !rows)
        return false;
    nvtxh_stats_read(rows, room, &n);
    n = n < room ? n : room;
    if (n)
        qsort(rows, n, sizeof(*rows), nvtxh_i_stats_order);
    for (i = 0; i < n; i++)
        all += NVTXH_I_CAST(double, rows[i].total_ns);
    if (format == NVTXH_STATS_CSV)
        nvtxh_i_stats_print_csv(file, rows, n, all);
    else if (format == NVTXH_STATS_JSON)
        nvtxh_i_stats_print_json(file, rows, n);
    else
        nvtxh_i_stats_print_table(file, rows, n, all);
    free(rows);
    return !fflush(file) && !ferror(file);
}

NVTXH_I_C_END

#endif
#endif
