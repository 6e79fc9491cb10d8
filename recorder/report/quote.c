/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "quote.h"
#include "utf8.h"
#include "../../nvtxh/core/number.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool guarded;

void quote_csv_guard(void)
{
    guarded = true;
}

static bool is_formula(const char *text, size_t size)
{
    char number[64], *end;

    if (!size || !strchr("=+-@\t\r", *text) || !*text) {
        return false;
    }
    if (size >= sizeof(number)) {
        return true;
    }
    memcpy(number, text, size);
    number[size] = 0;
    nvtxh_i_number_read(number, &end);
    return end != number + size;
}

static void write_field(FILE *out, const char *text, size_t size)
{
    bool guard = guarded && is_formula(text, size), quote = guard;

    for (size_t i = 0; i < size; i++) {
        quote |= text[i] == '"' || text[i] == ',' || text[i] == '\n' || text[i] == '\r';
    }
    quote |= size && (text[0] == ' ' || text[size - 1] == ' ');
    if (!quote) {
        fwrite(text, 1, size, out);
        return;
    }
    fputs(guard ? "\"'" : "\"", out);
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '"') {
            fputc('"', out);
        }
        fputc(text[i], out);
    }
    fputc('"', out);
}

void quote_csv(FILE *out, const char *text, size_t size)
{
    char *valid = utf8_is(text, size) ? NULL : utf8_copy(text, size, &size);

    write_field(out, valid ? valid : text, size);
    free(valid);
}

void quote_csv_string(FILE *out, const char *text)
{
    quote_csv(out, text, strlen(text));
}

void quote_json(FILE *out, const char *text, size_t size)
{
    fputc('"', out);
    for (size_t i = 0; i < size;) {
        unsigned char c = (unsigned char)text[i];
        size_t n = utf8_character(text + i, size - i);
        if (n == 0) {
            fputs("\xef\xbf\xbd", out);
            i++;
        } else if (c < 0x20 || c == 0x7f) {
            fprintf(out, "\\u%04x", c);
            i++;
        } else if (c == '"' || c == '\\') {
            fprintf(out, "\\%c", c);
            i++;
        } else {
            fwrite(text + i, 1, n, out);
            i += n;
        }
    }
    fputc('"', out);
}
