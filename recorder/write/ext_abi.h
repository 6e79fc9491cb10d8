/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* NVTX 3.2's extensions: payloads with a schema, counters. The structs and numbers
 * are the interface between NVTX and tools, repeated here so that the recorder builds with the
 * headers of NVTX 3.0. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Structs contain their size, so that newer callers may pass longer structs. A size above four
 * times today's is garbage: the caller did not fill in the struct, so no member can be trusted. */
static inline bool ext_size_is_plausible(size_t said, size_t today) {
    return said >= today && said / 4 <= today;
}

/* One payload of an event. `size` may be SIZE_MAX for a text, which then ends at its terminator. */
struct ext_data {
    uint64_t schema;
    size_t size;
    const void *payload;
};

struct ext_semantics {
    uint32_t size;
    uint16_t semantic, version;
    const struct ext_semantics *next;
};

enum { EXT_SEMANTIC_COUNTER = 5 };

struct ext_entry {
    uint64_t flags, type;
    const char *name, *description;
    uint64_t detail, offset;
    const struct ext_semantics *semantics;
    const void *reserved;
};

struct ext_schema {
    uint64_t fields; /* EXT_SCHEMA_... */
    const char *name;
    uint64_t type, flags;
    const struct ext_entry *entries;
    size_t entry_count, static_size, pack_align;
    uint64_t schema;
    void *extension;
};

struct ext_enum_entry {
    const char *name;
    uint64_t value;
    int8_t is_flag;
};

struct ext_enum {
    uint64_t fields; /* EXT_ENUM_... */
    const char *name;
    const struct ext_enum_entry *entries;
    size_t entry_count, size;
    uint64_t schema;
    void *extension;
};

struct ext_scope {
    size_t struct_size;
    const char *path;
    uint64_t parent, scope;
};

struct ext_counter {
    size_t struct_size;
    uint64_t schema;
    const char *name, *description;
    uint64_t scope;
    const struct ext_semantics *semantics;
    uint64_t counter;
};

struct ext_samples {
    uint64_t counter;
    const void *samples;
    size_t samples_size;
    uint64_t flags;
    const int64_t *timestamps;
    size_t timestamps_size;
};

enum {
    EXT_SCHEMA_NAME = 1 << 1,
    EXT_SCHEMA_TYPE = 1 << 2,
    EXT_SCHEMA_FLAGS = 1 << 3,
    EXT_SCHEMA_ENTRIES = 1 << 4,
    EXT_SCHEMA_ENTRY_COUNT = 1 << 5,
    EXT_SCHEMA_STATIC_SIZE = 1 << 6,
    EXT_SCHEMA_PACK_ALIGN = 1 << 7,
    EXT_SCHEMA_SCHEMA = 1 << 8,

    EXT_ENUM_NAME = 1 << 1,
    EXT_ENUM_ENTRIES = 1 << 2,
    EXT_ENUM_ENTRY_COUNT = 1 << 3,
    EXT_ENUM_SIZE = 1 << 4,
    EXT_ENUM_SCHEMA = 1 << 5,
};

enum { EXT_MEMORY = 1, EXT_PAYLOAD = 2, EXT_COUNTER = 4 };

/* The numbers of the extensions' functions, with names like those of NVTX's core functions. */
enum {
    NVTX_CBID_PAYLOAD_Schema,
    NVTX_CBID_PAYLOAD_Enum,
    NVTX_CBID_PAYLOAD_Mark,
    NVTX_CBID_PAYLOAD_Push,
    NVTX_CBID_PAYLOAD_Pop,
    NVTX_CBID_PAYLOAD_Start,
    NVTX_CBID_PAYLOAD_End,
    NVTX_CBID_PAYLOAD_Enabled,
    NVTX_CBID_PAYLOAD_Now, /* returns the time on the recorder's clock */
    NVTX_CBID_PAYLOAD_Scope = 12,
    NVTX_CBID_PAYLOAD_SIZE = 18 /* the other functions are about deferred events */
};
enum {
    NVTX_CBID_COUNTER_Counter,
    NVTX_CBID_COUNTER_Integer,
    NVTX_CBID_COUNTER_Double,
    NVTX_CBID_COUNTER_Sample,
    NVTX_CBID_COUNTER_Nothing,
    NVTX_CBID_COUNTER_Samples
};

/* What NVTX passes to a tool: a table, in which the tool puts its functions at their numbers. */
struct ext_segment {
    size_t id, count;
    intptr_t *functions;
};

struct ext_module {
    uint16_t nvtx_version, size;
    uint16_t id;         /* EXT_... */
    uint16_t compatible; /* version of the structs: see entry_ext.c */
    size_t segment_count;
    struct ext_segment *segments;
};
