/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_EXPORT_LABELS_H
#define NVTXH_EXPORT_LABELS_H
/* The names under which viewers show events, processes and categories. */
#include "../source/source.h"
#include "../source/span.h"

#include <stddef.h>
#include <stdint.h>

/* An event: its message, or "(no message)". */
const struct text *label_event(const struct source *source, const struct span *s);

/* The name of a span's category, or "". */
const char *label_category(const struct source *source, const struct span *s);

/* A process: its executable, its rank if it has one, and the host if there are several. Free it. */
char *label_process(const struct source *source, const struct source_process *p, size_t *ret_size);

/* A thread: its number and name, and the process if there are several. Free it. */
char *label_thread(const struct source *source, const struct source_process *p, uint32_t tid, size_t *ret_size);

/* A range: domain:message, in the default domain the message alone. Free it. */
char *label_range(const struct source *source, uint32_t domain_name, uint32_t text, size_t *ret_size);

/* The pid. If several processes of the recording had the same pid, each gets a different number. */
uint32_t label_pid(const struct source_process *p);

#endif /* NVTXH_EXPORT_LABELS_H */
