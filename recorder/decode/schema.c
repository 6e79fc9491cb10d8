/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "schema.h"
#include "../util/memory.h"
#include "../util/string_table.h"
#include "../analysis/source.h"
#include "cursor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The part of a record's body that is still to be read. */
struct rest {
    const char *at;
    size_t size;
};

static bool parse_bytes(struct rest *r, void *ret, size_t size) {
    if (r->size < size) {
        return false;
    }
    memcpy(ret, r->at, size);
    r->at += size;
    r->size -= size;
    return true;
}

/* Takes the next `size` bytes, or as many as there are. */
static struct rest part(struct rest *r, size_t size) {
    struct rest part = {r->at, size < r->size ? size : r->size};

    r->at += part.size;
    r->size -= part.size;
    return part;
}

static uint32_t parse_entry_text(struct rest *r, struct string_table *strings, size_t size) {
    struct rest text = part(r, size);
    return text.size ? string_table_add(strings, text.at, text.size) : 0;
}

/* A number from 2^32 on was chosen by the recorder, and is valid in the whole process. A smaller
 * number was chosen by the program for one domain, so its key has the domain, too. */
static uint64_t key_of_schema(uint32_t domain, uint64_t number) {
    return number >> 32 ? number & ~(UINT64_C(1) << 63)
                        : UINT64_C(1) << 63 | (uint64_t)domain << 32 | number;
}

static void add_schema(struct schemas *s, const struct schema *schema) {
    *map_add(&s->index, key_of_schema(schema->domain, schema->number), 0) = s->count;
    *ARRAY_NEW(s->all, s->count, s->capacity) = *schema;
}

static void parse_schema(struct schemas *s, struct string_table *strings, uint32_t domain,
                         struct rest r) {
    struct rec_schema head;

    if (!parse_bytes(&r, &head, sizeof(head)) ||
        head.entry_count > r.size / sizeof(struct rec_schema_entry)) {
        return;
    }
    struct schema schema = {.number = head.schema,
                            .domain = domain,
                            .type = head.type,
                            .static_size = head.static_size,
                            .pack_align = head.pack_align,
                            .count = head.entry_count,
                            .is_hidden = head.entry_count > 0};
    struct rest entries = part(&r, head.entry_count * sizeof(struct rec_schema_entry));
    schema.name = parse_entry_text(&r, strings, head.name_size);
    schema.entries = must_alloc(NULL, head.entry_count, sizeof(*schema.entries));
    for (uint32_t i = 0; i < head.entry_count; i++) {
        struct rec_schema_entry e;
        if (!parse_bytes(&entries, &e, sizeof(e))) {
            break;
        }
        schema.entries[i] = (struct schema_entry){
            .flags = e.flags, .type = e.type, .detail = e.detail, .offset = e.offset};
        schema.entries[i].name = parse_entry_text(&r, strings, e.name_size);
        schema.is_hidden &= (e.flags & REC_ENTRY_HIDE) != 0;
        schema.entries[i].unit = parse_entry_text(&r, strings, e.unit_size);
    }
    add_schema(s, &schema);
}

ARRAY_ORDER(by_value, struct rec_enum_entry,
            ORDER(x->value, y->value) ?: ORDER(x->is_flag, y->is_flag))

/* Sorts an enum's values. Of those that are equal the first is kept: it gives the name. */
static void sort_enum(struct schema *s) {
    uint32_t kept = 0;

    for (uint32_t i = 0; i < s->count; i++) {
        s->has_negative |= (int64_t)s->values[i].value < 0;
        s->values[i].value = schema_enum_bits(s, s->values[i].value);
        s->values[i].is_flag = i; /* not needed; here, the order in which they were given */
    }
    ARRAY_SORT(s->values, s->count, by_value);
    for (uint32_t i = 0; i < s->count; i++) {
        if (!kept || s->values[i].value != s->values[kept - 1].value) {
            s->values[kept++] = s->values[i];
        }
    }
    s->count = kept;
}

