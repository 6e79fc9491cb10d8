/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "timer.h"
#include "buffer.h"
#include "event.h"
#include "extension.h"
#include "names.h"
#include "output.h"
#include "process.h"
#include "../format/clock.h"

enum { TIMERS_MOST = 16, POINTS_MOST = 1 << 16 };

/* Filled from the front and never changed; `id` is stored last. */
static struct timer {
    uint64_t id;
    uint32_t domain;
    int64_t (*read)(void);
    int64_t (*read_with)(void *);
    void *data;
} timers[TIMERS_MOST];
static uint32_t used;

static int64_t now(void)
{
    return (int64_t)clock_ticks(output_clock);
}

/* The program's function runs with nothing of ours held: it may itself use NVTX. */
static void take_point(const struct timer *t)
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
    names_note(REC_TIME, t->domain, REC_TIME_POINTS, body, sizeof(body));
}

void timer_points(uint32_t domain)
{
    for (int i = 0; i < TIMERS_MOST && __atomic_load_n(&timers[i].id, __ATOMIC_ACQUIRE); i++) {
        if (timers[i].domain == domain) {
            take_point(&timers[i]);
        }
    }
}

static uint64_t register_domain(void *handle, const struct ext_time_domain *t)
{
    if (!t) {
        process_lose(REC_LOSS_SCHEMA);
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
    return names_define(REC_TIME, names_domain_id(handle), &fixed, sizeof(fixed), false);
}

static void add(struct timer t)
{
    uint32_t i = __atomic_fetch_add(&used, 1, __ATOMIC_RELAXED);

    if (i >= TIMERS_MOST || !t.id || (!t.read && !t.read_with)) {
        process_lose(REC_LOSS_SCHEMA);
        return;
    }
    timers[i].domain = t.domain;
    timers[i].read = t.read;
    timers[i].read_with = t.read_with;
    timers[i].data = t.data;
    __atomic_store_n(&timers[i].id, t.id, __ATOMIC_RELEASE);
    take_point(&timers[i]);
}

static void source(void *domain, uint64_t id, uint64_t flags, int64_t (*read)(void))
{
    (void)flags; /* after main nobody is asked */
    add((struct timer){.id = id, .domain = names_domain_id(domain), .read = read});
}

static void source_with(void *domain, uint64_t id, uint64_t flags, int64_t (*read)(void *),
                        void *data)
{
    (void)flags;
    add((struct timer){
        .id = id, .domain = names_domain_id(domain), .read_with = read, .data = data});
}

static void points(void *domain, uint64_t from, uint64_t to, const void *pairs, size_t count)
{
    struct buffer b = {0};
    uint64_t domains[2] = {from, to};

    if (!pairs || count > POINTS_MOST) {
        process_lose(REC_LOSS_SCHEMA);
        return;
    }
    buffer_add(&b, domains, sizeof(domains));
    buffer_add(&b, pairs, count * 2 * sizeof(int64_t));
    if (b.failed) {
        process_lose(REC_LOSS_SCHEMA);
    } else {
        names_note(REC_TIME, names_domain_id(domain), REC_TIME_POINTS, b.bytes, b.used);
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
    names_note(REC_TIME, names_domain_id(domain), REC_TIME_FACTOR, body, sizeof(body));
}

/* --- events that are told of afterwards ------------------------------------------------------- */

static void submit(void *domain, const struct ext_data *data, size_t count)
{
    timer_points(names_domain_id(domain));
    event_submit(names_domain_id(domain), data, count);
}

static void submit_batch(void *domain, const struct ext_events *e)
{
    static const char zeroes[8];

    if (!e) {
        process_lose(REC_LOSS_EXTENDED);
        return;
    }
    const char *flex = e->flex;
    struct rec_events fixed = {
        .schema = e->schema,
        .scope = e->scope,
        .flags = e->flags,
        .events_size = e->size,
        .flex_size = flex ? e->flex_size : 0,
        .flex_offset = e->flex_offset,
    };
    timer_points(names_domain_id(domain));
    event_parts(names_domain_id(domain), REC_EXTENDED_EVENTS,
                (struct event_part[]){{&fixed, sizeof(fixed)},
                                      {e->events, e->size},
                                      {zeroes, -e->size % 8},
                                      {flex ? flex + e->flex_offset : NULL, fixed.flex_size}},
                4);
}

const struct ext_function deferred_functions[] = {
    {8, (intptr_t)now},           {9, (intptr_t)register_domain},
    {10, (intptr_t)source},       {11, (intptr_t)source_with},
    {13, (intptr_t)point},        {14, (intptr_t)points},
    {15, (intptr_t)factor},       {16, (intptr_t)submit},
    {17, (intptr_t)submit_batch}, {0, 0},
};
