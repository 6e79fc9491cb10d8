/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_INJECT_SCHEMA_H
#define NVTXH_INJECT_SCHEMA_H
#include "buffer.h"
#include "extension.h"

/* Adds a list of semantics as rec_semantics; returns their size. */
uint32_t schema_add_semantics(struct buffer *b, const struct ext_semantics *s);

/* Returns the counter's number, 0 if it cannot be kept. */
uint64_t schema_register_counter(void *domain, const struct ext_counter *c);

#endif /* NVTXH_INJECT_SCHEMA_H */
