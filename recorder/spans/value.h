/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SPANS_VALUE_H
#define NVTXH_SPANS_VALUE_H
/* A single value: the payload of an event, the sample of a counter, or an entry of a payload with a
 * schema. */
#include "span.h"
#include "../read/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct value {
    /* UNSIGNED, SIGNED and REAL have the numbers of REC_PAYLOAD_U64, _I64 and _F64. */
    enum { VALUE_NOTHING, VALUE_UNSIGNED, VALUE_SIGNED, VALUE_REAL, VALUE_TEXT } kind;
    union {
        uint64_t u;
        int64_t i;
        double d;
    };
    const char *text; /* as the program gave it, or the name of an enum's value */
    size_t size;
    bool is_enumerator; /* the text is the name of an enum's value */
    bool is_message;    /* the program's message for the event */
};

/* The payload of a span that has no schema; VALUE_NOTHING: the span has none. */
struct value value_of_span(const struct span *s);

/* The value of an entry whose type is predefined: a number or a registered string. All of its bytes must be there. */
struct value value_of_entry(const struct recording *r, const struct process *p, uint64_t type,
                            const char *at);

/* The characters of an entry up to a zero, as UTF-8. The caller frees them. */
char *value_characters(uint64_t type, const char *at, size_t size, size_t *ret_size);

/* The first `size` bytes, at most eight, as an unsigned number. */
uint64_t value_bits(const char *at, size_t size);

#define VALUE_DIGITS 40 /* bytes that suffice for the digits of any number */

/* A number with the fewest digits that read back as the same number; "" for other values. */
const char *value_digits(const struct value *v, char buffer[VALUE_DIGITS]);

/* Any value as text; "-" for VALUE_NOTHING. */
const char *value_text(const struct value *v, char buffer[VALUE_DIGITS], size_t *ret_size);

/* The number as a double; 0 for other values. */
double value_number(const struct value *v);

#endif /* NVTXH_SPANS_VALUE_H */
