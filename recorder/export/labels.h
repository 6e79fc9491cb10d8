/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_EXPORT_LABELS_H
#define NVTXH_EXPORT_LABELS_H
/* The names under which viewers show events, processes and categories. */
#include "../read/recording.h"
#include "../read/span.h"

#include <stddef.h>
#include <stdint.h>

/* An event: its message, or a text that says there is none. */
const struct text *label_event(const struct recording *r, const struct span *s);

/* The category of a span's domain, or "". */
const char *label_category(const struct recording *r, const struct span *s);

/* A process: its executable, its rank if it has one, and the host if there are several. Free it. */
char *label_process(const struct recording *r, const struct process *p, size_t *ret_size);

/* A thread: its number and name, and the process if there are several. Free it. */
char *label_thread(const struct recording *r, const struct process *p, uint32_t tid,
                   size_t *ret_size);

/* A range of any domain: domain:message, the bare message in the default domain. Free it. */
char *label_range(const struct recording *r, uint32_t domain_name, uint32_t text, size_t *ret_size);

/* A number that no other process of the recording has: its pid, if no other has that. */
uint32_t label_pid(const struct process *p);

#endif /* NVTXH_EXPORT_LABELS_H */
