/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_EXPORT_H
#define NVTXH_EXPORT_H
/* One function per form of output. They write to a file that was made for them, and return false
 * with a message if that fails. What a recording contains comes from spans_each. */
#include "../read/span_order.h"
#include "../read/payload.h"

#include <stdbool.h>
#include <stdio.h>

bool export_csv(struct recording *r, FILE *out, char *ret_error, size_t error_size);
bool export_text(struct recording *r, FILE *out, char *ret_error, size_t error_size);
bool export_chrome(struct recording *r, FILE *out, char *ret_error, size_t error_size);

/* Without protobuf-c at build time it says so. */
bool export_perfetto(struct recording *r, FILE *out, char *ret_error, size_t error_size);

/* Made in place of the file; without libsqlite3 at build time it says so. */
bool export_sqlite(struct recording *r, const char *path, char *ret_error, size_t error_size);

/* The name of a category of a span's domain, or "". */
const char *category_name(const struct recording *r, const struct span *s);

/* What a viewer calls an event: its message, or that it has none. */
const struct text *event_name(const struct recording *r, const struct span *s);

/* What a viewer calls a process: its executable, and the host if there are several. Free it. */
char *process_name(const struct recording *r, const struct process *p, size_t *ret_size);

/* A number for a process that no other of the recording has: its pid, while that is so. */
uint32_t process_shown(const struct process *p);

/* Says why spans_in_order has failed; false. */
bool export_failed(char *ret_error, size_t error_size);

#endif /* NVTXH_EXPORT_H */
