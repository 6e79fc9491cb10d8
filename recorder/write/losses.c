/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "losses.h"
#include "memory.h"

static uint64_t **counts; /* points to NULL in a forked child until it begins its own part */

bool losses_init(void)
{
    counts = wiped_memory_share(sizeof(*counts));
    return counts != NULL;
}

void losses_count_in(uint64_t *now)
{
    __atomic_store_n(counts, now, __ATOMIC_RELEASE);
}

void losses_add(enum rec_loss what, uint64_t count)
{
    uint64_t *now = counts ? __atomic_load_n(counts, __ATOMIC_ACQUIRE) : NULL;

    if (now) {
        __atomic_fetch_add(&now[what], count, __ATOMIC_RELAXED);
    }
}

void losses_count(enum rec_loss what)
{
    losses_add(what, 1);
}

/* May be called with any arguments: on the supported architectures, a function may ignore its arguments. */
#define COUNTING(kind)                                                                                                 \
    static intptr_t count_##kind(void)                                                                                 \
    {                                                                                                                  \
        losses_count(REC_LOSS_##kind);                                                                                 \
        return 0;                                                                                                      \
    }
#define ENTRY(kind) [REC_LOSS_##kind] = count_##kind,
#define EACH(what)                                                                                                     \
    what(CUDA) what(CUDART) what(OPENCL) what(SYNC) what(EXTENDED) what(COUNTER) what(MEMORY) what(EXTENSION)

EACH(COUNTING)

intptr_t losses_function(enum rec_loss loss)
{
    static intptr_t (*const functions[REC_LOSS_SIZE])(void) = {EACH(ENTRY)};
    return (intptr_t)functions[loss];
}
