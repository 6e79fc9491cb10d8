/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_PAYLOAD_SCHEMA_H
#define NVTXH_PAYLOAD_SCHEMA_H

/*
 * Schemas, each told to the tool once for every domain it is used in, before its first event; and
 * what an event says of a struct. Not API; part of payload.h.
 *
 * Events find the id of a schema in a hash table that only grows, without a lock.
 */

#if NVTXH_I_IMPL

#include "../impl/all.h"

/*
 * The second door to NVTX. The extensions are there from 3.2 on; older cores do not go with newer
 * extension headers, should both be on the include path.
 */
#if defined(NVTX_NULLPTR) && defined(__has_include)
#if __has_include(<nvtx3/nvToolsExtPayload.h>) && __has_include(<nvtx3/nvToolsExtCounters.h>)
#define NVTXH_I_EXTENSIONS 1
#endif
#endif
#ifndef NVTXH_I_EXTENSIONS
#define NVTXH_I_EXTENSIONS 0
#endif
#if defined(NVTXH_REQUIRE_EXTENSIONS) && !NVTXH_I_EXTENSIONS
#error                                                                                             \
    "nvtxh: NVTXH_REQUIRE_EXTENSIONS is defined, and these NVTX headers have no payload and counter extensions: they are older than 3.2. Use newer ones, or leave it undefined to make do with a 64-bit payload."
#endif

#if NVTXH_I_EXTENSIONS
NVTXH_I_QUIET_BEGIN
#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvToolsExtSemanticsCounters.h>
NVTXH_I_QUIET_END

