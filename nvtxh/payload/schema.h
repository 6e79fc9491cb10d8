/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_PAYLOAD_SCHEMA_H
#define NVTXH_PAYLOAD_SCHEMA_H

/* The schemas registered with the tool, for each domain. Their hash table only grows, so that events look up a schema's
 * id without a lock. Not API. */

#include "types.h"
#include "../impl/all.h"

#if NVTXH_I_IMPL

/* A schema in one domain. */
struct NVTXH_I_HIDDEN_TYPE nvtxh_i_known {
    struct nvtxh_i_known *next;
    const void *key; /* see nvtxh_i_schema_key() */
    struct nvtxh_domain *domain;
    const struct nvtxh_i_schema *schema; /* NULL: no schema for the reference */
    uint64_t id;                         /* the tool's id; 0: the tool has refused the schema */
    bool deep;                           /* the struct or one nested in it has strings */
    void *given;                         /* entries given to the tool, which may keep pointers to them */
};

NVTXH_I_C_BEGIN

#define NVTXH_I_SCHEMA_BUCKETS 64
NVTXH_I_LINKONCE struct nvtxh_i_known *nvtxh_i_schemas[NVTXH_I_SCHEMA_BUCKETS];
extern const struct nvtxh_i_schema __start_nvtxh_schemas[] NVTXH_I_LINKONCE;
extern const struct nvtxh_i_schema __stop_nvtxh_schemas[] NVTXH_I_LINKONCE;
NVTXH_I_PUBLIC void nvtxh_i_schemas_unload(void) __attribute__((__destructor__));

/* The key of OF, a schema or a schema reference: OF's address; for a group of counters, the address + 1. */
static inline const void *nvtxh_i_schema_key(const void *of, bool group)
{
    return NVTXH_I_CAST(const char *, of) + group;
}

static inline struct nvtxh_i_known **nvtxh_i_schema_bucket(const void *key, const struct nvtxh_domain *domain)
{
    uintptr_t hash = (NVTXH_I_BITS(uintptr_t, key) >> 3) + (NVTXH_I_BITS(uintptr_t, domain) >> 4);

    return &nvtxh_i_schemas[(hash + (hash >> 6)) % NVTXH_I_SCHEMA_BUCKETS];
}

static inline const struct nvtxh_i_known *nvtxh_i_schema_known(const void *key, const struct nvtxh_domain *domain)
{
    const struct nvtxh_i_known *known = __atomic_load_n(nvtxh_i_schema_bucket(key, domain), __ATOMIC_ACQUIRE);

    while (known && (known->key != key || known->domain != domain))
        known = known->next;
    return known;
}

/* Under the lock. Makes a record, which nvtxh_i_schema_publish() puts into the table. NULL: no memory. */
static inline struct nvtxh_i_known *nvtxh_i_schema_new(const void *key, struct nvtxh_domain *domain,
                                                       const struct nvtxh_i_schema *schema)
{
    struct nvtxh_i_known *known = NVTXH_I_CAST(struct nvtxh_i_known *, calloc(1, sizeof(struct nvtxh_i_known)));

    if (known) {
        known->key = key;
        known->domain = domain;
        known->schema = schema;
    }
    return known;
}

/* Under the lock. Puts a record into the table, where events find it. */
static inline void nvtxh_i_schema_publish(struct nvtxh_i_known *known)
{
    struct nvtxh_i_known **bucket = nvtxh_i_schema_bucket(known->key, known->domain);

    known->next = *bucket;
    __atomic_store_n(bucket, known, __ATOMIC_RELEASE);
}

NVTXH_I_INLINE_HERE const struct nvtxh_i_schema_ref *nvtxh_i_ref_of(const struct nvtxh_i_payload_type *type)
{
    return &NVTXH_I_BITS(const struct nvtxh_i_payload_ref *, type)->of;
}

/* Finds the schema of a reference. NULL: there is none. */
static inline const struct nvtxh_i_schema *nvtxh_i_schema_find(const struct nvtxh_i_schema_ref *ref)
{
    const struct nvtxh_i_schema *schema;

    if (ref->find)
        return ref->find();
    if (ref->number > 1)
        for (schema = __start_nvtxh_schemas; schema < __stop_nvtxh_schemas; schema++)
            if (schema->number == ref->number && !strcmp(schema->file, ref->file))
                return schema;
    return NVTXH_I_NULL;
}

/* Called when the linked object is unloaded; see nvtxh_i_on_unload. */
NVTXH_I_LINKONCE void nvtxh_i_schemas_unload(void)
{
    struct nvtxh_i_known *known, *next;
    size_t i;

    if (nvtxh_i_object.exiting)
        return;
    for (i = 0; i < NVTXH_I_SCHEMA_BUCKETS; i++) {
        for (known = nvtxh_i_schemas[i]; known; known = next) {
            next = known->next;
            free(known->given);
            free(known);
        }
        nvtxh_i_schemas[i] = NVTXH_I_NULL;
    }
}

NVTXH_I_C_END

#endif
#endif
