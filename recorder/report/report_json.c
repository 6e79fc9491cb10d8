/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report.h"
#include "utf8.h"

#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>

static struct json_object *value_of(const struct report_cell *cell, int decimals)
{
    if (cell->text) {
        size_t size;
        char *text = utf8_copy(cell->text, cell->size, &size);
        struct json_object *value = json_object_new_string_len(text, (int)size);
        free(text);
        return value;
    }
    if (!cell->there || !isfinite(cell->number)) {
        return NULL; /* null */
    }
    if (decimals == 0 && fabs(cell->number) < 9e15) {
        return json_object_new_int64((int64_t)cell->number);
    }
    char digits[64];
    snprintf(digits, sizeof(digits), "%.*f", fabs(cell->number) < 1e15 ? decimals : 0,
             fabs(cell->number) < 1e30 ? cell->number : 0);
    return json_object_new_double_s(cell->number, fabs(cell->number) < 1e30 ? digits : NULL);
}

bool report_print_json(const struct report *r, const struct report_cell *row, FILE *out)
{
    struct json_object *object = row ? json_object_new_object() : NULL;

    for (size_t i = 0; object && i < r->shown_count; i++) {
        const struct report_column *column = &r->columns[r->shown[i]];
        json_object_object_add(object, column->key, value_of(&row[r->shown[i]], column->decimals));
    }
    if (object) {
        fputs(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
                                                         JSON_C_TO_STRING_NOSLASHESCAPE),
              out);
    }
    json_object_put(object);
    return true;
}
