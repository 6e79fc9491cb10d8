/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "time_domain.h"
#include "buffer.h"
#include "ext_abi.h"
#include "file.h"
#include "handle.h"
#include "losses.h"
#include "registry.h"
#include "../format/clock.h"

enum { SOURCES_MOST = 16, POINTS_MOST = 1 << 16 };

/* Filled from the front and never changed; `id` is stored last. */
static struct source {
    uint64_t id;
    uint32_t domain;
    int64_t (*read)(void);
    int64_t (*read_with)(void *);
    void *data;
} sources[SOURCES_MOST];
static uint32_t used;

static int64_t now(void)
{
    return (int64_t)clock_ticks(file_clock);
}

/* The program's function runs without any of our locks, because it may use NVTX itself. */
static void take_point(const struct source *t)
{
    uint64_t domains[2] = {t->id, REC_TIME_TOOL};
    int64_t before = now();
    int64_t theirs = t->read ? t->read() : t->read_with(t->data);
    int64_t after = now();
    char body[sizeof(domains) + 2 * sizeof(int64_t)];

    before += (after - before) / 2;
    memcpy(body, domains, sizeof(domains));
    memcpy(body + 16, &theirs, sizeof(theirs));
    memcpy(body + 24, &before, sizeof(before));
    registry_note(REC_TIME, t->domain, REC_TIME_POINTS, body, sizeof(body));
}

void time_domain_points(uint32_t domain)
{
    for (int i = 0; i < SOURCES_MOST && __atomic_load_n(&sources[i].id, __ATOMIC_ACQUIRE); i++) {
        if (sources[i].domain == domain) {
            take_point(&sources[i]);
        }
    }
}

static uint64_t register_domain(void *handle, const struct ext_time_domain *t)
{
    if (!t) {
        losses_count(REC_LOSS_SCHEMA);
        return 0;
    }
    struct rec_time_domain fixed = {
        .time_domain = t->time_domain,
        .scope = t->scope,
        .type = t->type,
        .flags = t->flags,
        .resolution = t->resolution,
        .start = t->start,
    };
    /* Two clocks may have the same description. */
    return registry_define(REC_TIME, handle_domain(handle), &fixed, sizeof(fixed), !t->time_domain);
}

static void add(struct source t)
{
    uint32_t i = __atomic_fetch_add(&used, 1, __ATOMIC_RELAXED);

    if (i >= SOURCES_MOST || !t.id || (!t.read && !t.read_with)) {
        losses_count(REC_LOSS_SCHEMA);
        return;
    }
    sources[i].domain = t.domain;
    sources[i].read = t.read;
    sources[i].read_with = t.read_with;
    sources[i].data = t.data;
    __atomic_store_n(&sources[i].id, t.id, __ATOMIC_RELEASE);
    take_point(&sources[i]);
}

static void source(void *domain, uint64_t id, uint64_t flags, int64_t (*read)(void))
{
    (void)flags; /* they say whether tools may call `read` while the process ends; we never do */
    add((struct source){.id = id, .domain = handle_domain(domain), .read = read});
}

static void source_with(void *domain, uint64_t id, uint64_t flags, int64_t (*read)(void *),
                        void *data)
{
    (void)flags;
    add((struct source){
        .id = id, .domain = handle_domain(domain), .read_with = read, .data = data});
}

static void points(void *domain, uint64_t from, uint64_t to, const void *pairs, size_t count)
{
    struct buffer b;
    uint64_t domains[2] = {from, to};

    if (!pairs || count > POINTS_MOST) {
        losses_count(REC_LOSS_SCHEMA);
        return;
    }
    buffer_init(&b);
    buffer_add(&b, domains, sizeof(domains));
    buffer_add(&b, pairs, count * 2 * sizeof(int64_t));
    if (b.failed) {
        losses_count(REC_LOSS_SCHEMA);
    } else {
        registry_note(REC_TIME, handle_domain(domain), REC_TIME_POINTS, buffer_bytes(&b), b.used);
    }
    buffer_free(&b);
}

static void point(void *domain, uint64_t from, uint64_t to, int64_t at_from, int64_t at_to)
{
    points(domain, from, to, (int64_t[]){at_from, at_to}, 1);
}

static void factor(void *domain, uint64_t from, uint64_t to, double slope, int64_t at_from,
                   int64_t at_to)
{
    uint64_t body[5] = {from, to, 0, (uint64_t)at_from, (uint64_t)at_to};

    memcpy(&body[2], &slope, sizeof(slope));
    registry_note(REC_TIME, handle_domain(domain), REC_TIME_FACTOR, body, sizeof(body));
}

const struct ext_function time_domain_functions[] = {
    {8, (intptr_t)now},     {9, (intptr_t)register_domain},
    {10, (intptr_t)source}, {11, (intptr_t)source_with},
    {13, (intptr_t)point},  {14, (intptr_t)points},
    {15, (intptr_t)factor}, {0, 0},
};
