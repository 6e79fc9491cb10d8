/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATS_PRINT_H
#define NVTXH_STATS_PRINT_H

/* Prints statistics as a table, as CSV and as JSON. Not API. */

#include "read.h"
#include "../core/text.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The columns. Columns 0 to 11 are the members of struct nvtxh_stats from `count` on. */
enum {
    NVTXH_I_STATS_COUNT,
    NVTXH_I_STATS_SELF = 2,
    NVTXH_I_STATS_INCLUSIVE = 11,
    NVTXH_I_STATS_SHARE,
    NVTXH_I_STATS_LINE,
    NVTXH_I_STATS_STYLE
};
/* Columns that are texts: STYLE, and these. */
enum {
    NVTXH_I_STATS_RANGE = NVTXH_I_STATS_STYLE + 1,
    NVTXH_I_STATS_DOMAIN,
    NVTXH_I_STATS_MESSAGE,
    NVTXH_I_STATS_FUNCTION,
    NVTXH_I_STATS_FILE,
    NVTXH_I_STATS_KIND,
    NVTXH_I_STATS_PLACE,
    NVTXH_I_STATS_COLUMNS
};

NVTXH_I_C_BEGIN

static inline bool nvtxh_i_stats_timed(const struct nvtxh_stats *row) {
    return row->kind != NVTXH_STATS_MARK;
}

/* Has the row a value in a column of numbers? Marks have no times. Process ranges overlap, so they
 * have neither a share nor a self nor an inclusive time; in a table, their Total is total_ns. */
static inline bool nvtxh_i_stats_has(const struct nvtxh_stats *row, size_t column,
                                     enum nvtxh_stats_format format) {
    if (column == NVTXH_I_STATS_COUNT || column == NVTXH_I_STATS_LINE) {
        return true;
    }
    return nvtxh_i_stats_timed(row) &&
           (row->kind != NVTXH_STATS_RANGE ||
            (column != NVTXH_I_STATS_SELF && column != NVTXH_I_STATS_SHARE &&
             (column != NVTXH_I_STATS_INCLUSIVE || format == NVTXH_STATS_TABLE)));
}

static inline uint64_t nvtxh_i_stats_number_at(const struct nvtxh_stats *row, size_t column) {
    uint64_t numbers[NVTXH_I_STATS_SHARE];

    NVTXH_I_ASSERT(offsetof(struct nvtxh_stats, inclusive_ns) ==
                       offsetof(struct nvtxh_stats, count) + sizeof(numbers) - sizeof(numbers[0]),
                   "the numbers are one after the other");
    memcpy(numbers, (const char *)row + offsetof(struct nvtxh_stats, count), sizeof(numbers));
    if (column == NVTXH_I_STATS_LINE) {
        return row->line;
    }
    return numbers[column == NVTXH_I_STATS_SHARE ? (size_t)NVTXH_I_STATS_INCLUSIVE : column];
}

/* The text of a column. NULL: the column is a number, or the row has no such text. */
static inline const char *nvtxh_i_stats_text_at(const struct nvtxh_stats *row, size_t column) {
    static const char *const styles[] = {"", "PushPop", "Mark", "PushPop", "StartEnd"};
    static const char *const kinds[] = {"", "scope", "mark", "push", "range"};
    const char *const texts[] = {styles[row->kind], row->message, row->domain,      row->message,
                                 row->function,     row->file,    kinds[row->kind], row->file};

    return column < NVTXH_I_STATS_STYLE ? NULL : texts[column - NVTXH_I_STATS_STYLE];
}

/* The name that a column has in a format. */
static inline const char *nvtxh_i_stats_name(size_t column, enum nvtxh_stats_format format) {
    /* clang-format off */
    static const char *const names[NVTXH_I_STATS_COLUMNS][3] = {
        {"Count", "Instances", "count"}, {"", "Total Time (ns)", "total_ns"}, {"Self", "Self (ns)", "self_ns"},
        {"Min", "Min (ns)", "min_ns"}, {"Max", "Max (ns)", "max_ns"}, {"Avg", "Avg (ns)", "average_ns"},
        {"StdDev", "StdDev (ns)", "deviation_ns"}, {"Med", "Med (ns)", "median_ns"}, {"P90", "P90 (ns)", "p90_ns"},
        {"P99", "P99 (ns)", "p99_ns"}, {"P99.9", "P99.9 (ns)", "p999_ns"}, {"Total", "Inclusive (ns)", "inclusive_ns"}, {"Share", "Time (%)", ""},
        {"", "Line", "line"}, {"Style", "Style", ""}, {"Range", "Range", ""}, {"", "Domain", "domain"},
        {"", "Message", "message"}, {"", "Function", "function"}, {"", "File", "file"}, {"", "", "kind"},
        {"Place", "", ""}};
    /* clang-format on */

    return names[column][format - NVTXH_STATS_TABLE];
}

/* Prints a text in one of the formats, as valid UTF-8; a table shows control characters as escapes.
 * For a table, returns the number of characters shown. FILE NULL: only counts them. */
