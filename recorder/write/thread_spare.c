/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "thread_spare.h"
#include "shelf.h"
#include "thread.h"
#include "wiped_memory.h"

enum { SPARE = 32 };

static struct {
    void *with_stream[SPARE], *without[SPARE];
} * spare; /* wiped in forked children */

bool thread_spare_init(void)
{
    spare = wiped_memory_share(sizeof(*spare));
    return spare != NULL;
}

/* Whether the thread has popped everything it pushed. The next thread must not be nested in ranges left open. */
static bool has_nothing_open(const struct thread *t)
{
    enum { MOST = 1000 }; /* most domains: with more, the search costs more than it saves */
    uint32_t domains = __atomic_load_n(&handle_domains, __ATOMIC_RELAXED), open = 0;

    for (uint32_t i = 0; i <= domains && domains < MOST; i++) {
        open |= t->depth[i];
    }
    return domains < MOST && !open;
}

bool thread_spare_put(struct thread *t)
{
    if (thread_is_busy(t) || !has_nothing_open(t)) { /* busy: it ended in the middle of an event */
        return false;
    }
    t->ready = 0;
    if (shelf_put(spare->with_stream, stream_rest_places(&t->stream, SPARE), t)) {
        return true;
    }
    stream_close(&t->stream);
    return shelf_put(spare->without, SPARE, t);
}

struct thread *thread_spare_get(void)
{
    struct thread *t = shelf_get(spare->with_stream, SPARE);

    return t ? t : shelf_get(spare->without, SPARE);
}
