/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "registry.h"
#include "handle.h"
#include "losses.h"
#include "part.h"

#include <stdlib.h>
#include <string.h>

struct definition {
    enum rec_kind kind;
    uint32_t domain, id;
    size_t size;
    const void *body;
};

struct entry {
    struct entry *next; /* in its bucket, newest first */
    struct definition d;
    char body[];
};

/* A fork may happen between any two lines of another thread: a bucket changes by one store. */
static struct entry *buckets[1024];
#define BUCKETS (sizeof(buckets) / sizeof(buckets[0]))
static uint64_t defined = UINT64_C(1) << 32; /* where NVTX has a tool's own numbers begin */

static struct entry **bucket_of(enum rec_kind kind, uint32_t domain, const void *key, size_t size)
{
    const unsigned char *bytes = key;
    uint32_t hash = 2166136261u ^ (uint32_t)kind ^ domain << 8;

    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * 16777619u;
    }
    return &buckets[(hash ^ hash >> 16) % BUCKETS];
}

static bool write(struct stream *s, const struct definition *d)
{
    return stream_write_long(s, rec_word(d->kind, d->domain), d->id, d->body, d->size);
}

/* Puts it at the head of its bucket and into the recording. */
static bool keep(struct stream *s, struct entry **bucket, const struct definition *d)
{
    struct entry *e = malloc(sizeof(*e) + d->size);

    if (!e) {
        losses_count(REC_LOSS_NAMES);
        return false;
    }
    *e = (struct entry){*bucket, *d};
    e->d.body = d->size ? memcpy(e->body, d->body, d->size) : e->body;
    if (!write(s, &e->d)) {
        losses_count(REC_LOSS_NAMES);
    }
    __atomic_store_n(bucket, e, __ATOMIC_RELEASE);
    return true;
}

static void discard(struct entry **place)
{
    struct entry *e = *place;

    __atomic_store_n(place, e->next, __ATOMIC_RELEASE);
    free(e);
}

/* In all but the id and the first bytes of the body. */
static bool is_same(const struct definition *a, const struct definition *b, size_t from)
{
    return a->kind == b->kind && a->domain == b->domain && a->size == b->size &&
           !memcmp((const char *)a->body + from, (const char *)b->body + from, a->size - from);
}

/* Handles are given out in unwanted domains too: by the number of the default one. */
static struct definition describe(enum rec_kind kind, uint32_t domain, uint32_t id,
                                  const void *body, size_t size)
{
    if (size > REC_TEXT_MAX) {
        size = REC_TEXT_MAX;
        losses_count(REC_LOSS_CUT_TEXT);
    }
    return (struct definition){kind, domain == DOMAIN_UNWANTED ? 0 : domain, id, size, body};
}

static void write_all(struct stream *s, bool forked)
{
    for (size_t i = 0; i < BUCKETS; i++) {
        for (struct entry *e = buckets[i]; e; e = e->next) {
            if (!forked || e->d.kind != REC_THREAD) { /* a child has none of its parent's threads */
                write(s, &e->d);
            }
        }
    }
}

struct stream *registry_lock(void)
{
    bool begun;
    struct stream *s = part_lock(&begun);

    if (begun) {
        write_all(s, part_is_forked());
    }
    return s;
}

void registry_unlock(void)
{
    part_unlock();
}

/* --- domains and strings: an id for each text -------------------------------------------------- */

uint32_t registry_intern(enum rec_kind kind, uint32_t domain, const char *text)
{
    uint32_t *last = kind == REC_DOMAIN ? &handle_domains : &handle_strings, id = 0;

    if (!text) {
        return 0;
    }
    struct definition d = describe(kind, domain, 0, text, strlen(text));
    struct stream *s = registry_lock();
    struct entry **bucket = bucket_of(kind, d.domain, text, d.size), *e = *bucket;
    while (e && !is_same(&e->d, &d, 0)) {
        e = e->next;
    }
    d.id = *last + 1;
    if (e) {
        id = e->d.id;
    } else if (kind == REC_DOMAIN && *last == REC_DOMAIN_MAX) {
        losses_count(REC_LOSS_DOMAINS);
    } else if (keep(s, bucket, &d)) {
        id = d.id;
        __atomic_store_n(last, id, __ATOMIC_RELAXED);
    }
    registry_unlock();
    return id;
}

void registry_string_text(const void *handle, char *ret_text, size_t room)
{
    uint32_t id = (uint32_t)((uintptr_t)handle >> HANDLE_SHIFT);

    *ret_text = 0;
    registry_lock();
    for (size_t i = 0; i < BUCKETS && !*ret_text; i++) {
        for (const struct entry *e = buckets[i]; e; e = e->next) {
            if (e->d.kind == REC_REGISTERED && e->d.id == id) {
                size_t size = e->d.size < room ? e->d.size : room - 1;
                memcpy(ret_text, e->body, size);
                ret_text[size] = 0;
                break;
            }
        }
    }
    registry_unlock();
}

