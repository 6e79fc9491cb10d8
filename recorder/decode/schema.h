/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* What a process has defined for its payloads: schemas (layouts of structs), enums, counters,
 * scopes and resources; and functions that read payloads with schemas. */
#include "../util/map.h"
#include "../format/entry_type.h"
#include "../format/format.h"

struct process;
struct record;
struct recording;
struct source_names;
struct string_table;

struct schema_entry {
    uint64_t flags, type, detail, offset; /* NVTX's values; detail: arrayOrUnionDetail */
    uint32_t name, unit;                  /* strings */
};

#define SCHEMA_DEPTH 8 /* most levels of schemas within schemas */

struct schema {
    uint64_t number;
    uint32_t domain, name;
    uint64_t type, static_size, pack_align; /* NVTX's values */
    struct schema_entry *entries;
    /* Of an enum, sorted. Here, `value` is schema_enum_bits, and `name_size` a text: its name. */
    struct rec_enum_entry *values;
    uint32_t count;     /* of entries or values */
    uint32_t enum_size; /* in bytes; 0: not an enum */
    bool inner;         /* is part of another schema */
    bool has_negative;  /* one of the enum's values is negative */
    bool is_hidden;     /* all entries are marked as hidden, so it is not shown either */
    struct schema_size {
        uint64_t size, align; /* 0: not known */
        bool found;
    } * sizes; /* by depth of nesting: SCHEMA_DEPTH + 1 elements, set by payload.c */
};

struct counter {
    uint64_t schema;             /* number of the schema of its samples, or a predefined type */
    uint32_t domain, name, unit; /* name and unit: strings */
};

/* A name of a scope. Ranges in the scope are shown on a lane, which looks like a thread. The lane
 * of schemas.names[i] has the number SOURCE_LANES + i + 1. */
struct scope_name {
    uint32_t name;   /* a text; the scope's path, while the scope has no other name */
    uint32_t before; /* index + 1 in schemas.names of the scope's earlier name; 0: none */
    uint64_t ticks;  /* when the scope got this name */
};

struct schemas {
    struct schema *all;
    size_t count, capacity;
    struct map index; /* domain and number of a schema -> index in `all` */
    struct counter *counters;
    size_t counter_count, counter_capacity;
    struct map counter_index; /* domain and number of a counter -> index in `counters` */
    struct map resources;     /* number of a resource -> text of its name */
    struct map scopes;        /* domain and number of a scope -> text of its path */
    struct map latest;        /* text of a scope's path -> index + 1 in `names` of its last name */
    /* names of scopes; a resource (see schemas_resource_type) counts as a scope: see FORMAT.md */
    struct scope_name *names;
    size_t name_count, name_capacity;
};

/* Stores a schema, enum, counter, scope or resource. Ignores other records of definitions. */
void schemas_parse(struct schemas *s, struct string_table *strings, const struct map *registered,
                   const struct record *rec);

/* Call it after the last schemas_parse. Adds the names of lanes to `threads`. */
void schemas_ready(struct schemas *s, struct source_names *threads);

/* The name of a type of resources, for example "CUDA stream". */
const char *schemas_resource_type(uint32_t type);

/* The index in `names`, plus 1, of the last name of a scope; 0: the scope was not registered. */
uint32_t schemas_scope(const struct schemas *s, uint32_t domain, uint64_t number);

/* The bits of a value that an enum's size includes, as a number to compare. The other bits are 1 in
 * a negative value of the schema, but always 0 in one that was read from a payload. */
static inline uint64_t schema_enum_bits(const struct schema *s, uint64_t value) {
    return value << (64 - 8 * s->enum_size);
}

/* Return the schema or the counter with this number; NULL if there is none. */
const struct schema *schemas_find(const struct schemas *s, uint32_t domain, uint64_t number);
const struct counter *schemas_counter(const struct schemas *s, uint32_t domain, uint64_t number);

void schemas_free(struct schemas *s);

/* --- payloads --------------------------------------------------------------------------------- */

/* In the file, an event's payloads with schemas follow each other as blobs. A blob is a struct
 * rec_blob and the payload, in which the schema's entries lie like the members of a C struct.
 * payload_read reads an event's blobs, `size` bytes at offset `place`; free them. NULL: failure. */
char *payload_read(struct recording *r, uint64_t place, uint64_t size);

/* Returns the payload of the blob at *at, and moves *at behind the blob. NULL: no blob is there. */
const char *payload_blob_next(const char *blobs, size_t size, size_t *at, struct rec_blob *ret);

/* A pointer in a payload points to `address` in the program. Finds the copy of the data there.
 * *ret_size: bytes from `address` to the end of the copy. Adds the number of blobs before it to
 * *ret_searched. NULL: the data was not copied. */
const char *payload_blob_copy(const char *blobs, size_t size, uint64_t address, size_t *ret_size,
                              size_t *ret_searched);

/* Size of a type of any kind in bytes; 0: not known. */
uint64_t payload_type_size(const struct process *p, uint32_t domain, uint64_t type);

/* Whether an entry is a pointer, whose data may have been copied. */
static inline bool payload_entry_is_pointer(const struct schema_entry *e) {
    return rec_entry_is_pointer(e->flags, e->type, e->detail);
}

/* How many elements an entry has in the struct itself; 0: the schema does not fix the number, so
 * the payload's size limits it. */
uint64_t payload_entry_count(const struct schema_entry *e);

/* Sets *ret_at to the offset of entry `i` in its struct: the offset that the schema gives or,
 * without one, where a C compiler would place the entry. *cursor is the end of entry i - 1, and
 * becomes the end of entry i. *largest becomes the largest alignment so far. `depth`: in how many
 * other schemas `s` is nested. False: the offset is not known. */
bool payload_entry_next(const struct process *p, const struct schema *s, uint32_t i,
                        uint64_t *cursor, uint64_t *ret_at, uint64_t *largest, unsigned depth);
