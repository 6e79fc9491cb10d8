/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "names.h"
#include "process.h"
#include "stream.h"

#include <stdlib.h>
#include <string.h>

struct name {
    struct name *next, *next_in_bucket;
    enum rec_kind kind;
    uint32_t domain, id;
    size_t size;
    char text[];
};

/* A fork may happen between any two lines of another thread: lists grow by one store at their head.
 */
static struct name *all;
static struct name *buckets[1024];
uint32_t names_domains, names_strings;

struct request {
    enum rec_kind kind;
    uint32_t domain;
    uint32_t id; /* in, or out for what is numbered here */
    const char *text;
    bool failed;
};

static size_t bucket_of(const struct request *r, size_t size)
{
    uint32_t hash = 2166136261u ^ (uint32_t)r->kind ^ r->domain << 8;

    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ (unsigned char)r->text[i]) * 16777619u;
    }
    return (hash ^ hash >> 16) % (sizeof(buckets) / sizeof(buckets[0]));
}

static bool write_name(struct stream *s, const struct name *n)
{
    return stream_write_long(s, rec_word(n->kind, n->domain), n->id, n->text, n->size);
}

/* Categories and threads come with their number; domains and strings get one, once per text. */
static void add(struct stream *s, void *arg)
{
    struct request *r = arg;
    bool numbered = r->kind == REC_DOMAIN || r->kind == REC_REGISTERED;
    size_t size = strlen(r->text);

    if (size > REC_TEXT_MAX) {
        size = REC_TEXT_MAX;
        process_lose(REC_LOSS_CUT_TEXT);
    }
    size_t bucket = bucket_of(r, size);
    for (struct name *n = buckets[bucket]; n; n = n->next_in_bucket) {
        if (n->kind == r->kind && n->domain == r->domain && n->size == size &&
            !memcmp(n->text, r->text, size) && (numbered || n->id == r->id)) {
            r->id = n->id;
            if (!numbered && !write_name(s, n)) { /* it may have had another name meanwhile */
                process_lose(REC_LOSS_NAMES);
            }
            return;
        }
    }
    uint32_t *last = r->kind == REC_DOMAIN ? &names_domains : &names_strings;
    if (r->kind == REC_DOMAIN && *last == REC_DOMAIN_MAX) {
        process_lose(REC_LOSS_DOMAINS);
        r->failed = true;
        return;
    }
    struct name *n = malloc(sizeof(*n) + size);
    if (!n) {
        process_lose(REC_LOSS_NAMES);
        r->failed = true;
        return;
    }
    if (numbered) {
        __atomic_store_n(last, *last + 1, __ATOMIC_RELAXED);
        r->id = *last;
    }
    *n = (struct name){all, buckets[bucket], r->kind, r->domain, r->id, size};
    memcpy(n->text, r->text, size);
    if (!write_name(s, n)) {
        process_lose(REC_LOSS_NAMES);
    }
    __atomic_store_n(&buckets[bucket], n, __ATOMIC_RELEASE);
    __atomic_store_n(&all, n, __ATOMIC_RELEASE);
}

uint32_t names_bad_handle(void)
{
    process_lose(REC_LOSS_HANDLE);
    return 0;
}

void names_write_all(struct stream *s)
{
    /* The list is newest first; of two names for one thing the newer must be written last. */
    struct name *reversed = NULL;

    for (struct name *n = all, *next; n; n = next) {
        next = n->next;
        n->next = reversed;
        reversed = n;
    }
    all = NULL;
    for (struct name *n = reversed, *next; n; n = next) {
        next = n->next;
        if (n->kind != REC_THREAD) { /* a child has none of its parent's threads */
            write_name(s, n);
        }
        n->next = all;
        all = n;
    }
}

static uint32_t request(struct request r)
{
    if (!r.text || !process_with_names(add, &r) || r.failed) {
        return 0;
    }
    return r.id;
}

uint32_t names_domain(const char *name)
{
    return request((struct request){.kind = REC_DOMAIN, .text = name});
}

uint32_t names_registered(uint32_t domain, const char *text)
{
    return request((struct request){.kind = REC_REGISTERED, .domain = domain, .text = text});
}

void names_category(uint32_t domain, uint32_t category, const char *name)
{
    request((struct request){.kind = REC_CATEGORY, .domain = domain, .id = category, .text = name});
}

void names_thread(uint32_t tid, const char *name)
{
    request((struct request){.kind = REC_THREAD, .id = tid, .text = name});
}

static void gone(struct stream *s, void *arg)
{
    stream_write_long(s, rec_word(REC_GONE, *(uint32_t *)arg), 0, NULL, 0);
}

void names_gone(uint32_t domain)
{
    process_with_names(gone, &domain);
}
