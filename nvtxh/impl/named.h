/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_NAMED_H
#define NVTXH_IMPL_NAMED_H

/* The names that a linked object (executable or shared object) makes at run time, in a hash table.
 * A look-up takes no lock. Adding a name takes a lock that survives a fork. A name or a table is
 * complete before it can be found. Nothing is freed before the object is unloaded. Not API. */

#include "../core/arena.h"
#include "../named.h"
#include "attach.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum nvtxh_i_name_kind { NVTXH_I_NAME_DOMAIN, NVTXH_I_NAME_CATEGORY, NVTXH_I_NAME_STRING };

/* The key of a named object (domain, category or string). The object follows it in memory. */
struct nvtxh_i_name {
    uint64_t hash;
    struct nvtxh_domain *domain;
    enum nvtxh_i_name_kind kind;
    uint32_t length;
    const char *text;
};

/* A hash table with open addressing. A half full table is copied into a table of twice the size.
 * The old table is not freed, because other threads may be reading it. */
struct nvtxh_i_name_table {
    size_t n;                   /* the number of entries, a power of two */
    struct nvtxh_i_name *of[1]; /* the entries; NULL: free */
};

struct nvtxh_i_names {
    struct nvtxh_i_name_table *table;
    struct nvtxh_i_arena arena;
    size_t n;
    uint32_t lock;
};

NVTXH_I_C_BEGIN

NVTXH_I_LINKONCE struct nvtxh_i_names nvtxh_i_names NVTXH_I_LINKED("names");

/* clang-format off */
#define NVTXH_I_STRING_SITE(message, domain, kind)                                                 \
    {{message, "", "", domain, 0, kind, NVTXH_I_SITE_OWN | NVTXH_I_SITE_HOME}, NULL}
#define NVTXH_I_STRING_SITES(message, domain) {                                                    \
    NVTXH_I_STRING_SITE(message, domain, NVTXH_I_KIND_SCOPE),                                      \
    NVTXH_I_STRING_SITE(message, domain, NVTXH_I_KIND_MARK),                                       \
    NVTXH_I_STRING_SITE(message, domain, NVTXH_I_KIND_PUSH),                                       \
    NVTXH_I_STRING_SITE(message, domain, NVTXH_I_KIND_RANGE)}
/* clang-format on */

/* The string that a NULL pointer to a struct nvtxh_string stands for. */
NVTXH_I_LINKONCE struct nvtxh_i_site_own nvtxh_i_no_string[NVTXH_I_STRING_KINDS] =
    NVTXH_I_STRING_SITES("(null)", NULL);

NVTXH_I_INLINE_LOCAL struct nvtxh_i_name nvtxh_i_name_key(enum nvtxh_i_name_kind kind,
                                                          struct nvtxh_domain *domain,
                                                          const char *text) {
    const uint64_t odd = 0x9e3779b97f4a7c15u; /* 2^64 over the golden ratio */
    size_t left = strlen(text);
    struct nvtxh_i_name key = {0, domain, kind, (uint32_t)left, text};
    uint64_t hash = ((uintptr_t)domain + (uint32_t)kind + left) * odd, word;

    for (; left >= sizeof(word); left -= sizeof(word), text += sizeof(word)) {
        memcpy(&word, text, sizeof(word));
        hash = (hash ^ hash >> 32 ^ word) * odd;
    }
    for (word = 0; left; left--) {
        word = word << 8 | (unsigned char)(*text++);
    }
    hash = (hash ^ hash >> 32 ^ word) * odd;
    key.hash = hash ^ hash >> 32;
    return key;
}

/* A name's entry in the table, or the free entry where it belongs. */
NVTXH_I_INLINE_LOCAL struct nvtxh_i_name **nvtxh_i_name_entry(struct nvtxh_i_name_table *table,
                                                              const struct nvtxh_i_name *key) {
    size_t i = key->hash;
    struct nvtxh_i_name *name;

    for (;; i++) {
        name = __atomic_load_n(&table->of[i & (table->n - 1)], __ATOMIC_ACQUIRE);
        if (!name ||
            (name->hash == key->hash && name->domain == key->domain && name->kind == key->kind &&
             name->length == key->length && !memcmp(name->text, key->text, key->length))) {
            return &table->of[i & (table->n - 1)];
        }
    }
}

/* Under nvtxh_i_names.lock: makes space for one more name. False: no memory. */
NVTXH_I_COLD bool nvtxh_i_names_grow(void) {
    struct nvtxh_i_name_table *table = nvtxh_i_names.table, *larger;
    size_t n = table ? 2 * table->n : 256, i;

    if (table && 2 * nvtxh_i_names.n < table->n) {
        return true;
    }
    larger = (struct nvtxh_i_name_table *)nvtxh_i_arena_alloc(
        &nvtxh_i_names.arena, sizeof(*larger) + n * sizeof(larger->of[0]), 16);
    if (!larger) {
        return table && nvtxh_i_names.n + 1 < table->n;
    }
    larger->n = n;
    for (i = 0; table && i < table->n; i++) {
        if (table->of[i]) {
            *nvtxh_i_name_entry(larger, table->of[i]) = table->of[i];
        }
    }
    __atomic_store_n(&nvtxh_i_names.table, larger, __ATOMIC_RELEASE);
    return true;
}

