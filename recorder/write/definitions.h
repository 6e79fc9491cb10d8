/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_DEFINITIONS_H
#define NVTXH_WRITE_DEFINITIONS_H
/*
 * The registry's table: definitions by a hash, in an arena. A fork may happen between any two lines of another thread,
 * and the child goes on with what there is: each change of the table is one store.
 * To be called with the registry locked.
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

/* A copy of the body is kept with it. NULL: there is no memory. */
struct definition *definitions_add(uint32_t hash, enum rec_kind kind, uint32_t domain, uint32_t id,
                                   const void *body, size_t size);

/* The place of the next one with that hash, NULL after the last. *cursor is 0 for the first. */
struct definition **definitions_next(uint32_t hash, size_t *cursor);

/* Forgets one. */
void definitions_drop(struct definition **place);

/* All of them, in no order, NULL after the last. *cursor is 0 for the first. */
const struct definition *definitions_each(size_t *cursor);

/* The registered string of that number; NULL if there is none. */
const struct definition *definitions_string(uint32_t id);

#endif /* NVTXH_WRITE_DEFINITIONS_H */
