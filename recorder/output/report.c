/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report.h"
#include "../analysis/name.h"
#include "quote.h"
#include "../util/memory.h"

#include <stdlib.h>
#include <string.h>

const char *const report_color_words[REPORT_COLORS] = {"auto", "always", "never"};

struct report_keys report_keys(const struct report_column *columns, size_t count) {
    struct report_keys names = {0};

    report_keys_add(&names, columns, count);
    return names;
}

bool report_is_among(const char *key, const char *const *keys, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(keys[i], key)) {
            return true;
        }
    }
    return false;
}

void report_keys_add(struct report_keys *names, const struct report_column *columns, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (report_is_among(columns[i].key, names->keys, names->count)) {
            continue;
        }
        const char *title = columns[i].title ? columns[i].title : columns[i].head;
        names->titles[names->count] = title ? title : columns[i].key;
        names->keys[names->count++] = columns[i].key;
    }
}

const char *report_lacks(const struct report_column *columns, size_t count,
                         const struct report_style *style) {
    struct report_keys has = report_keys(columns, count);

    for (size_t i = 0; i < style->column_count; i++) {
        if (!report_is_among(style->columns[i], has.keys, has.count)) {
            return style->columns[i];
        }
    }
    return NULL;
}

void report_begin(struct report *r, const struct report_column *columns, size_t column_count) {
    *r = (struct report){.columns = columns,
                         .column_count = column_count,
                         .given = column_count,
                         .bar = 10,
                         .full = 100};
}

static void print_row(struct report *r, const struct report_cell *row, size_t number);

static void end_cell(const struct report_cell *cell) {
    if (cell->is_text) {
        free(cell->text);
    }
}

/* Called before each cell and after the last one. If a row is complete then, CSV and JSON print
 * the row and drop it; a table drops it if r->most rows are already in the table. */
static void end_row(struct report *r) {
    size_t rows = r->count / r->column_count;
    bool printed = r->out && r->style->form != REPORT_TABLE;

    if (!rows || r->count % r->column_count || (!printed && rows <= r->most)) {
        return;
    }
    if (printed && r->rows <= r->most) {
        print_row(r, r->cells, r->rows - 1);
    }
    for (size_t i = r->count - r->column_count; i < r->count; i++) {
        end_cell(&r->cells[i]);
    }
    r->count -= r->column_count;
}

static struct report_cell *add_cell(struct report *r) {
    bool is_dropped = r->is_dropped[r->next];

    r->next = (r->next + 1) % r->given;
    if (is_dropped) {
        end_cell(&r->other);
        r->other = (struct report_cell){0};
        return r->added = &r->other;
    }
    if (r->out) {
        end_row(r);
    }
    r->rows += r->count % r->column_count == 0;
    ARRAY_ADD(r->cells, r->count, r->capacity);
    r->cells[r->count] = (struct report_cell){0};
    return r->added = &r->cells[r->count++];
}

void report_number(struct report *r, double number) {
    struct report_cell *cell = add_cell(r);

    cell->there = !isnan(number);
    cell->number = number;
}

void report_text(struct report *r, const char *text, size_t size) {
    struct report_cell *cell = add_cell(r);

    cell->there = cell->is_text = true;
    cell->text = memcpy(must_alloc(NULL, size + 1, 1), text, size);
    cell->text[size] = 0;
    cell->size = (uint32_t)size & 0xfffffff;
}

void report_string(struct report *r, const char *text) {
    report_text(r, text, strlen(text));
}

void report_better(struct report *r, int better) {
    r->added->better = (signed char)(better < 0 ? -1 : better > 0);
}

void report_mark(struct report *r, uint32_t color) {
    r->added->color = color;
}

void report_range(struct report *r, const struct source *source, uint32_t domain, uint32_t text,
                  uint32_t color, size_t spaces, bool for_people) {
    enum { SPACES_MOST = 80 };
    size_t size;
    char *name = name_of_range(source, domain, text, for_people, &size);

    spaces = spaces < SPACES_MOST ? spaces : SPACES_MOST;
    name = must_alloc(name, spaces + size, 1);
    memmove(name + spaces, name, size);
    report_text(r, memset(name, ' ', spaces), spaces + size);
    report_mark(r, color);
    free(name);
}

struct sorting {
    const struct report_cell *cell;
    size_t row;
};

static int by_cell(const void *a, const void *b) {
    const struct sorting *x = a, *y = b;
    bool texts = x->cell->is_text && y->cell->is_text;

    return ORDERS(
        ORDER(y->cell->there, x->cell->there)
        ?: (texts ? strcmp(x->cell->text, y->cell->text) : ORDER(y->cell->number, x->cell->number))
        ?: ORDER(x->row, y->row));
}

void report_sort(struct report *r, const char *key) {
    size_t width = r->column_count, rows = r->count / width, column = 0;

    while (key && column < width && strcmp(r->columns[column].key, key) != 0) {
        column++;
    }
    if (!key || column == width) {
        return;
    }
    struct sorting *order = must_alloc(NULL, rows, sizeof(*order));
    struct report_cell *sorted = must_alloc(NULL, rows * width, sizeof(*sorted));

    for (size_t i = 0; i < rows; i++) {
        order[i] = (struct sorting){&r->cells[i * width + column], i};
    }
    ARRAY_SORT(order, rows, by_cell);
    for (size_t i = 0; i < rows; i++) {
        memcpy(&sorted[i * width], &r->cells[order[i].row * width], width * sizeof(*sorted));
    }
    free(order);
    free(r->cells);
    r->cells = sorted;
    r->capacity = rows * width;
}

