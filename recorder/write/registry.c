/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "registry.h"
#include "handle.h"
#include "losses.h"
#include "memory.h"
#include "text.h"

#include <string.h>

/* The table of definitions, by hash. The definitions are in an arena (memory.h). Another thread may
 * fork at any moment, and the child continues with the table as it is then, so each change of the
 * table takes effect with one store. The table's functions are called with the registry locked. */
struct definition {
    enum rec_kind kind;
    uint32_t domain, id;
    uint32_t size; /* of the body */
    char body[];
};

/* SLOTS_FIRST: of the table. CLASSES: a definition takes 2^class bytes. */
enum { SLOTS_FIRST = 512, CLASSES = 32 };

/* The number of slots is a power of two. At least one slot is empty, so that each search ends. */
static struct table {
    size_t slots;
    size_t used; /* slots that are not empty; those of forgotten definitions count, too */
    struct slot {
        struct definition *d; /* NULL: the slot is empty; stored after `hash` */
        uint32_t hash;
    } slot[];
} * table;

static struct definition gone; /* marks the slot of a forgotten definition */

/* Memory of forgotten definitions, for reuse: a list for each class. */
static union spare {
    union spare *next;
    struct definition d;
} * spare[CLASSES];

/* --- memory ----------------------------------------------------------------------------------- */

static size_t class_of(size_t size) {
    return 64 - (size_t)__builtin_clzll(size - 1);
}

static struct definition *new_definition(size_t size) {
    size_t class = class_of(size);
    union spare *s = spare[class];

    if (s) {
        __atomic_store_n(&spare[class], s->next, __ATOMIC_RELEASE);
        return &s->d;
    }
    return arena_new((size_t)1 << class);
}

static void unreserve(struct definition *d) {
    size_t class = class_of(sizeof(*d) + d->size);
    union spare *s = (union spare *)d;

    s->next = spare[class];
    __atomic_store_n(&spare[class], s, __ATOMIC_RELEASE);
}

/* --- the table -------------------------------------------------------------------------------- */

static size_t bytes_of(size_t slots) {
    return sizeof(struct table) + slots * sizeof(struct slot);
}

static void put_definition(struct table *t, uint32_t hash, struct definition *d) {
    size_t i = hash & (t->slots - 1);

    while (t->slot[i].d && t->slot[i].d != &gone) {
        i = (i + 1) & (t->slots - 1);
    }
    t->used += !t->slot[i].d;
    t->slot[i].hash = hash;
    __atomic_store_n(&t->slot[i].d, d, __ATOMIC_RELEASE);
}

/* Iterates over all definitions, in any order; NULL after the last. At first, *cursor is 0. */
static const struct definition *definitions_each(size_t *cursor) {
    while (table && *cursor < table->slots) {
        const struct definition *d = table->slot[(*cursor)++].d;
        if (d && d != &gone) {
            return d;
        }
    }
    return NULL;
}

/* Makes room for one more definition. A table that is 3/4 full is replaced by one that is at most
 * half full. */
static bool grow_table(void) {
    struct table *old = table;
    size_t slots = SLOTS_FIRST, count = 0, cursor = 0;

    if (old && old->used < old->slots / 4 * 3) {
        return true;
    }
    while (definitions_each(&cursor)) {
        count++;
    }
    while (slots < 2 * count) {
        slots *= 2;
    }
    struct table *fresh = scratch_new(bytes_of(slots));
    if (!fresh) {
        return old && old->used < old->slots - 1;
    }
    fresh->slots = slots;
    for (size_t i = 0; old && i < old->slots; i++) {
        if (old->slot[i].d && old->slot[i].d != &gone) {
            put_definition(fresh, old->slot[i].hash, old->slot[i].d);
        }
    }
    __atomic_store_n(&table, fresh, __ATOMIC_RELEASE);
    if (old) {
        scratch_drop(old, bytes_of(old->slots));
    }
    return true;
}

/* Finds the next definition with this hash; NULL after the last. *cursor is 0 at the first call. */
static struct definition **definitions_next(uint32_t hash, size_t *cursor) {
    struct table *t = table;

    while (t) {
        struct slot *slot = &t->slot[(hash + (*cursor)++) & (t->slots - 1)];
        if (!slot->d) {
            break;
        }
        if (slot->hash == hash && slot->d != &gone) {
            return &slot->d;
        }
    }
    return NULL;
}

/* --- registered strings by their number ------------------------------------------------------- */

enum { PAGE = 1 << 12, PAGES = 1 << 16 };

static const struct definition **pages[PAGES];

static void keep_string(const struct definition *d) {
    const struct definition ***page = &pages[d->id / PAGE % PAGES];

    if (!*page) {
        __atomic_store_n(page, arena_new(PAGE * sizeof(**page)), __ATOMIC_RELEASE);
    }
    if (*page && d->id / PAGE < PAGES) {
        (*page)[d->id % PAGE] = d;
    }
}