/* Under nvtxh_i_names.lock: makes a name with its domain, category or string. NULL: no memory. */
NVTXH_I_COLD struct nvtxh_i_name *nvtxh_i_new_name(const struct nvtxh_i_name *key) {
    static const size_t sizes[] = {sizeof(struct nvtxh_domain), sizeof(struct nvtxh_category),
                                   sizeof(nvtxh_i_no_string)};
    size_t size = sizeof(*key) + sizes[key->kind];
    struct nvtxh_i_name *name = (struct nvtxh_i_name *)nvtxh_i_arena_alloc(
        &nvtxh_i_names.arena, size + (size_t)key->length + 1, 16);
    char *text = name ? (char *)name + size : NULL;
    const struct nvtxh_domain as_domain = {text, "", NULL, 0, 0};
    const struct nvtxh_category as_category = {text, key->domain, "", 0, 0};
    const struct nvtxh_i_site_own as_string[] = NVTXH_I_STRING_SITES(text, key->domain);
    const void *object = as_string;

    if (!name) {
        return NULL;
    }
    if (key->kind == NVTXH_I_NAME_DOMAIN) {
        object = &as_domain;
    } else if (key->kind == NVTXH_I_NAME_CATEGORY) {
        object = &as_category;
    }
    *name = *key;
    name->text = text;
    memcpy(name + 1, object, sizes[key->kind]);
    memcpy(text, key->text, key->length);
    return name;
}

/* Adds a name if it is missing. Returns its domain, category or string; NULL: no memory. */
NVTXH_I_COLD void *nvtxh_i_name_add(const struct nvtxh_i_name *key) {
    struct nvtxh_i_name **entry, *name = NULL;
    int cancel = 0, saved_errno = errno;
    uint64_t blocked;

    /* nvtxh_i_on_unload() frees names only if `knows_exit` is set. */
    if (!__atomic_load_n(&nvtxh_i_object.knows_exit, __ATOMIC_RELAXED) && nvtxh_i_lock(&cancel)) {
        nvtxh_i_know_exit();
        nvtxh_i_unlock(cancel);
    }
    nvtxh_i_spin_lock(&nvtxh_i_names.lock, &blocked);
    if (nvtxh_i_names_grow()) {
        entry = nvtxh_i_name_entry(nvtxh_i_names.table, key);
        name = *entry ? *entry : nvtxh_i_new_name(key);
        if (name && !*entry) {
            nvtxh_i_names.n++;
            __atomic_store_n(entry, name, __ATOMIC_RELEASE);
        }
    }
    nvtxh_i_spin_unlock(&nvtxh_i_names.lock, &blocked);
    errno = saved_errno;
    return name ? name + 1 : NULL;
}

/* The domain, category or string of a name, made if necessary. NULL: no text or no memory. */
NVTXH_I_INLINE_LOCAL void *nvtxh_i_named(enum nvtxh_i_name_kind kind, struct nvtxh_domain *domain,
                                         const char *text) {
    struct nvtxh_i_name_table *table = __atomic_load_n(&nvtxh_i_names.table, __ATOMIC_ACQUIRE);
    struct nvtxh_i_name key, *name;

    if (!text) {
        return NULL;
    }
    key = nvtxh_i_name_key(kind, nvtxh_i_domain_of(domain, NULL), text);
    name = table ? __atomic_load_n(nvtxh_i_name_entry(table, &key), __ATOMIC_ACQUIRE) : NULL;
    return name ? name + 1 : nvtxh_i_name_add(&key);
}

NVTXH_I_ENTRY_DEF struct nvtxh_domain *nvtxh_i_domain_named(const char *name) {
    return (struct nvtxh_domain *)nvtxh_i_named(NVTXH_I_NAME_DOMAIN, NULL, name);
}

NVTXH_I_ENTRY_DEF struct nvtxh_category *nvtxh_i_category_named(struct nvtxh_domain *domain,
                                                                const char *name) {
    return (struct nvtxh_category *)nvtxh_i_named(NVTXH_I_NAME_CATEGORY, domain, name);
}

NVTXH_I_ENTRY_DEF const struct nvtxh_string *nvtxh_i_string_named(struct nvtxh_domain *domain,
                                                                  const char *text) {
    return (const struct nvtxh_string *)nvtxh_i_named(NVTXH_I_NAME_STRING, domain, text);
}

/* Called when the linked object is unloaded. */
NVTXH_I_COLD void nvtxh_i_free_names(void) {
    nvtxh_i_names.table = NULL;
    nvtxh_i_names.n = 0;
    nvtxh_i_arena_free(&nvtxh_i_names.arena);
}

NVTXH_I_C_END

#endif
