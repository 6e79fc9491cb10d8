/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_FUZZ_FORMATS_H
#define NVTXH_TEST_FUZZ_FORMATS_H
/* Formats messages with the library's code, and compares: the same as printf, up to 64 KiB. */
#include "../../nvtxh.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is left of an input. */
struct input {
    const uint8_t *at, *end;
};

static unsigned next_byte(struct input *in) {
    return in->at < in->end ? *in->at++ : 0;
}

static void put_text(char **to, const char *text) {
    *to = stpcpy(*to, text);
}

/* Flags, a width and a precision of up to five digits. A longer width is more than printf takes. */
static void put_modifiers(char **to, struct input *in) {
    static const char *const flags[] = {"", "-", "+", " ", "#", "0", "-#", "+0"};
    unsigned what = next_byte(in);

    put_text(to, flags[what & 7]);
    if (what & 8) {
        *to += sprintf(*to, "%u", 1 + next_byte(in) * (what & 16 ? 600 : 1));
    }
    if (what & 32) {
        *to += sprintf(*to, ".%u", next_byte(in) * (what & 64 ? 600 : 1));
    }
    if (what == 255) {
        put_text(to, "99999999999");
    }
}

/* Letters as they are, but for percent signs, which are doubled. */
static void put_letters(char **to, struct input *in) {
    for (unsigned n = next_byte(in) & 31; n > 0; n--) {
        char c = (char)next_byte(in);
        *(*to)++ = c ? c : '0';
        if (c == '%') {
            *(*to)++ = c;
        }
    }
}

__attribute__((format(printf, 2, 3))) static void format_message(struct nvtxh_i_formatted *f,
                                                                 const char *format, ...) {
    static const struct nvtxh_i_site site;
    va_list args;

    va_start(args, format);
    nvtxh_i_format(f, &site, NULL, NULL, format, args);
    va_end(args);
}

static void must_be(bool holds) {
    if (!holds) {
        abort();
    }
}

/* Five conversions, whose arguments have always the same types, with text between them. */
static void fuzz_format(const uint8_t *data, size_t size) {
    static const char *const conversions[] = {"s", "diuoxX", "diuoxX", "aeEfFgG", "p"};
    static const char *const lengths[] = {"", "", "ll", "", ""};
    struct input in = {data, data + size};
    char format[2000], *to = format, *text = NULL, *whole = NULL;
    struct nvtxh_i_formatted message;
    long long number;
    double real;

    for (unsigned i = 0; i < 5; i++) {
        put_letters(&to, &in);
        *to++ = '%';
        put_modifiers(&to, &in);
        put_text(&to, lengths[i]);
        *to++ = conversions[i][next_byte(&in) % strlen(conversions[i])];
    }
    *to = 0;
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++) {
        bits = bits << 8 | next_byte(&in);
    }
    memcpy(&number, &bits, sizeof(number));
    memcpy(&real, &bits, sizeof(real));
    size_t repeated = (next_byte(&in) + 1) * (next_byte(&in) & 1 ? 300u : 1u);
    text = malloc(repeated + 1);
    must_be(text);
    memset(text, 'a' + (int)next_byte(&in) % 26, repeated);
    text[repeated] = 0;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    int length = asprintf(&whole, format, text, (int)number, number, real, (void *)text);
    errno = 7;
    format_message(&message, format, text, (int)number, number, real, (void *)text);
#pragma GCC diagnostic pop
    must_be(errno == 7);
    if (length < 0) {
        must_be(!strcmp(message.text, format));
    } else if (length <= NVTXH_I_TEXT_MAX) {
        must_be(!strcmp(message.text, whole));
    } else {
        char mark[48];
        size_t n = (size_t)snprintf(mark, sizeof(mark), "... [%d bytes]", length);
        size_t all = strlen(message.text);
        /* not within a character */
        must_be(all <= NVTXH_I_TEXT_MAX && all > NVTXH_I_TEXT_MAX - 200);
        must_be(!strcmp(message.text + all - n, mark));
        must_be(!memcmp(message.text, whole, all - n));
    }
    nvtxh_i_formatted_free(&message);
    if (length >= 0) {
        free(whole);
    }
    free(text);
}

#endif /* NVTXH_TEST_FUZZ_FORMATS_H */