/* Does the tool have this function of the payload extension? After the first call of any. */
#define NVTXH_I_EXT(function)                                                                      \
    (NVTX_EXT_PAYLOAD_VERSIONED_ID(nvtxExtPayloadSlots)[NVTX3EXT_CBID_##function + 1] >            \
     NVTX_EXTENSION_DISABLED)
#endif

/* A schema as a domain knows it, under the address of what refers to it. */
struct NVTXH_I_HIDDEN_TYPE nvtxh_i_known {
    struct nvtxh_i_known *next;
    const void *key;
    struct nvtxh_domain *domain;
    const struct nvtxh_i_schema *schema; /* NULL: there is none */
    uint64_t id;                         /* 0: the tool does not take it */
    bool deep;                           /* it has strings, itself or within */
    void *told;                          /* what the tool was given; it may keep pointers to it */
};

#define NVTXH_I_SCHEMA_BUCKETS 64
struct NVTXH_I_HIDDEN_TYPE nvtxh_i_schemas {
    struct nvtxh_i_known *buckets[NVTXH_I_SCHEMA_BUCKETS];
};

NVTXH_I_C_BEGIN

extern struct nvtxh_i_schemas nvtxh_i_schemas NVTXH_I_HIDDEN;
NVTXH_I_LINKONCE struct nvtxh_i_schemas nvtxh_i_schemas;
extern const struct nvtxh_i_schema __start_nvtxh_schemas[] NVTXH_I_LINKONCE;
extern const struct nvtxh_i_schema __stop_nvtxh_schemas[] NVTXH_I_LINKONCE;
NVTXH_I_COLD const struct nvtxh_i_known *nvtxh_i_schema_use(const void *key,
                                                            const struct nvtxh_i_schema_ref *ref,
                                                            struct nvtxh_domain *domain,
                                                            bool group);
NVTXH_I_COLD struct nvtxh_i_known *nvtxh_i_schema_register(const struct nvtxh_i_schema *schema,
                                                           struct nvtxh_domain *domain, bool group);
NVTXH_I_COLD_ANYWHERE void nvtxh_i_schemas_unload(void) __attribute__((__destructor__));

/* The key of a schema or a reference to one; as a group of counters it has one of its own. */
static inline const void *nvtxh_i_schema_key(const void *of, bool group)
{
    return NVTXH_I_CAST(const char *, of) + group;
}

static inline struct nvtxh_i_known **nvtxh_i_schema_bucket(const void *key,
                                                           const struct nvtxh_domain *domain)
{
    uintptr_t hash = (NVTXH_I_BITS(uintptr_t, key) >> 3) + (NVTXH_I_BITS(uintptr_t, domain) >> 4);

    return &nvtxh_i_schemas.buckets[(hash + (hash >> 6)) % NVTXH_I_SCHEMA_BUCKETS];
}

static inline struct nvtxh_i_known *nvtxh_i_schema_known(const void *key,
                                                         const struct nvtxh_domain *domain)
{
    struct nvtxh_i_known *known =
        __atomic_load_n(nvtxh_i_schema_bucket(key, domain), __ATOMIC_ACQUIRE);

    while (known && (known->key != key || known->domain != domain))
        known = known->next;
    return known;
}

/* Under the lock. NULL: no memory. */
static inline struct nvtxh_i_known *nvtxh_i_schema_add(const void *key, struct nvtxh_domain *domain,
                                                       const struct nvtxh_i_known *is)
{
    struct nvtxh_i_known **bucket = nvtxh_i_schema_bucket(key, domain);
    struct nvtxh_i_known *known =
        NVTXH_I_CAST(struct nvtxh_i_known *, calloc(1, sizeof(struct nvtxh_i_known)));

    if (!known)
        return NVTXH_I_NULL;
    *known = *is;
    known->key = key;
    known->domain = domain;
    known->next = *bucket;
    __atomic_store_n(bucket, known, __ATOMIC_RELEASE);
    return known;
}

/* NULL: there is none. */
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

/* The slow half of nvtxh_i_schema_of: the first use. */
NVTXH_I_ONCE const struct nvtxh_i_known *nvtxh_i_schema_use(const void *key,
                                                            const struct nvtxh_i_schema_ref *ref,
                                                            struct nvtxh_domain *domain, bool group)
{
    struct nvtxh_i_known none = {NVTXH_I_NULL, NVTXH_I_NULL, NVTXH_I_NULL, NVTXH_I_NULL, 0,
                                 false,        NVTXH_I_NULL};
    struct nvtxh_i_known *known;
    int cancel = 0, saved_errno = errno;

    /* Not a second time while the tool is being told, from within the tool. */
    if (!nvtxh_i_lock(&cancel))
        return NVTXH_I_NULL;
    known = nvtxh_i_schema_known(key, domain);
    if (!known) {
        const struct nvtxh_i_schema *schema = nvtxh_i_schema_find(ref);
        struct nvtxh_i_known *registered =
            schema ? nvtxh_i_schema_register(schema, domain, group) : NVTXH_I_NULL;

        if (registered)
            none = *registered;
        none.told = NVTXH_I_NULL;
        known = nvtxh_i_schema_add(key, domain, &none);
    }
    nvtxh_i_unlock(cancel);
    errno = saved_errno;
    return known;
}

/* What stands behind a reference, in a domain; NULL: not to be had now. */
static inline const struct nvtxh_i_known *nvtxh_i_schema_of(const struct nvtxh_i_schema_ref *ref,
                                                            struct nvtxh_domain *domain, bool group)
{
    const void *key = nvtxh_i_schema_key(ref, group);
    const struct nvtxh_i_known *known = nvtxh_i_schema_known(key, domain);

    return known ? known : nvtxh_i_schema_use(key, ref, domain, group);
}

#include "register.h"

/* When the object is unloaded; see nvtxh_i_on_unload. */
NVTXH_I_LINKONCE void nvtxh_i_schemas_unload(void)
{
    struct nvtxh_i_known *known, *next;
    size_t i;

    if (nvtxh_i_object.exiting)
        return;
    for (i = 0; i < NVTXH_I_SCHEMA_BUCKETS; i++) {
        for (known = nvtxh_i_schemas.buckets[i]; known; known = next) {
            next = known->next;
            free(known->told);
            free(known);
        }
        nvtxh_i_schemas.buckets[i] = NVTXH_I_NULL;
    }
}

#include "event.h"

NVTXH_I_C_END

#endif
#endif