/* --- definitions ------------------------------------------------------------------------------ */

static void definitions_drop(struct definition **place) {
    struct definition *d = *place;

    __atomic_store_n(place, &gone, __ATOMIC_RELEASE);
    unreserve(d);
}

/* The next number that the recorder chooses. NVTX leaves numbers from 2^32 on to tools. */
static uint64_t defined = UINT64_C(1) << 32;

/* A definition to be looked up, and kept if it is new. */
struct wanted {
    enum rec_kind kind;
    uint32_t domain, id;
    size_t size;
    const void *body;
};

static uint32_t hash_of(const struct wanted *w, const void *key, size_t size) {
    return hash_bytes((uint64_t)w->kind << 32 ^ w->domain, key, size);
}

static bool write(struct stream *s, const struct definition *d) {
    return stream_write_long(s, rec_word(d->kind, d->domain), d->id, d->body, d->size);
}

/* Adds a definition with a copy of the body, and writes it. False: there is no memory. */
static bool keep_definition(struct stream *s, uint32_t hash, const struct wanted *w) {
    struct definition *d = grow_table() ? new_definition(sizeof(*d) + w->size) : NULL;

    if (d) {
        *d = (struct definition){w->kind, w->domain, w->id, (uint32_t)w->size};
        memcpy(d->body, w->body, w->size);
        put_definition(table, hash, d);
    }
    if (d && d->kind == REC_REGISTERED) {
        keep_string(d);
    }
    if (!d || !write(s, d)) {
        losses_count(REC_LOSS_NAMES);
    }
    return d != NULL;
}

/* Compares everything except the id and the first `from` bytes of the body. */
static bool is_same_definition(const struct definition *d, const struct wanted *w, size_t from) {
    return d->kind == w->kind && d->domain == w->domain && d->size == w->size &&
           !memcmp(d->body + from, (const char *)w->body + from, w->size - from);
}

/* Prepares a definition; cuts a body that is too long. A definition in a domain that is left out
 * gets a handle, too, and is kept under the number of the default domain. */
static struct wanted wanted_definition(enum rec_kind kind, uint32_t domain, uint32_t id,
                                       const void *body, size_t size) {
    if (size > REC_TEXT_MAX) {
        size = REC_TEXT_MAX;
        losses_count(REC_LOSS_CUT_TEXT);
    }
    return (struct wanted){kind, domain == DOMAIN_UNWANTED ? 0 : domain, id, size, body};
}

static void write_all(struct stream *s, bool forked) {
    const struct definition *d;
    size_t cursor = 0;

    while ((d = definitions_each(&cursor)) != NULL) {
        if (!forked || d->kind != REC_THREAD) { /* a child has none of its parent's threads */
            write(s, d);
        }
    }
}

struct stream *registry_lock(void) {
    bool begun;
    struct stream *s = process_log_lock(&begun);

    if (begun) {
        write_all(s, process_log_is_forked());
    }
    return s;
}

void registry_unlock(void) {
    process_log_unlock();
}

/* --- domains and strings: an id for each text ------------------------------------------------- */

uint32_t registry_intern(enum rec_kind kind, uint32_t domain, const char *text) {
    uint32_t *last = kind == REC_DOMAIN ? &handle_domains : &handle_strings, id = 0;
    struct definition **place;
    size_t cursor = 0;

    if (!text) {
        return 0;
    }
    struct wanted w = wanted_definition(kind, domain, 0, text, strlen(text));
    uint32_t hash = hash_of(&w, text, w.size);
    struct stream *s = registry_lock();
    do {
        place = definitions_next(hash, &cursor);
    } while (place && !is_same_definition(*place, &w, 0));
    w.id = *last + 1;
    if (place) {
        id = (*place)->id;
    } else if (kind == REC_DOMAIN && *last == REC_DOMAIN_MAX) {
        losses_count(REC_LOSS_DOMAINS);
    } else if (keep_definition(s, hash, &w)) {
        id = w.id;
        __atomic_store_n(last, id, __ATOMIC_RELAXED);
    }
    registry_unlock();
    return id;
}

void registry_string_text(const void *handle, char *ret_text, size_t capacity) {
    *ret_text = 0;
    registry_lock();
    uint32_t id = (uint32_t)((uintptr_t)handle >> HANDLE_SHIFT);
    const struct definition **page = id / PAGE < PAGES ? pages[id / PAGE] : NULL,
                            *d = page ? page[id % PAGE] : NULL;
    if (d) {
        size_t size = d->size < capacity ? d->size : capacity - 1;
        memcpy(ret_text, d->body, size);
        ret_text[size] = 0;
    }
    registry_unlock();
}