NVTXH_I_COLD size_t nvtxh_i_stats_text(FILE *file, const char *text,
                                       enum nvtxh_stats_format format) {
    size_t columns = 0, n;

    for (; text && *text; text += n) {
        char shown[16] = "\xef\xbf\xbd"; /* U+FFFD, in place of each byte that is not UTF-8 */
        bool quoted, escaped;
        uint32_t c = 0;

        n = nvtxh_i_utf8(text, 4, &c);
        quoted =
            (format != NVTXH_STATS_TABLE && c == '"') || (format == NVTXH_STATS_JSON && c == '\\');
        escaped = (format == NVTXH_STATS_TABLE && nvtxh_i_is_control(c)) ||
                  (format == NVTXH_STATS_JSON && (c < 0x20 || c == 0x7f));
        columns++;
        if (!n) {
            n = 1;
        } else if (escaped) {
            snprintf(shown, sizeof(shown),
                     format == NVTXH_STATS_JSON || c > 0x7f ? "\\u%04x" : "\\x%02x", c);
            columns += strlen(shown) - 1;
        } else {
            shown[0] = format == NVTXH_STATS_JSON ? '\\' : '"';
            memcpy(shown + quoted, text, n);
            shown[quoted + n] = 0;
        }
        if (file) {
            fputs(shown, file);
        }
    }
    return columns;
}

/* Formats a number of a row. PEOPLE: rounds it, for the table; otherwise with all digits. ALL: the
 * time in which threads had an annotation open, in ns: the sum of all self times. */
static inline void nvtxh_i_stats_figure(const struct nvtxh_stats *row, double all, size_t column,
                                        bool people, char ret_text[64]) {
    static const char *const units[] = {"ns", "us", "ms", "s"};
    uint64_t number = nvtxh_i_stats_number_at(row, column);
    size_t n;

    if (column == NVTXH_I_STATS_SHARE) {
        n = nvtxh_i_number_write(ret_text, 48, 1, all > 0 ? 100 * (double)number / all : 0.0);
        snprintf(ret_text + n, 4, "%s", people ? " %" : "");
    } else if (!people) {
        snprintf(ret_text, 64, "%llu", (unsigned long long)number);
    } else if (column == NVTXH_I_STATS_COUNT) {
        nvtxh_i_number_grouped(ret_text, 0, (double)number);
    } else {
        nvtxh_i_number_short(ret_text, (double)number, units, 4, true);
    }
}

/* Prints a cell, or the column's name if ROW is NULL. For a table, returns the number of
 * characters shown. FILE NULL: only counts them. */
NVTXH_I_COLD size_t nvtxh_i_stats_cell(FILE *file, const struct nvtxh_stats *row, double all,
                                       size_t column, enum nvtxh_stats_format format) {
    char figure[64] = "";
    size_t width = 0;

    if (!row) {
        return nvtxh_i_stats_text(file, nvtxh_i_stats_name(column, format), format);
    }
    if (column == NVTXH_I_STATS_RANGE && row->domain) {
        width = nvtxh_i_stats_text(file, row->domain, format);
        width += nvtxh_i_stats_text(file, ":", format);
    }
    if (column == NVTXH_I_STATS_PLACE && row->line) {
        snprintf(figure, sizeof(figure), ":%u", row->line);
    } else if (column < NVTXH_I_STATS_STYLE && nvtxh_i_stats_has(row, column, format)) {
        nvtxh_i_stats_figure(row, all, column, format == NVTXH_STATS_TABLE, figure);
    }
    width += nvtxh_i_stats_text(file, nvtxh_i_stats_text_at(row, column), format);
    return width + nvtxh_i_stats_text(file, figure, format);
}

/* Compares two rows for qsort(): the longest total first. Marks, which have no times, come last,
 * the most frequent first. */
static inline int nvtxh_i_stats_order(const void *a, const void *b) {
    const struct nvtxh_stats *x = (const struct nvtxh_stats *)a;
    const struct nvtxh_stats *y = (const struct nvtxh_stats *)b;

    if (nvtxh_i_stats_timed(x) != nvtxh_i_stats_timed(y)) {
        return nvtxh_i_stats_timed(x) ? -1 : 1;
    }
    if (x->inclusive_ns != y->inclusive_ns) {
        return x->inclusive_ns > y->inclusive_ns ? -1 : 1;
    }
    return x->count < y->count ? 1 : x->count > y->count ? -1 : 0;
}

