/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "json.h"
#include "utf8.h"

void json_string(FILE *out, const char *text, size_t size)
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