/* --- categories and threads: the last text for each id ---------------------------------------- */

static uint32_t hash_of_id(const struct wanted *w) {
    return hash_of(w, &w->id, sizeof(w->id));
}

/* Finds a definition by kind, domain and id. For a resource, the domain does not matter. */
static struct definition **find_id(const struct wanted *w) {
    struct definition **place;
    size_t cursor = 0;

    do {
        place = definitions_next(hash_of_id(w), &cursor);
    } while (place && ((*place)->kind != w->kind || (*place)->id != w->id ||
                       ((*place)->domain != w->domain && w->kind != REC_RESOURCE)));
    return place;
}

void registry_name(enum rec_kind kind, uint32_t domain, uint32_t id, const char *name) {
    if (!name || domain == DOMAIN_UNWANTED) {
        return;
    }
    struct wanted w = wanted_definition(kind, domain, id, name, strlen(name));
    struct stream *s = registry_lock();
    struct definition **place = find_id(&w);
    if (!place || !is_same_definition(*place, &w, 0)) {
        if (place) {
            definitions_drop(place);
        }
        keep_definition(s, hash_of_id(&w), &w);
    }
    registry_unlock();
}

bool registry_has_thread(uint32_t tid) {
    return find_id(&(struct wanted){.kind = REC_THREAD, .id = tid}) != NULL;
}

/* --- schemas and the like, whose bodies begin with their numbers ------------------------------ */

static uint64_t define_in_stream(struct stream *s, const struct wanted *w, void *body,
                                 bool unique) {
    struct definition **place;
    uint64_t number, there;
    size_t from = sizeof(number), cursor = 0;
    uint32_t hash = hash_of(w, (const char *)body + from, w->size - from);

    memcpy(&number, body, sizeof(number));
    while (!unique && (place = definitions_next(hash, &cursor)) != NULL) {
        if (is_same_definition(*place, w, from)) {
            memcpy(&there, (*place)->body, sizeof(there));
            if (number == there || (!number && there > UINT32_MAX)) {
                return there;
            }
        }
    }
    if (!number) {
        number = defined++;
        memcpy(body, &number, sizeof(number));
    }
    return keep_definition(s, hash, w) ? number : 0;
}

uint64_t registry_define(enum rec_kind kind, uint32_t domain, void *body, size_t size,
                         bool unique) {
    uint64_t number = 0;

    if (size <= REC_TEXT_MAX) {
        struct wanted w = wanted_definition(kind, domain, 0, body, size);
        number = define_in_stream(registry_lock(), &w, body, unique);
        registry_unlock();
    }
    if (!number) {
        losses_count(REC_LOSS_SCHEMA);
    }
    return number;
}

/* --- resources: each keeps its number when it gets a new name --------------------------------- */

static bool keep_resource(struct stream *s, struct wanted *w, bool unique) {
    struct wanted any = {.kind = REC_RESOURCE}; /* the hash is the same in all domains */
    size_t key = offsetof(struct rec_resource, name), cursor = 0;
    uint32_t hash = hash_of(&any, w->body, key);
    struct definition **place;

    do {
        place = unique ? NULL : definitions_next(hash, &cursor);
    } while (place && ((*place)->kind != REC_RESOURCE || memcmp((*place)->body, w->body, key)));
    if (place) {
        w->id = (*place)->id;
        if (is_same_definition(*place, w, 0)) {
            return true;
        }
        definitions_drop(place);
    } else {
        w->id = __atomic_add_fetch(&handle_resources, 1, __ATOMIC_RELAXED);
    }
    any.id = w->id;
    return keep_definition(s, unique ? hash_of_id(&any) : hash, w);
}

uint32_t registry_resource(uint32_t domain, const void *body, size_t size, bool unique) {
    struct wanted w = wanted_definition(REC_RESOURCE, domain, 0, body, size);
    bool kept = keep_resource(registry_lock(), &w, unique);
    registry_unlock();
    return kept ? w.id : 0;
}

void registry_resource_gone(uint32_t id) {
    struct stream *s = registry_lock();
    struct definition **place = find_id(&(struct wanted){.kind = REC_RESOURCE, .id = id});

    if (place) {
        stream_write_long(s, rec_word(REC_RESOURCE_GONE, (*place)->domain), id, NULL, 0);
        definitions_drop(place);
    } else {
        handle_bad();
    }
    registry_unlock();
}

/* ---------------------------------------------------------------------------------------------- */

void registry_domain_gone(uint32_t domain) {
    if (domain == DOMAIN_UNWANTED) {
        return;
    }
    if (!stream_write_long(registry_lock(), rec_word(REC_GONE, domain), 0, NULL, 0)) {
        losses_count(REC_LOSS_NAMES);
    }
    registry_unlock();
}