/* Prints a row, or the columns' names if ROW is NULL. WIDTHS: the widths of a table's columns. */
static inline void nvtxh_i_stats_print_row(FILE *file, const struct nvtxh_stats *row, double all,
                                           enum nvtxh_stats_format format,
                                           const unsigned char *order, const size_t *widths) {
    bool table = format == NVTXH_STATS_TABLE, json = format == NVTXH_STATS_JSON, quoted;
    size_t k, column, width;

    for (k = 0; (column = order[k]) != NVTXH_I_STATS_COLUMNS; k++) {
        quoted = !table && row && column > NVTXH_I_STATS_STYLE;
        if (json && column < NVTXH_I_STATS_SHARE && !nvtxh_i_stats_has(row, column, format)) {
            continue;
        }
        fputs(!k ? "" : table ? "  " : json ? ", " : ",", file);
        if (json) {
            fprintf(file, "\"%s\": ", nvtxh_i_stats_name(column, format));
        }
        if (json && quoted && !nvtxh_i_stats_text_at(row, column)) {
            fputs("null", file);
            continue;
        }
        width = table ? nvtxh_i_stats_cell(NULL, row, all, column, format) : 0;
        for (; table && column < NVTXH_I_STATS_STYLE && width < widths[column]; width++) {
            fputc(' ', file);
        }
        fputs(quoted ? "\"" : "", file);
        nvtxh_i_stats_cell(file, row, all, column, format);
        fputs(quoted ? "\"" : "", file);
        for (; table && column != NVTXH_I_STATS_PLACE && width < widths[column]; width++) {
            fputc(' ', file);
        }
    }
}

static inline void nvtxh_i_stats_print_rows(FILE *file, const struct nvtxh_stats *rows, size_t n,
                                            double all, enum nvtxh_stats_format format) {
    /* As in the report of `nvtxh stats`, the columns that matter most come first in the table. */
    /* clang-format off */
    static const unsigned char orders[3][NVTXH_I_STATS_COLUMNS] = {
        {NVTXH_I_STATS_RANGE, NVTXH_I_STATS_INCLUSIVE, NVTXH_I_STATS_SHARE, 0, 5, 2, 9, 7, 4, 3, 8,
         10, 6, NVTXH_I_STATS_STYLE, NVTXH_I_STATS_PLACE, NVTXH_I_STATS_COLUMNS},
        {NVTXH_I_STATS_SHARE, 1, 0, 5, 7, 3, 4, 6, 2, 8, 9, 10, NVTXH_I_STATS_INCLUSIVE,
         NVTXH_I_STATS_STYLE, NVTXH_I_STATS_RANGE, NVTXH_I_STATS_DOMAIN, NVTXH_I_STATS_MESSAGE,
         NVTXH_I_STATS_FUNCTION, NVTXH_I_STATS_FILE, NVTXH_I_STATS_LINE, NVTXH_I_STATS_COLUMNS},
        {NVTXH_I_STATS_MESSAGE, NVTXH_I_STATS_DOMAIN, NVTXH_I_STATS_FUNCTION,
         NVTXH_I_STATS_FILE, NVTXH_I_STATS_LINE, NVTXH_I_STATS_KIND, 0, 1, 2, 3, 4, 5, 6, 7, 8,
         9, 10, NVTXH_I_STATS_INCLUSIVE, NVTXH_I_STATS_COLUMNS}};
    /* clang-format on */
    const unsigned char *order = orders[format - NVTXH_STATS_TABLE];
    size_t widths[NVTXH_I_STATS_COLUMNS] = {0}, i, k, width;
    bool json = format == NVTXH_STATS_JSON;

    for (i = 0; i <= n && format == NVTXH_STATS_TABLE; i++) {
        for (k = 0; order[k] != NVTXH_I_STATS_COLUMNS; k++) {
            width = nvtxh_i_stats_cell(NULL, i ? &rows[i - 1] : NULL, all, order[k], format);
            width = width < 60 ? width : 60;
            widths[order[k]] = width > widths[order[k]] ? width : widths[order[k]];
        }
    }
    fputs(json ? "{\"ranges\": [" : "", file);
    for (i = json; i <= n; i++) {
        fputs(!json ? "" : i > 1 ? ",\n  {" : "\n  {", file);
        nvtxh_i_stats_print_row(file, i ? &rows[i - 1] : NULL, all, format, order, widths);
        fputs(json ? "}" : "\n", file);
    }
    fputs(!json ? "" : n ? "\n]}\n" : "]}\n", file);
}

NVTXH_I_LINKONCE bool nvtxh_stats_print(FILE *file, enum nvtxh_stats_format format) {
    struct nvtxh_stats *rows;
    size_t n = 0, capacity, i;
    double all = 0;

    if (format < NVTXH_STATS_TABLE || format > NVTXH_STATS_JSON) {
        return false;
    }
    if (!nvtxh_stats_read(NULL, 0, &n) && !n) {
        return false;
    }
    capacity = n + 1; /* never 0: calloc(0) may return NULL */
    rows = (struct nvtxh_stats *)calloc(capacity, sizeof(*rows));
    if (!rows) {
        return false;
    }
    nvtxh_stats_read(rows, capacity, &n);
    n = n < capacity ? n : capacity;
    qsort(rows, n, sizeof(*rows), nvtxh_i_stats_order);
    for (i = 0; i < n; i++) {
        all +=
            nvtxh_i_stats_has(&rows[i], NVTXH_I_STATS_SELF, format) ? (double)rows[i].self_ns : 0.0;
    }
    nvtxh_i_stats_print_rows(file, rows, n, all, format);
    free(rows);
    return !fflush(file) && !ferror(file);
}

NVTXH_I_C_END

#endif
