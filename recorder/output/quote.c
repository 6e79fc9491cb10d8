/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "quote.h"
#include "../util/memory.h"

#include <string.h>

void quote_csv(FILE *out, const char *text, size_t size) {
    char *valid = utf8_is(text, size) ? NULL : utf8_copy(text, size, &size);
    text = valid ? valid : text;
    bool quote = size && (text[0] == ' ' || text[size - 1] == ' ');

    for (size_t i = 0; i < size; i++) {
        quote |= text[i] == '"' || text[i] == ',' || text[i] == '\n' || text[i] == '\r';
    }
    if (!quote) {
        fwrite(text, 1, size, out);
    } else {
        fputc('"', out);
        for (size_t i = 0; i < size; i++) {
            if (text[i] == '"') {
                fputc('"', out);
            }
            fputc(text[i], out);
        }
        fputc('"', out);
    }
    free(valid);
}

void quote_json(FILE *out, const char *text, size_t size) {
    fputc('"', out);
    for (size_t i = 0, n; i < size; i += n ? n : 1) {
        unsigned char c = (unsigned char)text[i];
        n = utf8_character(text + i, size - i);
        if (n == 0) {
            fputs("\xef\xbf\xbd", out);
        } else if (c < 0x20 || c == 0x7f) {
            fprintf(out, "\\u%04x", c);
        } else if (c == '"' || c == '\\') {
            fprintf(out, "\\%c", c);
        } else {
            fwrite(text + i, 1, n, out);
        }
    }
    fputc('"', out);
}

size_t utf8_character(const char *text, size_t left) {
    uint32_t code;

    return nvtxh_i_utf8(text, left, &code);
}

bool utf8_is(const char *text, size_t size) {
    size_t n = 1;

    for (size_t i = 0; i < size && n; i += n) {
        n = utf8_character(text + i, size - i);
    }
    return n > 0;
}

char *utf8_copy(const char *text, size_t size, size_t *ret_size) {
    char *copy = must_alloc(NULL, 3 * size + 1, 1), *to = copy;

    for (size_t i = 0, n; i < size; i += n ? n : 1) {
        n = utf8_character(text + i, size - i);
        to = n ? (char *)mempcpy(to, text + i, n) : stpcpy(to, "\xef\xbf\xbd");
    }
    *to = 0;
    if (ret_size) {
        *ret_size = (size_t)(to - copy);
    }
    return copy;
}

char *utf8_escape(char *to, unsigned c) {
    if (c == '\n' || c == '\t') {
        return stpcpy(to, c == '\n' ? "\\n" : "\\t");
    }
    return to + sprintf(to, c < 0x80 ? "\\x%02x" : "\\u%04x", c);
}

char *printable(const char *text, size_t size, size_t longest) {
    char *out = must_alloc(NULL, 4 * (size < longest ? size : longest) + 8, 1), *to = out;

    for (size_t i = 0, n; i < size; i += n ? n : 1) {
        uint32_t c = 0;
        n = nvtxh_i_utf8(text + i, size - i, &c);
        if ((size_t)(to - out) >= longest) {
            to += sprintf(to, "...");
            break;
        }
        to = !n                      ? stpcpy(to, "\xef\xbf\xbd")
             : nvtxh_i_is_control(c) ? utf8_escape(to, c)
                                     : (char *)mempcpy(to, text + i, n);
    }
    *to = 0;
    return out;
}
