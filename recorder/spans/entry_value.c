/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "entry_value.h"
#include "../base/memory.h"
#include "../format/entry_type.h"

#include <math.h>
#include <string.h>

static double half_of(uint16_t bits)
{
    int exponent = bits >> 10 & 31;
    double part = bits & 1023;
    double size = exponent == 31 ? (part > 0 ? NAN : INFINITY)
                  : exponent     ? ldexp(1024 + part, exponent - 25)
                                 : ldexp(part, -24);

    return bits >> 15 ? -size : size;
}

uint64_t value_bits(const char *at, size_t size)
{
    uint64_t bits = 0;

    memcpy(&bits, at, size < 8 ? size : 8); /* little-endian, like the file */
    return bits;
}

struct value value_of_entry(const struct recording *r, const struct process *p, uint64_t type,
                            const char *at)
{
    struct rec_entry_type known = rec_entry_type(type);
    size_t size = known.size;
    uint64_t bits = value_bits(at, size);
    struct value v = {.kind = VALUE_UNSIGNED, .u = bits};
    float narrow;

    if (known.kind == REC_ENTRY_SIGNED) {
        v.kind = VALUE_SIGNED;
        v.i = (int64_t)(bits << (64 - 8 * size)) >> (64 - 8 * size);
    } else if (known.kind == REC_ENTRY_FLOAT || known.kind == REC_ENTRY_BFLOAT16) {
        v.kind = VALUE_REAL;
        uint32_t word = known.kind == REC_ENTRY_BFLOAT16 ? (uint32_t)bits << 16 : (uint32_t)bits;
        memcpy(&narrow, &word, sizeof(narrow));
        memcpy(&v.d, &bits, sizeof(v.d));
        if (size == 16) {
            long double wide = 0;
            memcpy(&wide, at, sizeof(wide) < 16 ? sizeof(wide) : 16);
            v.d = (double)wide;
        } else if (size == 4 || known.kind == REC_ENTRY_BFLOAT16) {
            v.d = (double)narrow;
        } else if (size == 2) {
            v.d = half_of((uint16_t)bits);
        }
    } else if (known.kind == REC_ENTRY_REGISTERED) { /* a handle, as write/handle.h makes them */
        uint64_t *text = (bits & 15) == 2 ? map_find(&p->registered, bits >> 4) : NULL;
        const struct text *t = text && *text ? texts_at(&r->source.texts, (uint32_t)*text) : NULL;
        v = (struct value){.kind = t ? VALUE_TEXT : VALUE_NOTHING,
                           .text = t ? t->bytes : NULL,
                           .size = t ? t->size : 0};
    } else if (known.kind == REC_ENTRY_BYTES) {
        v.kind = VALUE_NOTHING;
    }
    return v;
}

char *value_characters(uint64_t type, const char *at, size_t size, size_t *ret_size)
{
    size_t unit = rec_entry_type(type).size, used = 0;
    char *out = must_alloc(NULL, size / unit * 4 + 1, 1);

    for (size_t i = 0; i + unit <= size; i += unit) {
        uint32_t c = (uint32_t)value_bits(at + i, unit);
        if (!c) {
            break;
        }
        if (unit == 2 && c >> 10 == 0x36 && i + 4 <= size) {
            c = 0x10000 + ((c & 0x3ff) << 10 | ((uint32_t)value_bits(at + i + 2, 2) & 0x3ff));
            i += 2;
        }
        if (unit == 1 || c < 0x80) {
            out[used++] = (char)c;
            continue;
        }
        int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
        out[used++] = (char)((0x780 >> more) | (c >> 6 * more & 0x3f));
        while (more-- > 0) {
            out[used++] = (char)(0x80 | (c >> 6 * more & 0x3f));
        }
    }
    *ret_size = used;
    return out;
}
