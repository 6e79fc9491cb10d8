/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Types and flags of the entries of payload schemas, with which the writer finds pointers and
 * readers decode values. They have NVTX's values: NVTX_PAYLOAD_ENTRY_TYPE_...,
 * NVTX_PAYLOAD_ENTRY_FLAG_..., NVTX_PAYLOAD_SCHEMA_TYPE_... */
#include <stdbool.h>
#include <stdint.h>

enum rec_entry_flag {
    REC_ENTRY_POINTER = 1 << 1,
    REC_ENTRY_OFFSETS = 1 << 2 | 1 << 3, /* the entry holds an offset to its data */
    REC_ENTRY_ARRAY = 7 << 4,            /* mask of the three below */
    REC_ENTRY_ARRAY_FIXED = 1 << 4,
    REC_ENTRY_ARRAY_ZERO = 2 << 4,   /* ends with an element that is zero */
    REC_ENTRY_ARRAY_LENGTH = 3 << 4, /* `detail` is the number of the entry with the length */
    REC_ENTRY_DEEP_COPY = 1 << 8,
    REC_ENTRY_HIDE = 1 << 9,
    REC_ENTRY_EVENT = 3 << 10, /* mask: which part of its event the entry is */
    REC_ENTRY_EVENT_MESSAGE = 1 << 10,
};

enum {
    REC_TYPE_SCOPE = 70,
    REC_TYPE_TEXT_FIRST = 75, /* C strings of 8, 8, 16 and 32 bits per character */
    REC_TYPE_TEXT_LAST = 78,
    REC_TYPE_END = 81,         /* all predefined types are below this */
    REC_TYPE_SCHEMA = 1 << 24, /* from here on: numbers of schemas and enums */
    REC_SCHEMA_UNION = 3,      /* type of a schema; in this and higher types, the entries overlap */
};

enum rec_entry_kind {
    REC_ENTRY_NONE, /* there is no such type */
    REC_ENTRY_UNSIGNED,
    REC_ENTRY_SIGNED,
    REC_ENTRY_FLOAT,
    REC_ENTRY_BFLOAT16,
    REC_ENTRY_CHARACTER,  /* single characters, and the strings made of them */
    REC_ENTRY_REGISTERED, /* handle of a registered string */
    REC_ENTRY_BYTES,      /* anything else */
};

/* `size` is the size and the alignment in bytes; of a text, those of one character. 0: there is no
 * such type. */
struct rec_entry_type {
    uint8_t size;
    uint8_t kind; /* enum rec_entry_kind */
};
struct rec_entry_type rec_entry_type(uint64_t type);

static inline bool rec_entry_is_text(uint64_t type) {
    return type >= REC_TYPE_TEXT_FIRST && type <= REC_TYPE_TEXT_LAST;
}

/* Whether the payload holds a pointer to the entry's data, as for every text without a length. */
static inline bool rec_entry_is_pointer(uint64_t flags, uint64_t type, uint64_t detail) {
    return flags & (REC_ENTRY_POINTER | REC_ENTRY_DEEP_COPY) ||
           (rec_entry_is_text(type) && !detail && !(flags & REC_ENTRY_ARRAY));
}
