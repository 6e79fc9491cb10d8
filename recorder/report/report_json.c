/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "figures.h"
#include "quote.h"
#include "report.h"

#include <math.h>
#include <string.h>

static void write_value(const struct report_cell *cell, int decimals, FILE *out)
{
    double number = cell->number;

    if (cell->is_text) {
        quote_json(out, cell->text, cell->size);
    } else if (!cell->there || !isfinite(number)) {
        fputs("null", out);
    } else if (fabs(number) < 1e15) {
        figure_digits(number, decimals, out);
    } else {
        fprintf(out, "%.17g", number);
    }
}

void report_print_json(const struct report *r, const struct report_cell *row, FILE *out)
{
    for (size_t i = 0; i < r->shown_count; i++) {
        const struct report_column *column = &r->columns[r->shown[i]];
        fputs(i ? "," : "{", out);
        quote_json(out, column->key, strlen(column->key));
        fputc(':', out);
        write_value(&row[r->shown[i]], column->decimals, out);
    }
    fputs(r->shown_count ? "}" : "{}", out);
}
