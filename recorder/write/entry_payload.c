/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Callbacks of the payload extension: ranges and marks with payloads, and deferred events. */
#include "event.h"
#include "ext_abi.h"
#include "file.h"
#include "handle.h"
#include "losses.h"
#include "stream.h"
#include "time_domain.h"
#include "../format/clock.h"

static void mark(void *domain, const struct ext_data *data, size_t count)
{
    event_begin_payload(handle_domain(domain), REC_MARK, data, count);
}

static int push(void *domain, const struct ext_data *data, size_t count)
{
    return (int)event_begin_payload(handle_domain(domain), REC_PUSH, data, count);
}

static int pop(void *domain, const struct ext_data *data, size_t count)
{
    return event_pop_payload(handle_domain(domain), data, count, clock_ticks(file_clock));
}

static uint64_t start(void *domain, const struct ext_data *data, size_t count)
{
    return event_begin_payload(handle_domain(domain), REC_START, data, count);
}

static void end(void *domain, uint64_t id, const struct ext_data *data, size_t count)
{
    event_end_payload(handle_domain(domain), id, data, count);
}

static uint8_t is_enabled(void *domain)
{
    return handle_domain(domain) != DOMAIN_UNWANTED;
}

static void submit(void *domain, const struct ext_data *data, size_t count)
{
    time_domain_points(handle_domain(domain));
    event_submit_payload(handle_domain(domain), data, count);
}

static void submit_batch(void *domain, const struct ext_events *e)
{
    static const char zeroes[8];

    if (!e) {
        losses_count(REC_LOSS_EXTENDED);
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
    time_domain_points(handle_domain(domain));
    event_extended(handle_domain(domain), REC_EXTENDED_EVENTS,
                   (struct stream_piece[]){{&fixed, sizeof(fixed)},
                                           {e->events, e->size},
                                           {zeroes, -e->size % 8},
                                           {flex ? flex + e->flex_offset : NULL, fixed.flex_size}},
                   4);
}

const struct ext_function entry_payload_functions[] = {
    {2, (intptr_t)mark},    {3, (intptr_t)push},          {4, (intptr_t)pop},
    {5, (intptr_t)start},   {6, (intptr_t)end},           {7, (intptr_t)is_enabled},
    {16, (intptr_t)submit}, {17, (intptr_t)submit_batch}, {0, 0},
};
