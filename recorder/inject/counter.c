/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Samples of counters. */
#include "event.h"
#include "extension.h"
#include "names.h"
#include "process.h"
#include "schema.h"
#include "timer.h"

#include <string.h>

static void sample_integer(void *domain, uint64_t counter, int64_t value)
{
    event_count(names_domain_id(domain), counter, REC_PAYLOAD_I64, (uint64_t)value);
}

static void sample_double(void *domain, uint64_t counter, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    event_count(names_domain_id(domain), counter, REC_PAYLOAD_F64, bits);
}

static void sample(void *domain, uint64_t counter, const void *values, size_t size)
{
    event_parts(names_domain_id(domain), REC_EXTENDED_SAMPLE,
                (struct event_part[]){{&counter, sizeof(counter)}, {values, size}}, 2);
}

static void sample_nothing(void *domain, uint64_t counter, uint8_t reason)
{
    event_count(names_domain_id(domain), counter, REC_PAYLOAD_NONE, reason);
}

static void submit(void *domain, const struct ext_samples *s)
{
    if (!s || s->timestamps_size % sizeof(int64_t)) {
        process_lose(REC_LOSS_COUNTER);
        return;
    }
    struct rec_samples fixed = {
        .counter = s->counter,
        .flags = s->flags,
        .timestamps_size = s->timestamps ? s->timestamps_size : 0,
        .samples_size = s->samples_size,
    };
    timer_points(names_domain_id(domain));
    event_parts(names_domain_id(domain), REC_EXTENDED_SAMPLES,
                (struct event_part[]){{&fixed, sizeof(fixed)},
                                      {s->timestamps, fixed.timestamps_size},
                                      {s->samples, s->samples_size}},
                3);
}

const struct ext_function counter_functions[] = {
    {0, (intptr_t)schema_register_counter},
    {1, (intptr_t)sample_integer},
    {2, (intptr_t)sample_double},
    {3, (intptr_t)sample},
    {4, (intptr_t)sample_nothing},
    {5, (intptr_t)submit},
    {0, 0},
};
