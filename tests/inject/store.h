/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_STORE_H
#define NVTXH_TEST_STORE_H

/* The interface between the two halves of the tool. */
#include "log.h"

void log_lock(void);
void log_unlock(void);
/* Writes EVENT down; its strings have to live for ever. Needs the lock. */
void log_add(const struct log_event *event);
void log_call_hook(enum log_kind kind);
/* The name of a category in a domain, or NULL. Needs the lock. */
const char *log_category(const char *domain, uint32_t category);
/* One line of text for an event, without a newline. */
char *log_line(const struct log_event *event, int64_t first_id);

#endif