/* --- categories and threads: the last text for each id ----------------------------------------- */

/* The place of an entry by its id; a place of NULL if there is none. */
static struct entry **find_id(struct entry **place, const struct definition *d)
{
    while (*place && ((*place)->d.kind != d->kind || (*place)->d.domain != d->domain ||
                      (*place)->d.id != d->id)) {
        place = &(*place)->next;
    }
    return place;
}

void registry_name(enum rec_kind kind, uint32_t domain, uint32_t id, const char *name)
{
    if (!name || domain == DOMAIN_UNWANTED) {
        return;
    }
    struct definition d = describe(kind, domain, id, name, strlen(name));
    struct stream *s = registry_lock();
    struct entry **bucket = bucket_of(kind, domain, &id, sizeof(id)), **e = find_id(bucket, &d);
    if (!*e || !is_same(&(*e)->d, &d, 0)) {
        if (*e) {
            discard(e);
        }
        keep(s, bucket, &d);
    }
    registry_unlock();
}

bool registry_has_thread(uint32_t tid)
{
    struct definition d = {.kind = REC_THREAD, .id = tid};
    return *find_id(bucket_of(REC_THREAD, 0, &tid, sizeof(tid)), &d) != NULL;
}

/* --- schemas and the like: a number in the body ------------------------------------------------ */

static uint64_t define(struct stream *s, const struct definition *d, void *body, bool unique)
{
    uint64_t wanted, there;
    size_t from = sizeof(wanted);
    struct entry **bucket =
        bucket_of(d->kind, d->domain, (const char *)body + from, d->size - from);

    memcpy(&wanted, body, sizeof(wanted));
    for (struct entry *e = *bucket; e && !unique; e = e->next) {
        if (is_same(&e->d, d, from)) {
            memcpy(&there, e->body, sizeof(there));
            if (wanted == there || (!wanted && there > UINT32_MAX)) {
                return there;
            }
        }
    }
    if (!wanted) {
        wanted = defined++;
        memcpy(body, &wanted, sizeof(wanted));
    }
    return keep(s, bucket, d) ? wanted : 0;
}

uint64_t registry_define(enum rec_kind kind, uint32_t domain, void *body, size_t size, bool unique)
{
    uint64_t number = 0;

    if (size <= REC_TEXT_MAX) {
        uint32_t id = kind == REC_TIME ? REC_TIME_DOMAIN : 0;
        struct definition d = describe(kind, domain, id, body, size);
        number = define(registry_lock(), &d, body, unique);
        registry_unlock();
    }
    if (!number) {
        losses_count(REC_LOSS_SCHEMA);
    }
    return number;
}

/* --- resources: a number each, and a new name leaves the resource what it is ------------------- */

static bool keep_resource(struct stream *s, struct definition *d, bool unique)
{
    size_t key = offsetof(struct rec_resource, name);
    struct entry **bucket = bucket_of(REC_RESOURCE, 0, d->body, key);

    for (struct entry **e = bucket; *e && !unique; e = &(*e)->next) {
        if ((*e)->d.kind != REC_RESOURCE || memcmp((*e)->body, d->body, key) != 0) {
            continue;
        }
        d->id = (*e)->d.id;
        if (is_same(&(*e)->d, d, 0)) {
            return true;
        }
        discard(e);
        break;
    }
    if (!d->id) {
        d->id = __atomic_add_fetch(&handle_resources, 1, __ATOMIC_RELAXED);
    }
    return keep(s, unique ? bucket_of(REC_RESOURCE, 0, &d->id, sizeof(d->id)) : bucket, d);
}

uint32_t registry_resource(uint32_t domain, const void *body, size_t size, bool unique)
{
    struct definition d = describe(REC_RESOURCE, domain, 0, body, size);
    bool kept = keep_resource(registry_lock(), &d, unique);
    registry_unlock();
    return kept ? d.id : 0;
}

void registry_resource_gone(uint32_t id)
{
    struct stream *s = registry_lock();
    struct entry **e = bucket_of(REC_RESOURCE, 0, &id, sizeof(id));

    while (*e && ((*e)->d.kind != REC_RESOURCE || (*e)->d.id != id)) {
        e = &(*e)->next;
    }
    if (*e) {
        stream_write_long(s, rec_word(REC_RESOURCE_GONE, (*e)->d.domain), id, NULL, 0);
        discard(e);
    } else {
        handle_bad();
    }
    registry_unlock();
}

void registry_note(enum rec_kind kind, uint32_t domain, uint32_t id, const void *body, size_t size)
{
    if (domain == DOMAIN_UNWANTED) {
        return;
    }
    struct definition d = describe(kind, domain, id, body, size);
    if (!write(registry_lock(), &d)) {
        losses_count(REC_LOSS_NAMES);
    }
    registry_unlock();
}
