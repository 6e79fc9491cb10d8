/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_PAYLOAD_REGISTER_H
#define NVTXH_PAYLOAD_REGISTER_H

/* Registers a schema (the layout of a struct or enum) with the tool, once for each domain, before
 * the schema's first event in the domain. The hash table of registered schemas only grows, so that
 * events look up a schema's id without a lock. Registering takes the linked object's lock. Not
 * API. */

#include "../impl/all.h"
#include "../impl/nvtx_payload.h"
#include "types.h"

#if defined(NVTXH_REQUIRE_EXTENSIONS) && !NVTXH_I_EXTENSIONS
#error                                                                                             \
    "nvtxh: NVTXH_REQUIRE_EXTENSIONS is defined, and these NVTX headers have no payload and counter extensions: they are older than 3.2. Use newer ones, or leave it undefined to make do with a 64-bit payload."
#endif

/* What is known of a schema, or of a reference to one (types.h), in one domain. */
struct NVTXH_I_HIDDEN_TYPE nvtxh_i_known {
    struct nvtxh_i_known *next;
    const void *key; /* see nvtxh_i_schema_key() */
    struct nvtxh_domain *domain;
    const struct nvtxh_i_schema *schema; /* NULL: there is none for the reference */
    uint64_t id;                         /* the tool's id; 0: the tool does not have the schema */
    bool deep;                           /* the struct, or a struct nested in it, has strings */
    void *given; /* memory of the entries that were registered: the tool may point to it */
};

NVTXH_I_C_BEGIN

enum { NVTXH_I_SCHEMA_BUCKETS = 64 };
NVTXH_I_LINKONCE struct nvtxh_i_known *nvtxh_i_schemas[NVTXH_I_SCHEMA_BUCKETS] NVTXH_I_LINKED(
    "schemas");
extern const struct nvtxh_i_schema __start_nvtxh_schemas[] NVTXH_I_LINKONCE;
extern const struct nvtxh_i_schema __stop_nvtxh_schemas[] NVTXH_I_LINKONCE;
NVTXH_I_PUBLIC void nvtxh_i_schemas_unload(void) NVTXH_I_LINKED("schemas_unload")
    __attribute__((__destructor__));

/* The key of OF, which is a schema or a reference to one: OF's address, or, for a group of
 * counters, that address + 1. */
static inline const void *nvtxh_i_schema_key(const void *of, bool group) {
    return (const char *)of + group;
}

static inline struct nvtxh_i_known **nvtxh_i_schema_bucket(const void *key,
                                                           const struct nvtxh_domain *domain) {
    uintptr_t hash = ((uintptr_t)key >> 3) + ((uintptr_t)domain >> 4);

    return &nvtxh_i_schemas[(hash + (hash >> 6)) % NVTXH_I_SCHEMA_BUCKETS];
}

static inline const struct nvtxh_i_known *nvtxh_i_schema_known(const void *key,
                                                               const struct nvtxh_domain *domain) {
    const struct nvtxh_i_known *known =
        __atomic_load_n(nvtxh_i_schema_bucket(key, domain), __ATOMIC_ACQUIRE);

    while (known && (known->key != key || known->domain != domain)) {
        known = known->next;
    }
    return known;
}

/* Under the lock. Makes a record, which nvtxh_i_schema_publish() puts into the table. NULL: no
 * memory. */
static inline struct nvtxh_i_known *nvtxh_i_schema_new(const void *key, struct nvtxh_domain *domain,
                                                       const struct nvtxh_i_schema *schema) {
    struct nvtxh_i_known *known = (struct nvtxh_i_known *)calloc(1, sizeof(struct nvtxh_i_known));

    if (known) {
        known->key = key;
        known->domain = domain;
        known->schema = schema;
    }
    return known;
}