static bool is_empty(const struct report *r, size_t column) {
    for (size_t i = column; i < r->count; i += r->column_count) {
        if (r->cells[i].is_text ? r->cells[i].size : r->cells[i].there) {
            return false;
        }
    }
    return r->count > 0;
}

/* Chooses the columns to print, in their order; returns how many. */
static size_t choose(const struct report *r, const struct report_style *style,
                     size_t ret_columns[REPORT_COLUMNS]) {
    bool for_people = style->form == REPORT_TABLE;
    size_t count = 0;

    for (size_t i = 0; i < style->column_count; i++) {
        for (size_t k = 0; k < r->column_count; k++) { /* the table may lack a chosen column */
            if (!strcmp(r->columns[k].key, style->columns[i])) {
                ret_columns[count++] = k;
            }
        }
    }
    for (size_t k = 0; k < r->column_count && !style->column_count; k++) {
        size_t to = count;
        if (for_people ? !r->columns[k].rank || is_empty(r, k)
                       : style->form == REPORT_CSV && r->columns[k].kind == REPORT_OBJECTS) {
            continue;
        }
        for (; for_people && to && r->columns[ret_columns[to - 1]].rank > r->columns[k].rank;
             to--) {
            ret_columns[to] = ret_columns[to - 1];
        }
        ret_columns[to] = k;
        count++;
    }
    return count;
}

static void print_csv(const struct report *r, const struct report_cell *row) {
    for (size_t i = 0; i < r->shown_count; i++) {
        const struct report_cell *cell = &row[r->shown[i]];
        fputs(i ? "," : "", r->out);
        if (cell->is_text) {
            quote_csv(r->out, cell->text, cell->size);
        } else if (cell->there) {
            figure_digits(cell->number, r->columns[r->shown[i]].decimals, r->out);
        }
    }
    fputc('\n', r->out);
}

static void print_value(const struct report_cell *cell, const struct report_column *column,
                        FILE *out) {
    double number = cell->number;

    if (cell->is_text && column->kind == REPORT_OBJECTS) {
        fwrite(cell->text, 1, cell->size, out);
    } else if (cell->is_text) {
        quote_json(out, cell->text, cell->size);
    } else if (!cell->there || !isfinite(number)) {
        fputs("null", out);
    } else if (fabs(number) < 1e15) {
        figure_digits(number, column->decimals, out);
    } else {
        fprintf(out, "%.17g", number);
    }
}

static void print_json(const struct report *r, const struct report_cell *row) {
    for (size_t i = 0; i < r->shown_count; i++) {
        const struct report_column *column = &r->columns[r->shown[i]];
        fputs(i ? "," : "{", r->out);
        quote_json(r->out, column->key, strlen(column->key));
        fputc(':', r->out);
        print_value(&row[r->shown[i]], column, r->out);
    }
    fputs(r->shown_count ? "}" : "{}", r->out);
}

static void print_row(struct report *r, const struct report_cell *row, size_t number) {
    if (r->style->form == REPORT_CSV) {
        print_csv(r, row);
    } else {
        fputs(number ? ",\n" : "\n", r->out);
        print_json(r, row);
    }
}

/* Drops the columns that are never shown, because all rows of a table are kept. */
static void keep_shown(struct report *r) {
    bool is_shown[REPORT_COLUMNS] = {false};
    size_t count = 0;

    for (size_t i = 0; i < r->shown_count; i++) {
        is_shown[r->shown[i]] = true;
    }
    for (size_t k = 0; k < r->given && r->shown_count; k++) {
        r->is_dropped[k] = !is_shown[k];
        r->kept[count] = r->columns[k];
        count += is_shown[k];
    }
    r->columns = r->shown_count ? r->kept : r->columns;
    r->column_count = r->shown_count ? count : r->given;
}

void report_stream(struct report *r, const struct report_style *style, FILE *out) {
    r->style = style;
    r->out = out;
    r->shown_count = choose(r, style, r->shown);
    r->most = style->limit >= 1 ? (size_t)style->limit : SIZE_MAX;
    if (style->form == REPORT_TABLE) {
        /* Keeps one row more than the limit, because a table may show it: see report_table_rows. */
        r->most = report_table_rows(r, style, out, SIZE_MAX);
        r->most += r->most < SIZE_MAX;
        if (!r->count) {
            keep_shown(r);
        }
    } else if (style->form == REPORT_JSON) {
        fputs("[", out);
    }
    for (size_t i = 0; i < r->shown_count && style->form == REPORT_CSV; i++) {
        fprintf(out, "%s%s%s", i ? "," : "", r->columns[r->shown[i]].head,
                i + 1 < r->shown_count ? "" : "\n");
    }
}

void report_print(struct report *r, const struct report_style *style, FILE *out) {
    if (!r->out) {
        report_stream(r, style, out);
        for (size_t row = 0; style->form != REPORT_TABLE && row < r->rows && row < r->most; row++) {
            print_row(r, &r->cells[row * r->column_count], row);
        }
    } else {
        end_row(r);
    }
    if (style->form == REPORT_JSON) {
        fputs("\n]\n", out);
    } else if (style->form == REPORT_TABLE) {
        /* only now it is known which columns are empty */
        size_t count = choose(r, style, r->shown);
        if (count) {
            report_print_table(r, style, r->shown, count, out);
        }
    }
}

void report_free(struct report *r) {
    for (size_t i = 0; i < r->count; i++) {
        end_cell(&r->cells[i]);
    }
    end_cell(&r->other);
    free(r->cells);
    *r = (struct report){0};
}
