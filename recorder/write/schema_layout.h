/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_SCHEMA_LAYOUT_H
#define NVTXH_WRITE_SCHEMA_LAYOUT_H
/*
 * Where a payload has pointers that the program wants followed. The data that they point to must be copied when the
 * event is recorded; everything else is left to the readers.
 */
#include "ext_abi.h"

#include <stdint.h>

struct pointer {
    uint64_t offset; /* in the payload */
    uint64_t unit;   /* size of the target, or of one element of it */
    uint64_t count;  /* number of elements; 0: up to the first that is zero */
    uint64_t length_offset;
    uint32_t length_size; /* in bytes; not 0: the payload has the count at length_offset */
};

struct schema_layout {
    struct schema_layout *next;
    uint32_t domain;
    uint32_t align;
    uint64_t schema;
    uint64_t size; /* 0: not known */
    size_t pointer_count;
    const struct pointer *pointers;
};

/* Adds a layout for schema_layout_find; counts pointers that cannot be followed. */
void schema_layout_add(uint32_t domain, uint64_t schema, const struct ext_schema *s);
void schema_layout_add_enum(uint32_t domain, uint64_t schema, size_t size);

/* NULL if there is none. Takes no lock. */
const struct schema_layout *schema_layout_find(uint32_t domain, uint64_t schema);

#endif /* NVTXH_WRITE_SCHEMA_LAYOUT_H */