/* Under the lock. Puts a record into the table, where events find it. */
static inline void nvtxh_i_schema_publish(struct nvtxh_i_known *known) {
    struct nvtxh_i_known **bucket = nvtxh_i_schema_bucket(known->key, known->domain);

    known->next = *bucket;
    __atomic_store_n(bucket, known, __ATOMIC_RELEASE);
}

NVTXH_I_INLINE_LOCAL const struct nvtxh_i_schema_ref *nvtxh_i_ref_of(
    const struct nvtxh_i_made_by_nvtxh_payload *type) {
    return &((const struct nvtxh_i_payload_ref *)type)->of;
}

/* Finds the schema of a reference. NULL: there is none. */
static inline const struct nvtxh_i_schema *nvtxh_i_schema_find(
    const struct nvtxh_i_schema_ref *ref) {
    const struct nvtxh_i_schema *schema;

    if (ref->find) {
        return ref->find();
    }
    if (ref->number > 1) {
        for (schema = __start_nvtxh_schemas; schema < __stop_nvtxh_schemas; schema++) {
            if (schema->number == ref->number && !strcmp(schema->file, ref->file)) {
                return schema;
            }
        }
    }
    return NULL;
}

/* Frees the table when the linked object is unloaded, but not at exit: see nvtxh_i_on_unload. */
NVTXH_I_LINKONCE void nvtxh_i_schemas_unload(void) {
    struct nvtxh_i_known *known, *next;
    size_t i;

    if (nvtxh_i_object.exiting) {
        return;
    }
    for (i = 0; i < NVTXH_I_SCHEMA_BUCKETS; i++) {
        for (known = nvtxh_i_schemas[i]; known; known = next) {
            next = known->next;
            free(known->given);
            free(known);
        }
        nvtxh_i_schemas[i] = NULL;
    }
}

NVTXH_I_COLD const struct nvtxh_i_known *nvtxh_i_schema_register(
    const struct nvtxh_i_schema *schema, struct nvtxh_domain *domain, bool group);

#if NVTXH_I_EXTENSIONS

/* Fills in the unit and the limits of a counter or of a field that is a number. False: OPTIONS has
 * neither a unit nor limits. */
static inline bool nvtxh_i_semantics(nvtxSemanticsCounter_t *semantics,
                                     const struct nvtxh_i_options *options, uint32_t type) {
    double min = options->min, max = options->max;
    bool limits = min < max || max < min;

    memset(semantics, 0, sizeof(*semantics));
    semantics->header.structSize = sizeof(*semantics);
    semantics->header.semanticId = NVTX_SEMANTIC_ID_COUNTERS_V1;
    semantics->header.version = NVTX_COUNTER_SEMANTIC_VERSION;
    semantics->unit = options->unit;
    semantics->unitScaleNumerator = 1;
    semantics->unitScaleDenominator = 1;
    if (!limits) {
        return options->unit != NULL;
    }
    semantics->flags = NVTX_COUNTER_FLAG_LIMITS;
    if (type == NVTX_PAYLOAD_ENTRY_TYPE_UINT64) {
        semantics->limitType = NVTX_COUNTER_LIMIT_U64;
        semantics->min.u64 = (uint64_t)min;
        semantics->max.u64 = (uint64_t)max;
    } else if (type && type < NVTX_PAYLOAD_ENTRY_TYPE_UINT64) {
        semantics->limitType = NVTX_COUNTER_LIMIT_I64;
        semantics->min.i64 = (int64_t)min;
        semantics->max.i64 = (int64_t)max;
    } else {
        semantics->limitType = NVTX_COUNTER_LIMIT_F64;
        semantics->min.f64 = min;
        semantics->max.f64 = max;
    }
    return true;
}

