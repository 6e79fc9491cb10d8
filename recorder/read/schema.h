/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_SCHEMA_H
#define NVTXH_READ_SCHEMA_H
/* The payload definitions of a process: schemas, enums, counters, resources. */
#include "../base/map.h"
#include "../format/format.h"

struct texts;

struct schema_entry {
    uint64_t flags, type, detail, offset; /* as NVTX has them; detail: arrayOrUnionDetail */
    uint32_t name, description, unit;     /* texts */
    uint64_t time, scope;                 /* of a timestamp: its time domain and scope; 0: not given */
};

#define SCHEMA_DEPTH 8 /* most levels of schemas within schemas */

struct schema {
    uint64_t number;
    uint32_t domain, name;
    uint64_t type, flags, static_size, pack_align; /* as NVTX has them */
    struct schema_entry *entries;
    struct rec_enum_entry *values; /* of an enum; name_size holds the number of the name */
    uint32_t count;                /* of entries or values */
    uint32_t enum_size;            /* in bytes; 0: not an enum */
    bool inner;                    /* is part of another schema */
    struct schema_size {
        uint64_t size, align; /* 0: not known */
        bool found;
    } * sizes; /* by depth, computed by payload.c; SCHEMA_DEPTH + 1 of them */
};

struct counter {
    uint64_t schema;             /* number of the schema of its samples, or a predefined type */
    uint32_t domain, name, unit; /* name and unit: texts */
};

struct schemas {
    struct schema *all;
    size_t count, room;
    struct map index; /* domain and number of a schema -> index in `all` */
    struct counter *counters;
    size_t counter_count, counter_room;
    struct map counter_index; /* domain and number of a counter -> index in `counters` */
    struct map resources;     /* number -> text of its name */
};

/* Takes a record from the stream of definitions if it defines a schema, enum, counter or resource. */
void schemas_take(struct schemas *s, struct texts *texts, const struct map *registered, enum rec_kind kind, uint32_t id,
                  uint32_t domain, const char *body, size_t size);

/* Call it after the last record. */
void schemas_ready(struct schemas *s);

/* Return the schema or counter that has a number; NULL if there is none. */
const struct schema *schemas_find(const struct schemas *s, uint32_t domain, uint64_t number);
const struct counter *schemas_counter(const struct schemas *s, uint32_t domain, uint64_t number);

void schemas_free(struct schemas *s);

#endif /* NVTXH_READ_SCHEMA_H */