static void parse_enum(struct schemas *s, struct string_table *strings, uint32_t domain,
                       struct rest r) {
    struct rec_enum head;

    if (!parse_bytes(&r, &head, sizeof(head)) ||
        head.entry_count > r.size / sizeof(struct rec_enum_entry) || !head.size || head.size > 8) {
        return;
    }
    struct schema schema = {
        .number = head.schema, .domain = domain, .enum_size = head.size, .count = head.entry_count};
    schema.values = must_alloc(NULL, head.entry_count, sizeof(*schema.values));
    for (uint32_t i = 0;
         i < head.entry_count && parse_bytes(&r, &schema.values[i], sizeof(*schema.values)); i++) {
    }
    schema.name = parse_entry_text(&r, strings, head.name_size);
    for (uint32_t i = 0; i < head.entry_count; i++) {
        schema.values[i].name_size = parse_entry_text(&r, strings, schema.values[i].name_size);
    }
    sort_enum(&schema);
    add_schema(s, &schema);
}

static void parse_counter(struct schemas *s, struct string_table *strings, uint32_t domain,
                          struct rest r) {
    struct rec_counter head;

    if (!parse_bytes(&r, &head, sizeof(head))) {
        return;
    }
    struct counter c = {.schema = head.schema, .domain = domain};
    c.name = parse_entry_text(&r, strings, head.name_size);
    c.unit = parse_entry_text(&r, strings, head.unit_size);
    *map_add(&s->counter_index, key_of_schema(domain, head.counter), 0) = s->counter_count;
    *ARRAY_NEW(s->counters, s->counter_count, s->counter_capacity) = c;
}

/* The upper 16 bits of a type are its class in NVTX: 4 for nvToolsExtCuda.h, 5 for
 * nvToolsExtCudaRt.h, 6 for nvToolsExtOpenCL.h. */
const char *schemas_resource_type(uint32_t type) {
    static const char *const names[][8] = {
        [4] = {NULL, "CUDA device", "CUDA context", "CUDA stream", "CUDA event"},
        [5] = {"CUDA device", "CUDA stream", "CUDA event"},
        [6] = {NULL, "OpenCL device", "OpenCL context", "OpenCL queue", "OpenCL memory",
               "OpenCL sampler", "OpenCL program", "OpenCL event"},
    };
    uint32_t class = type >> 16, number = type & 0xffff;
    const char *known =
        class < sizeof(names) / sizeof(*names) && number < 8 ? names[class][number] : NULL;

    return known ? known : "resource";
}

/* From `ticks` on, the scope with this path has this name. If the scope's only name so far is its
 * path, the new name replaces the path. */
static void name_scope(struct schemas *s, uint32_t path, uint32_t name, uint64_t ticks) {
    uint64_t *last = map_find(&s->latest, path);
    struct scope_name new = {name, last ? (uint32_t)*last : 0, ticks},
                      *before = last ? &s->names[*last - 1] : NULL;

    if (before && before->name == path) {
        before->name = name;
    } else if (!before || (name != path && name != before->name)) {
        *ARRAY_NEW(s->names, s->name_count, s->name_capacity) = new;
        *map_add(&s->latest, path, 0) = s->name_count;
    }
}

enum { PARENT_MOST = 4096 }; /* bytes; the longest path that is put before another one */

static void parse_scope(struct schemas *s, struct string_table *strings, uint32_t domain,
                        struct rest r) {
    static const struct str slash = {.bytes = (char *)"/", .size = 1};
    struct rec_scope head;

    if (!parse_bytes(&r, &head, sizeof(head))) {
        return;
    }
    uint32_t path = parse_entry_text(&r, strings, r.size);
    if (!path) {
        return; /* without a path the scope has no lane, because a lane needs a name */
    }
    uint64_t *parent =
        head.parent != head.scope ? map_find(&s->scopes, key_of_schema(domain, head.parent)) : NULL;
    /* The path of the parent scope is put before a scope's path, but only if the parent's is short:
     * else memory would grow with the square of the depth to which scopes are nested. */
    if (parent && string_table_at(strings, (uint32_t)*parent)->size <= PARENT_MOST) {
        size_t size;
        char *whole =
            str_join((const struct str *const[]){string_table_at(strings, (uint32_t)*parent),
                                                 &slash, string_table_at(strings, path)},
                     3, &size);
        path = string_table_add(strings, whole, size);
        free(whole);
    }
    *map_add(&s->scopes, key_of_schema(domain, head.scope), 0) = path;
    name_scope(s, path, path, 0);
}