/* Under the lock. Registers an enum with the tool. The id stays 0 if the tool refuses the enum. */
static inline void nvtxh_i_enum_register(struct nvtxh_i_known *known) {
    const struct nvtxh_i_schema *schema = known->schema;
    nvtxPayloadEnum_t *values =
        (nvtxPayloadEnum_t *)calloc(schema->count, sizeof(nvtxPayloadEnum_t));
    nvtxPayloadEnumAttr_t attr;
    uint64_t i;

    if (!values) {
        return;
    }
    for (i = 0; i < schema->count; i++) {
        values[i].name = schema->values[i].name;
        values[i].value = (uint64_t)schema->values[i].value;
    }
    known->given = values;
    memset(&attr, 0, sizeof(attr));
    attr.fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_NAME | NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES | NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE;
    attr.name = schema->name;
    attr.entries = values;
    attr.numEntries = schema->count;
    attr.sizeOfEnum = schema->size;
    known->id = nvtxPayloadEnumRegister(nvtxh_i_handle(known->domain), &attr);
}

/* Under the lock. Fills in the entry of a field of the struct IN. False: the field is a struct, and
 * the tool does not have its schema, so the caller leaves the field out. */
static inline bool nvtxh_i_field_entry(const struct nvtxh_i_field *field, struct nvtxh_i_known *in,
                                       nvtxPayloadSchemaEntry_t *entry,
                                       nvtxSemanticsCounter_t *semantics) {
    static const struct nvtxh_i_enumerator bools[] = {{"false", 0}, {"true", 1}};
    static const struct nvtxh_i_schema bool_schema = {NULL, 0, "bool", 1, 2, NULL, bools};
    const struct nvtxh_i_schema *of =
        field->type == NVTXH_I_ENTRY_BOOL ? &bool_schema : nvtxh_i_schema_find(&field->of);
    const struct nvtxh_i_known *known = of ? nvtxh_i_schema_register(of, in->domain, false) : NULL;

    entry->type = field->type == NVTXH_I_ENTRY_BOOL ? NVTX_PAYLOAD_ENTRY_TYPE_UINT8 : field->type;
    if (known && known->id) {
        entry->type = known->id;
        in->deep = in->deep || known->deep;
    }
    entry->name = field->name;
    entry->description = field->options.description;
    entry->offset = field->offset;
    entry->arrayOrUnionDetail = field->count;
    if (field->type == NVTX_PAYLOAD_ENTRY_TYPE_CHAR && field->count) {
        entry->type = NVTX_PAYLOAD_ENTRY_TYPE_CSTRING;
    } else if (field->type == NVTX_PAYLOAD_ENTRY_TYPE_CSTRING) {
        entry->flags = NVTX_PAYLOAD_ENTRY_FLAG_POINTER |
                       NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED |
                       NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY;
        in->deep = true;
    } else if (field->count) {
        entry->flags = NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE;
    }
    if (nvtxh_i_semantics(semantics, &field->options, field->type)) {
        entry->semantics = &semantics->header;
    }
    return entry->type != 0;
}

/* Under the lock. Registers a struct with the tool. The id stays 0 if the tool refuses it. */
static inline void nvtxh_i_struct_register(struct nvtxh_i_known *known, bool group) {
    const struct nvtxh_i_schema *schema = known->schema;
    void *memory =
        calloc(schema->count, sizeof(nvtxPayloadSchemaEntry_t) + sizeof(nvtxSemanticsCounter_t));
    nvtxPayloadSchemaEntry_t *entries = (nvtxPayloadSchemaEntry_t *)memory;
    nvtxSemanticsCounter_t *semantics;
    nvtxPayloadSchemaAttr_t attr;
    uint32_t type;
    size_t n = 0;
    uint64_t i;

    if (!memory) {
        return;
    }
    semantics = (nvtxSemanticsCounter_t *)(void *)(entries + schema->count);
    known->given = memory;
    for (i = 0; i < schema->count; i++) {
        if (nvtxh_i_field_entry(&schema->fields[i], known, &entries[n], &semantics[n])) {
            type = schema->fields[i].type;
            if (group && type >= NVTX_PAYLOAD_ENTRY_TYPE_CHAR &&
                type <= NVTX_PAYLOAD_ENTRY_TYPE_LONGDOUBLE &&
                entries[n].type != NVTX_PAYLOAD_ENTRY_TYPE_CSTRING) {
                entries[n].flags |= NVTX_PAYLOAD_ENTRY_FLAG_COUNTER;
            }
            n++;
        } else {
            memset(&entries[n], 0, sizeof(entries[n]));
        }
    }
    memset(&attr, 0, sizeof(attr));
    attr.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_FLAGS | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
    attr.name = schema->name;
    attr.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
    attr.flags = (known->deep ? NVTX_PAYLOAD_SCHEMA_FLAG_DEEP_COPY : 0u) |
                 (group ? NVTX_PAYLOAD_SCHEMA_FLAG_COUNTER_GROUP : 0u);
    attr.entries = entries;
    attr.numEntries = n;
    attr.payloadStaticSize = schema->size;
    known->id = nvtxPayloadSchemaRegister(nvtxh_i_handle(known->domain), &attr);
}

