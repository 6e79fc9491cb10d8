/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_DEFINITIONS_H
#define NVTXH_WRITE_DEFINITIONS_H
/*
 * The registry's table: definitions by a hash, in an arena. Another thread may fork between any two lines here, and the
 * child continues with the state at that moment. So each change of the table is one store. Call these functions with
 * the registry locked.
 */
#include "../format/format.h"

#include <stddef.h>
#include <stdint.h>

struct definition {
    enum rec_kind kind;
    uint32_t domain, id;
    uint32_t size; /* of the body */
    char body[];
};

/* Keeps a copy of the body. NULL: there is no memory. */
struct definition *definitions_add(uint32_t hash, enum rec_kind kind, uint32_t domain, uint32_t id,
                                   const void *body, size_t size);

/* The place of the next definition with that hash; NULL after the last. *cursor is 0 for the first. */
struct definition **definitions_next(uint32_t hash, size_t *cursor);

/* Forgets a definition. */
void definitions_drop(struct definition **place);

/* All definitions, in no order; NULL after the last. *cursor is 0 for the first. */
const struct definition *definitions_each(size_t *cursor);

/* The registered string of that number; NULL if there is none. */
const struct definition *definitions_string(uint32_t id);

#endif /* NVTXH_WRITE_DEFINITIONS_H */
