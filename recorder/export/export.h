/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_EXPORT_H
#define NVTXH_EXPORT_H
/* One function per form of output. They write to a file that was made for them, and return false
 * with a message if that fails. What a recording contains comes from spans_each. */
#include "../read/spans.h"

#include <stdbool.h>
#include <stdio.h>

bool export_csv(struct recording *r, FILE *out, char *ret_error, size_t error_size);
bool export_text(struct recording *r, FILE *out, char *ret_error, size_t error_size);
bool export_chrome(struct recording *r, FILE *out, char *ret_error, size_t error_size);

/* Made in place of the file; without libsqlite3 at build time it says so. */
bool export_sqlite(struct recording *r, const char *path, char *ret_error, size_t error_size);

/* A payload as a number in text, as short as it can be and still the same number; "" for none. */
const char *payload_text(const struct span *s, char buffer[40]);

/* The name of a category of a span's domain, or "". */
const char *category_name(const struct recording *r, const struct span *s);

/* The name the program gave to a thread, or NULL. */
const char *thread_name(const struct recording *r, const struct process *p, uint32_t tid);

/* All spans in memory, by time of beginning, outer before inner. Freed by the caller. */
struct span_list {
    struct span *spans;
    size_t count, room;
    struct span_totals totals;
};
void span_list_make(struct span_list *list, struct recording *r);

#endif /* NVTXH_EXPORT_H */
