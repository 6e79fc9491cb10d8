/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_SCALAR_H
#define NVTXH_READ_SCALAR_H
/* Values of predefined types. */
#include "payload_decode.h"

/* The first bytes, at most eight, as a number. */
uint64_t scalar_bits(const char *at, size_t size);

/* A number or a registered string, of which all bytes must be there. */
struct extended_value scalar_number(const struct recording *r, const struct process *p,
                                    uint64_t type, const char *at);

/* Characters up to a zero, as UTF-8. Free it. */
char *scalar_text(uint64_t type, const char *at, size_t size, size_t *ret_size);

#endif /* NVTXH_READ_SCALAR_H */
