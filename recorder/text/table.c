/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "table.h"
#include "../read/map.h"

#include <stdlib.h>
#include <string.h>

const char *with_commas(unsigned long long number, char buffer[32])
{
    char digits[32];
    int n = snprintf(digits, sizeof(digits), "%llu", number);
    char *to = buffer;

    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0) {
            *to++ = ',';
        }
        *to++ = digits[i];
    }
    *to = 0;
    return buffer;
}

void table_begin(struct table *t, size_t columns)
{
    *t = (struct table){.columns = columns, .left = must_alloc(NULL, columns, sizeof(bool))};
    memset(t->left, 0, columns * sizeof(bool));
}

void table_cell(struct table *t, const char *text)
{
    ARRAY_ADD(t->cells, t->count, t->room);
    size_t size = strlen(text) + 1;
    t->cells[t->count] = memcpy(must_alloc(NULL, size, 1), text, size);
    t->count++;
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

void table_print(struct table *t, FILE *out)
{
    size_t *widths = must_alloc(NULL, t->columns, sizeof(*widths));

    memset(widths, 0, t->columns * sizeof(*widths));
    for (size_t i = 0; i < t->count; i++) {
        size_t width = width_of(t->cells[i]);
        if (width > widths[i % t->columns]) {
            widths[i % t->columns] = width;
        }
    }
    for (size_t i = 0; i < t->count; i++) {
        size_t column = i % t->columns;
        bool last = column == t->columns - 1;
        int pad = (int)(widths[column] - width_of(t->cells[i]));
        if (t->left[column]) {
            fprintf(out, "%s%*s", t->cells[i], last ? 0 : pad, "");
        } else {
            fprintf(out, "%*s%s", pad, "", t->cells[i]);
        }
        fputs(last ? "\n" : "  ", out);
        free(t->cells[i]);
    }
    free(widths);
    free(t->cells);
    free(t->left);
    *t = (struct table){0};
}