#endif

/* Under the lock. Registers a schema, if it is not registered yet. GROUP: as a group of counters.
 * NULL: no memory. */
NVTXH_I_COLD const struct nvtxh_i_known *nvtxh_i_schema_register(
    const struct nvtxh_i_schema *schema, struct nvtxh_domain *domain, bool group) {
    const void *key = nvtxh_i_schema_key(schema, group);
    const struct nvtxh_i_known *known = nvtxh_i_schema_known(key, domain);
    struct nvtxh_i_known *fresh;

    if (known) {
        return known;
    }
    fresh = nvtxh_i_schema_new(key, domain, schema);
    if (!fresh) {
        return NULL;
    }
#if NVTXH_I_EXTENSIONS
    if (schema->values) {
        nvtxh_i_enum_register(fresh);
    } else {
        nvtxh_i_struct_register(fresh, group);
    }
#endif
    nvtxh_i_schema_publish(fresh);
    return fresh;
}

/* Does the work of nvtxh_i_schema_of() when a reference is first used in a domain. */
NVTXH_I_COLD const struct nvtxh_i_known *nvtxh_i_schema_use(const void *key,
                                                            const struct nvtxh_i_schema_ref *ref,
                                                            struct nvtxh_domain *domain,
                                                            bool group) {
    const struct nvtxh_i_known *known;
    int cancel = 0, saved_errno = errno;

    /* Fails if this thread has the lock already: this is a signal handler, or the tool, called
     * under the lock to register a schema, say, has called annotated code. */
    if (!nvtxh_i_lock(&cancel)) {
        return NULL;
    }
    known = nvtxh_i_schema_known(key, domain);
    if (!known) {
        const struct nvtxh_i_schema *schema = nvtxh_i_schema_find(ref);
        struct nvtxh_i_known *fresh;

        if (schema) {
            known = nvtxh_i_schema_register(schema, domain, group);
        }
        fresh = nvtxh_i_schema_new(key, domain, known ? known->schema : NULL);
        if (fresh) {
            fresh->id = known ? known->id : 0;
            nvtxh_i_schema_publish(fresh);
        }
        known = fresh;
    }
    nvtxh_i_unlock(cancel);
    errno = saved_errno;
    return known;
}

/* The record of a reference's schema in a domain, made if necessary. NULL: no memory, or this
 * thread has the lock already. */
static inline const struct nvtxh_i_known *nvtxh_i_schema_of(const struct nvtxh_i_schema_ref *ref,
                                                            struct nvtxh_domain *domain,
                                                            bool group) {
    const void *key = nvtxh_i_schema_key(ref, group);
    const struct nvtxh_i_known *known = nvtxh_i_schema_known(key, domain);

    return known ? known : nvtxh_i_schema_use(key, ref, domain, group);
}

NVTXH_I_C_END

#endif
