/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_LAYOUT_H
#define NVTXH_READ_LAYOUT_H
/* Where the entries of a schema lie in a payload. */
#include "recording.h"

/* NVTX's numbers: NVTX_PAYLOAD_ENTRY_FLAG_..., NVTX_PAYLOAD_ENTRY_TYPE_... */
enum {
    FLAG_POINTER = 1 << 1,
    FLAG_OFFSETS = 1 << 2 | 1 << 3,
    FLAG_ARRAY = 7 << 4,
    ARRAY_FIXED = 1 << 4,
    ARRAY_ZERO = 2 << 4,
    ARRAY_LENGTH = 3 << 4,
    FLAG_DEEP_COPY = 1 << 8,
    FLAG_HIDE = 1 << 9,
    FLAG_EVENT_MASK = 3 << 10,
    FLAG_MESSAGE = 1 << 10,
};
enum { TYPE_TEXT = 75, TYPE_TEXT_LAST = 78, TYPE_REGISTERED = 80, TYPE_SCHEMA = 1 << 24 };

/* A predefined type: its size in bytes (0: there is none), and what it is: unsigned, integer, float,
 * half of a float, text, registered string, or other bytes. */
struct type {
    uint8_t size;
    char what;
};
struct type type_of(uint64_t number);

#define LAYOUT_DEPTH 8 /* of schemas in schemas */

/* Size of a type of any kind in bytes; 0: not known. */
uint64_t extended_size(const struct process *p, uint32_t domain, uint64_t type);

/* Whether an entry is a pointer, to something that was perhaps copied. */
bool layout_is_pointer(const struct schema_entry *e);

/* Elements of an entry that stands in the struct itself; 0: as many as there is room for. */
uint64_t layout_count(const struct schema_entry *e);

/* The place of the next entry, from `cursor` on, which is moved: as a C compiler lays out a struct,
 * unless an offset is given. False: not known. `depth` is that of the schema. */
bool layout_place(const struct process *p, const struct schema *s, uint32_t i, uint64_t *cursor,
                  uint64_t *ret_at, uint64_t *largest, unsigned depth);

#endif /* NVTXH_READ_LAYOUT_H */
