/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATS_PRINT_H
#define NVTXH_STATS_PRINT_H

/* The table of statistics, as a table, as CSV and as JSON. Not API. */

#include "read.h"
#include "types.h"

#if NVTXH_I_IMPL

#include <stdio.h>
#include <stdlib.h>

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

/* The longest total first; marks, most often first, in the end. */
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

/* As snprintf: how long the text is. */
NVTXH_I_FN_COLD(size_t nvtxh_i_stats_cell(const struct nvtxh_stats *row, double all, int column,
                                          bool commas, char *ret_text, size_t size))
{
    static const char *const names[] = {"Time (%)",  "Total Time (ns)", "Instances", "Avg (ns)",
                                        "Med (ns)",  "Min (ns)",        "Max (ns)",  "StdDev (ns)",
                                        "Self (ns)", "P90 (ns)",        "P99 (ns)",  "P99.9 (ns)",
                                        "Style",     "Range",           "Place"};
    char digits[32];
    size_t i, n, length = 0;

    if (!row)
        return NVTXH_I_CAST(size_t, snprintf(ret_text, size, "%s", names[column]));
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
            size_t, snprintf(ret_text, size, "%.1f",
                             all > 0 ? 100 * NVTXH_I_CAST(double, row->total_ns) / all : 0.0));
    {
        const uint64_t numbers[] = {row->total_ns, row->count,  row->average_ns,   row->median_ns,
                                    row->min_ns,   row->max_ns, row->deviation_ns, row->self_ns,
                                    row->p90_ns,   row->p99_ns, row->p999_ns};

        n = NVTXH_I_CAST(size_t, snprintf(digits, sizeof(digits), "%llu",
                                          NVTXH_I_CAST(unsigned long long, numbers[column - 1])));
    }
    for (i = 0; i < n && length + 2 < size; i++) {
        if (commas && i && (n - i) % 3 == 0)
            ret_text[length++] = ',';
        ret_text[length++] = digits[i];
    }
    ret_text[length] = 0;
    return length;
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

static inline void nvtxh_i_stats_print_row(FILE *file, const struct nvtxh_stats *row, double all,
                                           const size_t *widths)
{
    char text[48];
    size_t length;
    int column;

    for (column = 0; column < NVTXH_I_STATS_RANGE; column++) {
        nvtxh_i_stats_cell(row, all, column, true, text, sizeof(text));
        fprintf(file, column < NVTXH_I_STATS_NUMBERS ? "%*s  " : "%-*s  ",
                NVTXH_I_CAST(int, widths[column]), text);
    }
    if (row) {
        length = nvtxh_i_stats_width(row->domain) + (row->domain ? 1 : 0) +
                 nvtxh_i_stats_width(row->message);
        nvtxh_i_stats_range_name(file, row, NVTXH_STATS_TABLE);
    } else {
        length = nvtxh_i_stats_cell(row, all, NVTXH_I_STATS_RANGE, true, text, sizeof(text));
        fputs(text, file);
    }
    fprintf(file, "%*s  ",
            NVTXH_I_CAST(int, widths[NVTXH_I_STATS_RANGE] > length
                                  ? widths[NVTXH_I_STATS_RANGE] - length
                                  : 0),
            "");
    if (row && row->line)
        fprintf(file, "%s:%u\n", row->file, row->line);
    else
        fprintf(file, "%s\n", row ? row->file : "Place");
}

static inline void nvtxh_i_stats_print_table(FILE *file, const struct nvtxh_stats *rows, size_t n,
                                             double all)
{
    size_t widths[NVTXH_I_STATS_COLUMNS] = {0}, i, length;
    char text[48];
    int column;

    for (i = 0; i <= n; i++) {
        const struct nvtxh_stats *row = i ? &rows[i - 1] : NVTXH_I_NULL;

        for (column = 0; column < NVTXH_I_STATS_RANGE; column++) {
            length = nvtxh_i_stats_cell(row, all, column, true, text, sizeof(text));
            widths[column] = length > widths[column] ? length : widths[column];
        }
        length = row ? nvtxh_i_stats_width(row->domain) + 1 + nvtxh_i_stats_width(row->message) : 5;
        if (length > widths[NVTXH_I_STATS_RANGE])
            widths[NVTXH_I_STATS_RANGE] = length < 60 ? length : 60;
    }
    for (i = 0; i <= n; i++)
        nvtxh_i_stats_print_row(file, i ? &rows[i - 1] : NVTXH_I_NULL, all, widths);
}

static inline void nvtxh_i_stats_print_csv(FILE *file, const struct nvtxh_stats *rows, size_t n,
                                           double all)
{
    char text[48];
    size_t i;
    int column;

    for (i = 0; i <= n; i++) {
        const struct nvtxh_stats *row = i ? &rows[i - 1] : NVTXH_I_NULL;

        for (column = 0; column < (row ? NVTXH_I_STATS_RANGE : NVTXH_I_STATS_PLACE); column++) {
            nvtxh_i_stats_cell(row, all, column, false, text, sizeof(text));
            fprintf(file, "%s%s", column ? "," : "", text);
        }
        if (!row) {
            fputs(",Domain,Message,Function,File,Line\n", file);
            continue;
        }
        fputs(",\"", file);
        nvtxh_i_stats_range_name(file, row, NVTXH_STATS_CSV);
        fputs("\",\"", file);
        nvtxh_i_stats_text(file, row->domain, NVTXH_STATS_CSV);
        fputs("\",\"", file);
        nvtxh_i_stats_text(file, row->message, NVTXH_STATS_CSV);
        fputs("\",\"", file);
        nvtxh_i_stats_text(file, row->function, NVTXH_STATS_CSV);
        fputs("\",\"", file);
        nvtxh_i_stats_text(file, row->file, NVTXH_STATS_CSV);
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
    static const char *const names[] = {"count",  "total_ns",   "self_ns",      "min_ns",
                                        "max_ns", "average_ns", "deviation_ns", "median_ns",
                                        "p90_ns", "p99_ns",     "p999_ns"};
    size_t i, k;

    fputs("{\"ranges\": [", file);
    for (i = 0; i < n; i++) {
        const struct nvtxh_stats *row = &rows[i];
        const uint64_t numbers[] = {row->count,  row->total_ns,   row->self_ns,      row->min_ns,
                                    row->max_ns, row->average_ns, row->deviation_ns, row->median_ns,
                                    row->p90_ns, row->p99_ns,     row->p999_ns};

        fputs(i ? ",\n  {" : "\n  {", file);
        nvtxh_i_stats_member(file, "message", row->message);
        nvtxh_i_stats_member(file, "domain", row->domain);
        nvtxh_i_stats_member(file, "function", row->function);
        nvtxh_i_stats_member(file, "file", row->file);
        fprintf(file, "\"line\": %u, \"kind\": \"%s\"", row->line, kinds[row->kind]);
        for (k = 0; k < (nvtxh_i_stats_timed(row) ? sizeof(names) / sizeof(names[0]) : 1); k++)
            fprintf(file, ", \"%s\": %llu", names[k], NVTXH_I_CAST(unsigned long long, numbers[k]));
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
