/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "json.h"
#include "../../nvtxh/core/text.h"
#include "../util/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 64 };

struct json {
    const char *at, *end;
    struct payload_visitor *v; /* NULL: the text is only checked */
    unsigned depth;
};

static char next(struct json *j) {
    while (j->at < j->end && strchr(" \t\r\n", *j->at)) {
        j->at++;
    }
    return j->at < j->end ? *j->at : 0;
}

static bool skip(struct json *j, char c) {
    bool is_there = c && next(j) == c;

    j->at += is_there;
    return is_there;
}

/* Reads four hexadecimal digits. */
static bool read_unit(struct json *j, unsigned *ret) {
    char digits[5] = "", *end;

    if (j->end - j->at < 4) {
        return false;
    }
    memcpy(digits, j->at, 4);
    j->at += 4;
    *ret = (unsigned)strtoul(digits, &end, 16);
    return end == digits + 4 && digits[0] != '-' && digits[0] != '+' && digits[0] > ' ';
}

/* Reads what follows \u and writes it as UTF-8. NULL: it is not valid. */
static char *read_character(struct json *j, char *to) {
    unsigned c, low;

    if (!read_unit(j, &c)) {
        return NULL;
    }
    if (c >= 0xd800 && c < 0xdc00 && j->end - j->at >= 6 && j->at[0] == '\\' && j->at[1] == 'u') {
        j->at += 2;
        if (!read_unit(j, &low) || low < 0xdc00 || low > 0xdfff) {
            return NULL;
        }
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    return to + nvtxh_i_utf8_write(to, c);
}

/* Reads a string, whose quote is next. Free it. NULL: it is not valid. */
static char *read_string(struct json *j, size_t *ret_size) {
    static const char escapes[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    char *text, *to;

    if (!skip(j, '"')) {
        return NULL;
    }
    const char *close = j->at;
    while (close < j->end && *close != '"') {
        close += *close == '\\' && close + 1 < j->end ? 2 : 1;
    }
    text = to = must_alloc(NULL, (size_t)(close - j->at) + 1, 1);
    while (to && j->at < j->end && *j->at != '"') {
        const char *escape =
            *j->at == '\\' && j->at + 1 < j->end && j->at[1] ? strchr(escapes, j->at[1]) : NULL;
        if (*j->at != '\\') {
            *to++ = *j->at++;
        } else if (escape) {
            *to++ = meant[escape - escapes];
            j->at += 2;
        } else {
            bool is_unit = j->at + 1 < j->end && j->at[1] == 'u';
            j->at += 2;
            to = is_unit ? read_character(j, to) : NULL;
        }
    }
    if (!to || j->at >= j->end) {
        free(text);
        return NULL;
    }
    j->at++;
    *to = 0;
    *ret_size = (size_t)(to - text);
    return text;
}

static bool read_number(const char *word, struct value *ret) {
    char *end;
    bool is_negative = *word == '-';

    errno = 0;
    if (!strpbrk(word, ".eE")) {
        ret->kind = is_negative ? VALUE_SIGNED : VALUE_UNSIGNED;
        ret->u = is_negative ? (uint64_t)strtoll(word, &end, 10) : strtoull(word, &end, 10);
        if (!*end && !errno) {
            return true;
        }
    }
    ret->kind = VALUE_REAL;
    ret->d = nvtxh_i_number_read(word, &end);
    return !*end;
}

/* Reads null, true, false or a number. */
static bool read_word(struct json *j, const char *name) {
    char word[400]; /* a double may have more than 300 digits */
    size_t size = 0;
    struct value value = {.kind = VALUE_NOTHING};

    next(j);
    while (j->at < j->end && size < sizeof(word) - 1 &&
           ((*j->at >= 'a' && *j->at <= 'z') || (*j->at && strchr("0123456789+-.E", *j->at)))) {
        word[size++] = *j->at++;
    }
    word[size] = 0;
    if (!strcmp(word, "true") || !strcmp(word, "false")) {
        value.kind = VALUE_TEXT;
        value.text = word;
        value.size = size;
        value.is_enumerator = true;
    } else if (strcmp(word, "null") != 0 && (!size || !strchr("-0123456789", *word) ||
                                             strpbrk(word, "xpn") || !read_number(word, &value))) {
        return false;
    }
    if (j->v) {
        j->v->value(j->v->arg, name, &value);
    }
    return true;
}

static bool read_value(struct json *j, const char *name);

/* Reads members or elements up to the closing bracket. */
static bool read_members(struct json *j, bool array) {
    bool is_valid = true;

    if (skip(j, array ? ']' : '}')) {
        return true;
    }
    do {
        size_t size;
        char *name = array ? NULL : read_string(j, &size);
        is_valid = (array || (name && skip(j, ':'))) && read_value(j, name ? name : "");
        free(name);
    } while (is_valid && skip(j, ','));
    return is_valid && skip(j, array ? ']' : '}');
}

static bool read_value(struct json *j, const char *name) {
    char first = next(j);
    bool array = first == '[', is_valid;

    if (first == '"') {
        struct value value = {.kind = VALUE_TEXT};
        char *text = read_string(j, &value.size);
        value.text = text;
        if (text && j->v) {
            j->v->value(j->v->arg, name, &value);
        }
        free(text);
        return text != NULL;
    }
    if (first != '{' && !array) {
        return read_word(j, name);
    }
    if (j->depth == DEPTH_MOST) {
        return false;
    }
    j->at++;
    j->depth++;
    if (j->v && j->v->enter) {
        j->v->enter(j->v->arg, name, array);
    }
    is_valid = read_members(j, array);
    if (j->v && j->v->leave) {
        j->v->leave(j->v->arg, array);
    }
    j->depth--;
    return is_valid;
}

bool json_visit(const char *text, size_t size, const char *unnamed, struct payload_visitor *v) {
    struct json check = {.at = text, .end = text + size}, visit = {text, text + size, v, 0};

    if (!read_value(&check, "") || next(&check) || check.at < check.end) {
        return false;
    }
    return skip(&visit, '{') ? read_members(&visit, false) : read_value(&visit, unnamed);
}
