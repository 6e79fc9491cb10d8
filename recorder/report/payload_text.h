/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_REPORT_PAYLOAD_TEXT_H
#define NVTXH_REPORT_PAYLOAD_TEXT_H
/* The payloads of a span that have schemas, as people and tables want them. */
#include "../read/payload_decode.h"
#include "../read/spans.h"

#include <stdio.h>

/* As text: outer{color=green, numbers=[1, -2]}, "a text". NULL if there are none; free it. */
char *payload_text_of(const struct recording *r, const struct span *s);

/* As JSON. NULL if there are none; free it. */
char *payload_json_of(const struct recording *r, const struct span *s);

/* One by one, with names like outer.inner[1].count. */
void payload_each(const struct recording *r, const struct span *s,
                  void (*f)(void *arg, const char *path, const struct extended_value *value),
                  void *arg);

/* A string in JSON, with its quotes; what is not UTF-8 becomes U+FFFD. */
void json_string(FILE *out, const char *text, size_t size);

/* A value in text; numbers as short as they can be and still the same. */
void payload_value_text(FILE *out, const struct extended_value *v);

#endif /* NVTXH_REPORT_PAYLOAD_TEXT_H */
