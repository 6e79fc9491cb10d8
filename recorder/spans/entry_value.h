/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SPANS_ENTRY_VALUE_H
#define NVTXH_SPANS_ENTRY_VALUE_H
/* The values of entries whose types are predefined. */
#include "../read/recording.h"
#include "../source/value.h"

/* The value of an entry whose type is predefined: a number or a registered string. All of its bytes must be there. */
struct value value_of_entry(const struct recording *r, const struct process *p, uint64_t type,
                            const char *at);

/* The characters of an entry up to a zero, as UTF-8. The caller frees them. */
char *value_characters(uint64_t type, const char *at, size_t size, size_t *ret_size);

/* The first `size` bytes, at most eight, as an unsigned number. */
uint64_t value_bits(const char *at, size_t size);

#endif /* NVTXH_SPANS_ENTRY_VALUE_H */
