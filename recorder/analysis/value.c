/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "span.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct value value_of_span(const struct span *s) {
    uint32_t half = (uint32_t)s->payload;
    float narrow;

    memcpy(&narrow, &half, sizeof(narrow));
    switch (s->payload_type) {
    case REC_PAYLOAD_U64:
        return (struct value){.kind = VALUE_UNSIGNED, .u = s->payload};
    case REC_PAYLOAD_U32:
        return (struct value){.kind = VALUE_UNSIGNED, .u = half};
    case REC_PAYLOAD_I64:
        return (struct value){.kind = VALUE_SIGNED, .u = s->payload};
    case REC_PAYLOAD_I32:
        return (struct value){.kind = VALUE_SIGNED, .i = (int32_t)half};
    case REC_PAYLOAD_F64:
        return (struct value){.kind = VALUE_REAL, .u = s->payload};
    case REC_PAYLOAD_F32:
        return (struct value){.kind = VALUE_REAL, .d = (double)narrow};
    default:
        return (struct value){.kind = VALUE_NOTHING};
    }
}

const char *value_digits(const struct value *v, char buffer[VALUE_DIGITS]) {
    buffer[0] = 0;
    if (v->kind == VALUE_UNSIGNED) {
        snprintf(buffer, VALUE_DIGITS, "%llu", (unsigned long long)v->u);
    } else if (v->kind == VALUE_SIGNED) {
        snprintf(buffer, VALUE_DIGITS, "%lld", (long long)v->i);
    }
    for (int digits = 6; v->kind == VALUE_REAL && digits <= 17; digits++) {
        snprintf(buffer, VALUE_DIGITS, "%.*g", digits, v->d);
        double back = strtod(buffer, NULL);
        if (!(back < v->d) && !(back > v->d)) {
            break;
        }
    }
    return buffer;
}

const char *value_text(const struct value *v, char buffer[VALUE_DIGITS], size_t *ret_size) {
    const char *text = v->kind == VALUE_TEXT      ? v->text
                       : v->kind == VALUE_NOTHING ? "-"
                                                  : value_digits(v, buffer);

    *ret_size = v->kind == VALUE_TEXT ? v->size : strlen(text);
    return text;
}

double value_number(const struct span *s) {
    struct value v = value_of_span(s);

    return v.kind == VALUE_UNSIGNED ? (double)v.u
           : v.kind == VALUE_SIGNED ? (double)v.i
           : v.kind == VALUE_REAL   ? v.d
                                    : 0;
}
