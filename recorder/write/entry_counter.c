/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Callbacks of the counter extension: samples. */
#include "event.h"
#include "ext_abi.h"
#include "handle.h"
#include "losses.h"
#include "stream.h"
#include "time_domain.h"

#include <string.h>

static void sample_integer(void *domain, uint64_t counter, int64_t value)
{
    event_count(handle_domain(domain), counter, REC_PAYLOAD_I64, (uint64_t)value);
}

static void sample_double(void *domain, uint64_t counter, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    event_count(handle_domain(domain), counter, REC_PAYLOAD_F64, bits);
}

static void sample(void *domain, uint64_t counter, const void *values, size_t size)
{
    event_extended(handle_domain(domain), REC_EXTENDED_SAMPLE,
                   (struct stream_piece[]){{&counter, sizeof(counter)}, {values, size}}, 2);
}

static void sample_nothing(void *domain, uint64_t counter, uint8_t reason)
{
    event_count(handle_domain(domain), counter, REC_PAYLOAD_NONE, reason);
}

static void submit(void *domain, const struct ext_samples *s)
{
    if (!s || s->timestamps_size % sizeof(int64_t)) {
        losses_count(REC_LOSS_COUNTER);
        return;
    }
    struct rec_samples fixed = {
        .counter = s->counter,
        .flags = s->flags,
        .timestamps_size = s->timestamps ? s->timestamps_size : 0,
        .samples_size = s->samples_size,
    };
    time_domain_points(handle_domain(domain));
    event_extended(handle_domain(domain), REC_EXTENDED_SAMPLES,
                   (struct stream_piece[]){{&fixed, sizeof(fixed)},
                                           {s->timestamps, fixed.timestamps_size},
                                           {s->samples, s->samples_size}},
                   3);
}

const struct ext_function entry_counter_functions[] = {
    {1, (intptr_t)sample_integer}, {2, (intptr_t)sample_double}, {3, (intptr_t)sample},
    {4, (intptr_t)sample_nothing}, {5, (intptr_t)submit},        {0, 0},
};
