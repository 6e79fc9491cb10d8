/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_REPORT_PAYLOAD_TEXT_H
#define NVTXH_REPORT_PAYLOAD_TEXT_H
/* A span's payloads with fields as text, as JSON, or value by value. */
#include "../source/source.h"
#include "../source/span.h"

/* As text, such as outer{color=green, numbers=[1, -2]}, "a text", or as JSON. NULL if there are none; free it. */
char *payload_text(struct source *source, const struct span *s);
char *payload_json(struct source *source, const struct span *s);

/* Calls `f` for each value, with a path like outer.inner[1].count. */
void payload_each(struct source *source, const struct span *s,
                  void (*f)(void *arg, const char *path, const struct value *value), void *arg);

#endif /* NVTXH_REPORT_PAYLOAD_TEXT_H */
