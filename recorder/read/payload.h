/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_PAYLOAD_H
#define NVTXH_READ_PAYLOAD_H
/* Payloads of one number. */
#include "spans.h"

/* The value of a payload of one number. */
struct payload_value {
    enum { PAYLOAD_NOTHING, PAYLOAD_UNSIGNED, PAYLOAD_SIGNED, PAYLOAD_REAL } kind;
    uint64_t u;
    int64_t i;
    double d;
};
struct payload_value payload_value(const struct span *s);

/* The same as a double; 0 if there is none. */
double payload_number(const struct span *s);

/* In text, as short as it can be and still the same number; "" for none. */
const char *payload_text(const struct span *s, char buffer[40]);

#endif /* NVTXH_READ_PAYLOAD_H */
