/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "table.h"
#include "names.h"
#include "process.h"

#include <stdlib.h>
#include <string.h>

struct name {
    struct name *next; /* in its bucket, newest first */
    enum rec_kind kind;
    uint32_t domain, id;
    uint32_t size;
    char body[];
};

/* A fork may happen between any two lines of another thread: a bucket changes by one store. */
static struct name *buckets[1024];
#define BUCKETS (sizeof(buckets) / sizeof(buckets[0]))
uint32_t names_domains, names_strings, names_resources;
static uint64_t defined = UINT64_C(1) << 32; /* where NVTX has a tool's own numbers begin */

static struct name **bucket_of(uint32_t seed, const void *key, size_t size)
{
    const unsigned char *bytes = key;
    uint32_t hash = 2166136261u ^ seed;

    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * 16777619u;
    }
    return &buckets[(hash ^ hash >> 16) % BUCKETS];
}

static bool write_name(struct stream *s, const struct name *n)
{
    return stream_write_long(s, rec_word(n->kind, n->domain), n->id, n->body, n->size);
}

/* Puts it at the head of its bucket and into the recording. */
static struct name *keep(struct stream *s, struct name **bucket, struct table_request *r)
{
    struct name *n = malloc(sizeof(*n) + r->size);

    if (!n) {
        process_lose(REC_LOSS_NAMES);
        r->failed = true;
        return NULL;
    }
    *n = (struct name){*bucket, r->kind, r->domain, r->id, (uint32_t)r->size};
    if (r->size) {
        memcpy(n->body, r->body, r->size);
    }
    if (!write_name(s, n)) {
        process_lose(REC_LOSS_NAMES);
    }
    __atomic_store_n(bucket, n, __ATOMIC_RELEASE);
    return n;
}

static void discard(struct name **place)
{
    struct name *n = *place;

    __atomic_store_n(place, n->next, __ATOMIC_RELEASE);
    free(n);
}

static bool is_alike(const struct name *n, const struct table_request *r)
{
    return n->kind == r->kind && n->domain == r->domain && n->size == r->size;
}

/* Domains and registered strings: a number for each text. */
void table_number(struct stream *s, void *arg)
{
    struct table_request *r = arg;
    uint32_t *last = r->kind == REC_DOMAIN ? &names_domains : &names_strings;
    struct name **bucket = bucket_of((uint32_t)r->kind ^ r->domain << 8, r->body, r->size);

    for (struct name *n = *bucket; n; n = n->next) {
        if (is_alike(n, r) && !memcmp(n->body, r->body, r->size)) {
            r->id = n->id;
            return;
        }
    }
    if (r->kind == REC_DOMAIN && *last == REC_DOMAIN_MAX) {
        process_lose(REC_LOSS_DOMAINS);
        r->failed = true;
        return;
    }
    r->id = *last + 1;
    if (keep(s, bucket, r)) {
        __atomic_store_n(last, r->id, __ATOMIC_RELAXED);
    }
}

/* Categories and threads: the last text for each number. */
void table_rename(struct stream *s, void *arg)
{
    struct table_request *r = arg;
    struct name **bucket = bucket_of((uint32_t)r->kind ^ r->domain << 8, &r->id, sizeof(r->id));

    for (struct name **n = bucket; *n; n = &(*n)->next) {
        if ((*n)->kind != r->kind || (*n)->domain != r->domain || (*n)->id != r->id) {
            continue;
        }
        if ((*n)->size == r->size && !memcmp((*n)->body, r->body, r->size)) {
            return;
        }
        discard(n);
        break;
    }
    keep(s, bucket, r);
}

/* Schemas and the like: 64 bits of number at the beginning of the body, 0 if it gets one here. The
 * same content has the same number. */
void table_define(struct stream *s, void *arg)
{
    struct table_request *r = arg;
    const char *content = (const char *)r->body + sizeof(uint64_t);
    size_t size = r->size - sizeof(uint64_t);
    uint64_t wanted, there;
    struct name **bucket = bucket_of((uint32_t)r->kind ^ r->domain << 8, content, size);

    memcpy(&wanted, r->body, sizeof(wanted));
    for (struct name *n = *bucket; n && !r->unique; n = n->next) {
        if (is_alike(n, r) && !memcmp(n->body + sizeof(there), content, size)) {
            memcpy(&there, n->body, sizeof(there));
            if (wanted == there || (!wanted && there > UINT32_MAX)) {
                memcpy(r->number, &there, sizeof(there));
                return;
            }
        }
    }
    if (!wanted) {
        wanted = defined++;
        memcpy(r->number, &wanted, sizeof(wanted));
    }
    keep(s, bucket, r);
}

/* Resources have a number each, and what has been named stays the same resource under a new name. */
void table_resource(struct stream *s, void *arg)
{
    struct table_request *r = arg;
    size_t key = offsetof(struct rec_resource, name);
    struct name **bucket = bucket_of(REC_RESOURCE, r->body, key);

    for (struct name **n = bucket; *n && !r->unique; n = &(*n)->next) {
        if ((*n)->kind != REC_RESOURCE || memcmp((*n)->body, r->body, key) != 0) {
            continue;
        }
        r->id = (*n)->id;
        if (is_alike(*n, r) && !memcmp((*n)->body, r->body, r->size)) {
            return;
        }
        discard(n);
        break;
    }
    if (!r->id) {
        r->id = __atomic_add_fetch(&names_resources, 1, __ATOMIC_RELAXED);
    }
    if (r->unique) {
        bucket = bucket_of(REC_RESOURCE, &r->id, sizeof(r->id));
    }
    keep(s, bucket, r);
}

void table_resource_gone(struct stream *s, void *arg)
{
    struct table_request *r = arg;

    for (struct name **n = bucket_of(REC_RESOURCE, &r->id, sizeof(r->id)); *n; n = &(*n)->next) {
        if ((*n)->kind == REC_RESOURCE && (*n)->id == r->id) {
            stream_write_long(s, rec_word(REC_RESOURCE_GONE, (*n)->domain), r->id, NULL, 0);
            discard(n);
            return;
        }
    }
    names_bad_handle();
}

void table_note(struct stream *s, void *arg)
{
    struct table_request *r = arg;

    if (!stream_write_long(s, rec_word(r->kind, r->domain), r->id, r->body, r->size)) {
        process_lose(REC_LOSS_NAMES);
    }
}

void table_write_all(struct stream *s, bool forked)
{
    for (size_t i = 0; i < BUCKETS; i++) {
        for (struct name *n = buckets[i]; n; n = n->next) {
            if (!forked || n->kind != REC_THREAD) { /* a child has none of its parent's threads */
                write_name(s, n);
            }
        }
    }
}

void table_find_string(struct stream *s, void *arg)
{
    const struct table_text *r = arg;

    (void)s;
    for (size_t i = 0; i < BUCKETS; i++) {
        for (const struct name *n = buckets[i]; n; n = n->next) {
            if (n->kind == REC_REGISTERED && n->id == r->id) {
                size_t size = n->size < r->room ? n->size : r->room - 1;
                memcpy(r->ret_text, n->body, size);
                r->ret_text[size] = 0;
                return;
            }
        }
    }
}

bool table_has_thread(uint32_t tid)
{
    const struct name *n = *bucket_of(REC_THREAD, &tid, sizeof(tid));

    while (n && (n->kind != REC_THREAD || n->id != tid)) {
        n = n->next;
    }
    return n;
}
