/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report.h"
#include "quote.h"
#include "utf8.h"
#include "../read/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONGEST 120 /* of a text for people */

void report_begin(struct report *r, const struct report_column *columns, size_t column_count)
{
    *r = (struct report){.columns = columns, .column_count = column_count};
}

static struct report_cell *add(struct report *r)
{
    ARRAY_ADD(r->cells, r->count, r->room);
    r->cells[r->count] = (struct report_cell){0};
    return &r->cells[r->count++];
}

void report_number(struct report *r, double number)
{
    struct report_cell *cell = add(r);

    cell->there = !isnan(number);
    cell->number = number;
}

void report_text(struct report *r, const char *text, size_t size)
{
    struct report_cell *cell = add(r);

    cell->there = true;
    cell->text = memcpy(must_alloc(NULL, size + 1, 1), text, size);
    cell->text[size] = 0;
    cell->size = size;
}

void report_string(struct report *r, const char *text)
{
    report_text(r, text, strlen(text));
}

void report_tone(struct report *r, int tone)
{
    r->cells[r->count - 1].tone = tone;
}

struct sorting {
    const struct report_cell *cell;
    size_t row;
};

static int by_cell(const void *a, const void *b)
{
    const struct sorting *x = a, *y = b;
    int order = 0;

    if (x->cell->there != y->cell->there) {
        order = x->cell->there ? -1 : 1;
    } else if (x->cell->text && y->cell->text) {
        order = strcmp(x->cell->text, y->cell->text);
    } else if (x->cell->number > y->cell->number || x->cell->number < y->cell->number) {
        order = x->cell->number > y->cell->number ? -1 : 1;
    }
    return order ? order : x->row < y->row ? -1 : 1;
}

void report_sort(struct report *r, size_t column)
{
    size_t width = r->column_count, rows = r->count / width;
    struct sorting *order = must_alloc(NULL, rows, sizeof(*order));
    struct report_cell *sorted = must_alloc(NULL, rows * width, sizeof(*sorted));

    for (size_t i = 0; i < rows; i++) {
        order[i] = (struct sorting){&r->cells[i * width + column], i};
    }
    if (rows) {
        qsort(order, rows, sizeof(*order), by_cell);
    }
    for (size_t i = 0; i < rows; i++) {
        memcpy(&sorted[i * width], &r->cells[order[i].row * width], width * sizeof(*sorted));
    }
    free(order);
    free(r->cells);
    r->cells = sorted;
    r->room = rows * width;
}

static void print_csv(const struct report *r, FILE *out)
{
    assert(r->column_count);
    for (size_t i = 0; i < r->column_count; i++) {
        fprintf(out, "%s%s", i ? "," : "", r->columns[i].head);
    }
    for (size_t i = 0; i < r->count; i++) {
        const struct report_cell *cell = &r->cells[i];
        const struct report_column *column = &r->columns[i % r->column_count];
        fputs(i % r->column_count ? "," : "\n", out);
        if (cell->text) {
            quote_csv(out, cell->text, cell->size);
        } else if (cell->there) {
            fprintf(out, "%.*f", column->decimals, cell->number);
        }
    }
    fputc('\n', out);
}

/* 1234567 -> "1,234,567" */
static void with_commas(double number, int decimals, char buffer[64])
{
    char digits[48];
    char *to = buffer;

    if (fabs(number) > 1e30) {
        snprintf(buffer, 64, "%g", number);
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

/* What a terminal shows of UTF-8, near enough: one column for each character. */
static size_t width_of(const char *text)
{
    size_t width = 0;

    for (; *text; text++) {
        width += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return width;
}

static char *shown(const struct report *r, size_t i)
{
    const struct report_cell *cell = &r->cells[i];
    char number[64] = "";

    assert(r->column_count);
    if (cell->text) {
        return printable(cell->text, cell->size, LONGEST);
    }
    if (cell->there) {
        with_commas(cell->number, r->columns[i % r->column_count].shown_decimals, number);
    }
    return printable(number, strlen(number), LONGEST);
}

bool report_colors(FILE *out)
{
    const char *no = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");

    return (!no || !*no) && terminal && strcmp(terminal, "dumb") != 0 && isatty(fileno(out));
}

static void print_cell(FILE *out, const char *text, size_t width, bool left, bool last,
                       const char *color)
{
    int pad = (int)(width - width_of(text));

    fprintf(out, "%*s%s%s%s%*s", left ? 0 : pad, "", color, text, *color ? "\033[0m" : "",
            left && !last ? pad : 0, "");
    fputs(last ? "\n" : "  ", out);
}

static void print_table(const struct report *r, FILE *out)
{
    size_t columns = r->column_count;
    size_t *widths = must_alloc(NULL, columns, sizeof(*widths));
    char **cells = must_alloc(NULL, r->count, sizeof(*cells));
    bool colors = report_colors(out);

    assert(columns);

    for (size_t i = 0; i < columns; i++) {
        widths[i] = width_of(r->columns[i].head);
    }
    for (size_t i = 0; i < r->count; i++) {
        cells[i] = shown(r, i);
        size_t width = width_of(cells[i]);
        widths[i % columns] = width > widths[i % columns] ? width : widths[i % columns];
    }
    for (size_t i = 0; i < columns; i++) {
        print_cell(out, r->columns[i].head, widths[i], r->columns[i].kind == REPORT_TEXT,
                   i == columns - 1, colors ? "\033[1m" : "");
    }
    for (size_t i = 0; i < r->count; i++) {
        size_t column = i % columns;
        int tone = colors ? r->cells[i].tone : 0;
        print_cell(out, cells[i], widths[column], r->columns[column].kind == REPORT_TEXT,
                   column == columns - 1,
                   tone > 0   ? "\033[32m"
                   : tone < 0 ? "\033[31m"
                              : "");
        free(cells[i]);
    }
    free(cells);
    free(widths);
}

bool report_print(const struct report *r, enum report_form form, FILE *out)
{
    if (form == REPORT_JSON) {
        return report_print_json(r, out);
    }
    if (form == REPORT_CSV) {
        print_csv(r, out);
    } else {
        print_table(r, out);
    }
    return true;
}

void report_free(struct report *r)
{
    for (size_t i = 0; i < r->count; i++) {
        free(r->cells[i].text);
    }
    free(r->cells);
    *r = (struct report){0};
}
