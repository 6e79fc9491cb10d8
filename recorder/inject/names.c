/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "names.h"
#include "options.h"
#include "process.h"
#include "stream.h"

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
uint32_t names_domains, names_strings, names_resources, names_default;
static bool captured[REC_DOMAIN_MAX + 1];
static uint64_t defined = UINT64_C(1) << 32; /* where NVTX has a tool's own numbers begin */

struct request {
    enum rec_kind kind;
    uint32_t domain;
    uint32_t id; /* in, or out for what is numbered here */
    const void *body;
    size_t size;
    bool unique; /* never the same as one before */
    bool failed;
};

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
static struct name *keep(struct stream *s, struct name **bucket, struct request *r)
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

static bool is_alike(const struct name *n, const struct request *r)
{
    return n->kind == r->kind && n->domain == r->domain && n->size == r->size;
}

/* Domains and registered strings: a number for each text. */
static void number(struct stream *s, void *arg)
{
    struct request *r = arg;
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
static void rename_it(struct stream *s, void *arg)
{
    struct request *r = arg;
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
static void define(struct stream *s, void *arg)
{
    struct request *r = arg;
    const char *content = (const char *)r->body + sizeof(uint64_t);
    size_t size = r->size - sizeof(uint64_t);
    uint64_t wanted, there;
    struct name **bucket = bucket_of((uint32_t)r->kind ^ r->domain << 8, content, size);

    memcpy(&wanted, r->body, sizeof(wanted));
    for (struct name *n = *bucket; n && !r->unique; n = n->next) {
        if (is_alike(n, r) && !memcmp(n->body + sizeof(there), content, size)) {
            memcpy(&there, n->body, sizeof(there));
            if (wanted == there || (!wanted && there > UINT32_MAX)) {
                memcpy((void *)r->body, &there, sizeof(there));
                return;
            }
        }
    }
    if (!wanted) {
        wanted = defined++;
        memcpy((void *)r->body, &wanted, sizeof(wanted));
    }
    keep(s, bucket, r);
}

/* Resources have a number each, and what has been named stays the same resource under a new name. */
static void resource(struct stream *s, void *arg)
{
    struct request *r = arg;
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

static void resource_gone(struct stream *s, void *arg)
{
    struct request *r = arg;

    for (struct name **n = bucket_of(REC_RESOURCE, &r->id, sizeof(r->id)); *n; n = &(*n)->next) {
        if ((*n)->kind == REC_RESOURCE && (*n)->id == r->id) {
            stream_write_long(s, rec_word(REC_RESOURCE_GONE, (*n)->domain), r->id, NULL, 0);
            discard(n);
            return;
        }
    }
    names_bad_handle();
}

static void note(struct stream *s, void *arg)
{
    struct request *r = arg;

    if (!stream_write_long(s, rec_word(r->kind, r->domain), r->id, r->body, r->size)) {
        process_lose(REC_LOSS_NAMES);
    }
}

uint32_t names_bad_handle(void)
{
    process_lose(REC_LOSS_HANDLE);
    return 0;
}

void names_write_all(struct stream *s, bool forked)
{
    for (size_t i = 0; i < BUCKETS; i++) {
        for (struct name *n = buckets[i]; n; n = n->next) {
            if (!forked || n->kind != REC_THREAD) { /* a child has none of its parent's threads */
                write_name(s, n);
            }
        }
    }
}

static bool request(struct request *r, void (*f)(struct stream *, void *))
{
    if (r->domain == NAMES_UNWANTED) { /* handles are given out all the same */
        r->domain = 0;
        if (f == rename_it || f == note) {
            return true;
        }
    }
    if (r->size > REC_TEXT_MAX) {
        r->size = REC_TEXT_MAX;
        process_lose(REC_LOSS_CUT_TEXT);
    }
    return process_with_names(f, r) && !r->failed;
}

void names_init(void)
{
    names_default = options_want_domain(NULL) ? 0 : NAMES_UNWANTED;
    captured[0] = options_capture_domain(NULL);
}

bool names_default_usual(void)
{
    return !names_default && !captured[0];
}

bool names_captures(uint32_t domain)
{
    return __atomic_load_n(&captured[domain], __ATOMIC_RELAXED);
}

void *names_domain_handle(const char *name)
{
    struct request r = {.kind = REC_DOMAIN, .body = name, .size = name ? strlen(name) : 0};
    bool capture = name && (options_capture_domain(name) ||
                            (process_is_linked() && !strcmp(name, CAPTURE_DOMAIN)));
    bool wanted = capture || !name || options_want_domain(name);

    if (!name || !request(&r, number)) {
        return NULL;
    }
    if (capture) {
        __atomic_store_n(&captured[r.id], true, __ATOMIC_RELAXED);
    }
    uintptr_t id = r.id | (capture ? NAMES_SPECIAL : 0) | (wanted ? 0 : NAMES_EXCLUDED);
    return (void *)(id << 4 | 1); /* NOLINT(performance-no-int-to-ptr) */
}

uint32_t names_special_domain(uintptr_t handle)
{
    uintptr_t id = handle >> 4, plain = id & REC_DOMAIN_MAX;
    uintptr_t special = id - plain;

    if ((special != NAMES_SPECIAL && special != NAMES_EXCLUDED) ||
        plain > __atomic_load_n(&names_domains, __ATOMIC_RELAXED)) {
        return names_bad_handle();
    }
    return special == NAMES_EXCLUDED ? NAMES_UNWANTED : (uint32_t)plain;
}

struct text_request {
    uint32_t id;
    char *ret_text;
    size_t room;
};

static void find_string(struct stream *s, void *arg)
{
    const struct text_request *r = arg;

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

void names_string_text(const void *handle, char *ret_text, size_t room)
{
    *ret_text = 0;
    process_with_names(find_string,
                       &(struct text_request){(uint32_t)((uintptr_t)handle >> 4), ret_text, room});
}

uint32_t names_registered(uint32_t domain, const char *text)
{
    struct request r = {
        .kind = REC_REGISTERED, .domain = domain, .body = text, .size = text ? strlen(text) : 0};
    return text && request(&r, number) ? r.id : 0;
}

void names_category(uint32_t domain, uint32_t category, const char *name)
{
    if (name) {
        request(&(struct request){.kind = REC_CATEGORY,
                                  .domain = domain,
                                  .id = category,
                                  .body = name,
                                  .size = strlen(name)},
                rename_it);
    }
}

void names_thread(uint32_t tid, const char *name)
{
    if (name) {
        request(
            &(struct request){.kind = REC_THREAD, .id = tid, .body = name, .size = strlen(name)},
            rename_it);
    }
}

void names_gone(uint32_t domain)
{
    names_note(REC_GONE, domain, 0, NULL, 0);
}

void names_note(enum rec_kind kind, uint32_t domain, uint32_t id, const void *body, size_t size)
{
    request(&(struct request){.kind = kind, .domain = domain, .id = id, .body = body, .size = size},
            note);
}

uint64_t names_define(enum rec_kind kind, uint32_t domain, void *body, size_t size, bool unique)
{
    struct request r = {.kind = kind,
                        .domain = domain,
                        .id = kind == REC_TIME ? REC_TIME_DOMAIN : 0,
                        .body = body,
                        .size = size,
                        .unique = unique};
    uint64_t given = 0;

    if (size <= REC_TEXT_MAX && request(&r, define)) {
        memcpy(&given, body, sizeof(given));
    } else {
        process_lose(REC_LOSS_SCHEMA);
    }
    return given;
}

uint32_t names_resource(uint32_t domain, const void *body, size_t size, bool unique)
{
    struct request r = {
        .kind = REC_RESOURCE, .domain = domain, .body = body, .size = size, .unique = unique};
    return request(&r, resource) ? r.id : 0;
}

void names_resource_gone(uint32_t id)
{
    request(&(struct request){.id = id}, resource_gone);
}
