/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATS_PRINT_H
#define NVTXH_STATS_PRINT_H

/* Prints statistics as a table, as CSV and as JSON. Not API. */

#include "cell.h"

#if NVTXH_I_IMPL

#include <stdio.h>
#include <stdlib.h>

NVTXH_I_C_BEGIN

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

/* The columns' order: what matters most comes first, as in the report of `nvtxh stats`. */
static inline int nvtxh_i_stats_column_at(int i)
{
    static const unsigned char order[NVTXH_I_STATS_RANGE] = {
        1, 0, 2, 3, 8, 10, 4, 6, 5, 9, 11, 7, NVTXH_I_STATS_STYLE};

    return order[i];
}

static inline void nvtxh_i_stats_print_row(FILE *file, const struct nvtxh_stats *row, double all,
                                           const size_t *widths)
{
    size_t width = widths[NVTXH_I_STATS_RANGE], length = 5;
    char text[48];
    int i, column;

    if (row) {
        length = nvtxh_i_stats_width(row->domain) + (row->domain ? 1 : 0) +
                 nvtxh_i_stats_width(row->message);
        nvtxh_i_stats_range_name(file, row, NVTXH_STATS_TABLE);
    } else {
        fputs("Range", file);
    }
    fprintf(file, "%*s", NVTXH_I_CAST(int, width > length ? width - length : 0), "");
    for (i = 0; i < NVTXH_I_STATS_RANGE; i++) {
        column = nvtxh_i_stats_column_at(i);
        nvtxh_i_stats_cell(row, all, column, true, text, sizeof(text));
        fprintf(file, column < NVTXH_I_STATS_NUMBERS ? "  %*s" : "  %-*s",
                NVTXH_I_CAST(int, widths[column]), text);
    }
    if (row && row->line)
        fprintf(file, "  %s:%u\n", row->file, row->line);
    else
        fprintf(file, "  %s\n", row ? row->file : "Place");
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
