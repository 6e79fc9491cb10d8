/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "csv.h"
#include "utf8.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void write_field(FILE *out, const char *text, size_t size)
{
    bool quote = false;

    for (size_t i = 0; i < size; i++) {
        quote |= text[i] == '"' || text[i] == ',' || text[i] == '\n' || text[i] == '\r';
    }
    quote |= size && (text[0] == ' ' || text[size - 1] == ' ');
    if (!quote) {
        fwrite(text, 1, size, out);
        return;
    }
    fputc('"', out);
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '"') {
            fputc('"', out);
        }
        fputc(text[i], out);
    }
    fputc('"', out);
}

void csv_field(FILE *out, const char *text, size_t size)
{
    char *valid = utf8_is(text, size) ? NULL : utf8_copy(text, size, &size);

    write_field(out, valid ? valid : text, size);
    free(valid);
}

void csv_string(FILE *out, const char *text)
{
    csv_field(out, text, strlen(text));
}