static void parse_resource(struct schemas *s, struct string_table *strings,
                           const struct map *registered, uint32_t id, uint64_t ticks,
                           struct rest r) {
    struct rec_resource head;
    char path[64];

    if (parse_bytes(&r, &head, sizeof(head))) {
        uint64_t *known = head.name ? map_find(registered, head.name & ~REC_TEXT_REGISTERED) : NULL;
        uint32_t text = known ? (uint32_t)*known : parse_entry_text(&r, strings, r.size);
        *map_add(&s->resources, id, text) = text;
        int size = snprintf(path, sizeof(path), "%s 0x%" PRIx64, schemas_resource_type(head.type),
                            head.identifier);
        name_scope(s, string_table_add(strings, path, (size_t)size), text, ticks);
    }
}

void schemas_parse(struct schemas *s, struct string_table *strings, const struct map *registered,
                   const struct record *rec) {
    struct rest r = {rec->body, rec->size};

    if (rec->kind == REC_SCHEMA) {
        parse_schema(s, strings, rec->domain, r);
    } else if (rec->kind == REC_ENUM) {
        parse_enum(s, strings, rec->domain, r);
    } else if (rec->kind == REC_COUNTER) {
        parse_counter(s, strings, rec->domain, r);
    } else if (rec->kind == REC_SCOPE) {
        parse_scope(s, strings, rec->domain, r);
    } else if (rec->kind == REC_RESOURCE) {
        parse_resource(s, strings, registered, rec->id, rec->ticks, r);
    }
}

static void name_lanes(const struct schemas *s, struct source_names *threads) {
    struct map_slot *scopes = map_sorted(&s->scopes);

    for (size_t i = 0; i < s->scopes.count; i++) {
        for (uint64_t n = *map_find(&s->latest, scopes[i].value); n; n = s->names[n - 1].before) {
            source_name_add(threads, 0, SOURCE_LANES + (uint32_t)n, s->names[n - 1].name);
        }
    }
    free(scopes);
}

void schemas_ready(struct schemas *s, struct source_names *threads) {
    name_lanes(s, threads);
    for (size_t i = 0; i < s->count; i++) {
        if (!s->all[i].enum_size) {
            size_t size = (SCHEMA_DEPTH + 1) * sizeof(*s->all[i].sizes);
            s->all[i].sizes = memset(must_alloc(NULL, size, 1), 0, size);
        }
        for (uint32_t k = 0; !s->all[i].enum_size && k < s->all[i].count; k++) {
            uint64_t *inner =
                map_find(&s->index, key_of_schema(s->all[i].domain, s->all[i].entries[k].type));
            if (inner) {
                s->all[*inner].inner = true;
            }
        }
    }
}

const struct schema *schemas_find(const struct schemas *s, uint32_t domain, uint64_t number) {
    uint64_t *i = map_find(&s->index, key_of_schema(domain, number));
    return i && s->all[*i].number == number ? &s->all[*i] : NULL;
}

uint32_t schemas_scope(const struct schemas *s, uint32_t domain, uint64_t number) {
    uint64_t *path = map_find(&s->scopes, key_of_schema(domain, number));
    return path ? (uint32_t)*map_find(&s->latest, *path) : 0;
}

const struct counter *schemas_counter(const struct schemas *s, uint32_t domain, uint64_t number) {
    uint64_t *i = map_find(&s->counter_index, key_of_schema(domain, number));
    return i ? &s->counters[*i] : NULL;
}

void schemas_free(struct schemas *s) {
    for (size_t i = 0; i < s->count; i++) {
        free(s->all[i].entries);
        free(s->all[i].values);
        free(s->all[i].sizes);
    }
    free(s->all);
    free(s->counters);
    map_free(&s->index);
    map_free(&s->counter_index);
    map_free(&s->resources);
    map_free(&s->scopes);
    map_free(&s->latest);
    free(s->names);
    *s = (struct schemas){0};
}
