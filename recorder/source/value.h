/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SOURCE_VALUE_H
#define NVTXH_SOURCE_VALUE_H
/* A single value: the payload of an event, the sample of a counter, or an entry of a payload with a
 * schema. */
#include "span.h"

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

/* Receives the fields of payloads. `enter` and `leave` enclose the values of a struct or an array. The values of an array
 * have empty names. */
struct payload_visitor {
    void *arg;
    void (*value)(void *arg, const char *name, const struct value *value);
    void (*enter)(void *arg, const char *name, bool array); /* may be NULL */
    void (*leave)(void *arg, bool array);                   /* may be NULL */
};

/* The payload of a span that is a number; VALUE_NOTHING: the span has none. */
struct value value_of_span(const struct span *s);

#define VALUE_DIGITS 40 /* bytes that suffice for the digits of any number */

/* A number with the fewest digits that read back as the same number; "" for other values. */
const char *value_digits(const struct value *v, char buffer[VALUE_DIGITS]);

/* Any value as text; "-" for VALUE_NOTHING. */
const char *value_text(const struct value *v, char buffer[VALUE_DIGITS], size_t *ret_size);

/* The number as a double; 0 for other values. */
double value_number(const struct value *v);

#endif /* NVTXH_SOURCE_VALUE_H */
