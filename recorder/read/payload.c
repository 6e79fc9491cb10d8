/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "payload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct payload_value payload_value(const struct span *s)
{
    struct payload_value v = {PAYLOAD_NOTHING, 0, 0, 0};
    uint32_t half = (uint32_t)s->payload;
    float narrow;

    switch (s->payload_type) {
    case REC_PAYLOAD_U64:
    case REC_PAYLOAD_U32:
        v.kind = PAYLOAD_UNSIGNED;
        v.u = s->payload_type == REC_PAYLOAD_U64 ? s->payload : half;
        break;
    case REC_PAYLOAD_I64:
    case REC_PAYLOAD_I32:
        v.kind = PAYLOAD_SIGNED;
        v.i = s->payload_type == REC_PAYLOAD_I64 ? (int64_t)s->payload : (int32_t)half;
        break;
    case REC_PAYLOAD_F64:
        v.kind = PAYLOAD_REAL;
        memcpy(&v.d, &s->payload, sizeof(v.d));
        break;
    case REC_PAYLOAD_F32:
        v.kind = PAYLOAD_REAL;
        memcpy(&narrow, &half, sizeof(narrow));
        v.d = (double)narrow;
        break;
    default:
        break;
    }
    return v;
}

const char *payload_text(const struct span *s, char buffer[40])
{
    struct payload_value v = payload_value(s);

    buffer[0] = 0;
    if (v.kind == PAYLOAD_UNSIGNED) {
        snprintf(buffer, 40, "%llu", (unsigned long long)v.u);
    } else if (v.kind == PAYLOAD_SIGNED) {
        snprintf(buffer, 40, "%lld", (long long)v.i);
    }
    for (int digits = 6; v.kind == PAYLOAD_REAL && digits <= 17; digits++) {
        snprintf(buffer, 40, "%.*g", digits, v.d);
        double back = strtod(buffer, NULL);
        if (!(back < v.d) && !(back > v.d)) {
            break;
        }
    }
    return buffer;
}

double payload_number(const struct span *s)
{
    struct payload_value v = payload_value(s);

    return v.kind == PAYLOAD_UNSIGNED ? (double)v.u : v.kind == PAYLOAD_SIGNED ? (double)v.i : v.d;
}
