/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_FIELDS_H
#define NVTXH_READ_FIELDS_H
/* The payloads of a span that have schemas, as people and tables want them. */
#include "extended.h"
#include "spans.h"

#include <stdio.h>

/* As text: outer{color=green, numbers=[1, -2]}, "a text". NULL if there are none; free it. */
char *fields_text(const struct recording *r, const struct span *s);

/* As JSON. NULL if there are none; free it. */
char *fields_json(const struct recording *r, const struct span *s);

/* One by one, with names like outer.inner[1].count. */
void fields_each(const struct recording *r, const struct span *s,
                 void (*f)(void *arg, const char *path, const struct extended_value *value),
                 void *arg);

/* A string in JSON, with its quotes; what is not UTF-8 becomes U+FFFD. */
void json_string(FILE *out, const char *text, size_t size);

/* A value in text; numbers as short as they can be and still the same. */
void fields_value(FILE *out, const struct extended_value *v);

#endif /* NVTXH_READ_FIELDS_H */
