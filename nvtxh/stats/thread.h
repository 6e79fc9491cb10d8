/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATS_THREAD_H
#define NVTXH_STATS_THREAD_H

/* What a thread needs before it can count: its state, a sum for each row, frames for open
 * annotations. Each is made when it is first needed; without memory for it, events are not counted.
 * The counts of an ended thread stay, and a new thread takes over that thread's state. So the
 * number of states is about the largest number of threads that ran at the same time. Not API. */

#include "registry.h"
#include "row.h"
#include "sum.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

NVTXH_I_C_BEGIN

/* --- the thread --- */

/* Finds the state of an ended thread. Checks 32 states at most, because checking all is slow. */
static inline struct nvtxh_i_stats_thread *nvtxh_i_stats_left(
    struct nvtxh_i_stats_registry *registry) {
    struct nvtxh_i_stats_thread *thread = registry->looked_at;
    int i;

    for (i = 0; i < 32 && registry->threads; i++) {
        thread = thread && thread->next ? thread->next : registry->threads;
        registry->looked_at = thread;
        if (!thread->tid || syscall(SYS_tgkill, getpid(), thread->tid, 0)) {
            return thread;
        }
    }
    return NULL;
}

/* Adopts the state of a thread that has ended. The acquire loads make visible here all that the
 * ended thread has written. Annotations that the ended thread left open are not counted. */
static inline void nvtxh_i_stats_adopt(struct nvtxh_i_stats_thread *thread) {
    struct nvtxh_i_stats_sums *sums = __atomic_load_n(&thread->sums, __ATOMIC_ACQUIRE);
    struct nvtxh_i_stats_sum *sum;
    size_t i;

    for (i = 1; i < sums->n; i++) {
        sum = __atomic_load_n(&sums->of[i], __ATOMIC_ACQUIRE);
        if (sum) {
            (void)__atomic_load_n(&sum->count, __ATOMIC_ACQUIRE);
            (void)__atomic_load_n(&sum->marks, __ATOMIC_ACQUIRE);
            sum->depth = 0;
        }
    }
    if (thread->top != &thread->outermost) {
        thread->outermost.above = NULL;
    }
    thread->top = &thread->outermost;
}

static inline struct nvtxh_i_stats_thread *nvtxh_i_stats_new_thread(
    struct nvtxh_i_stats_registry *registry) {
    struct nvtxh_i_arena arena = {NULL};
    struct nvtxh_i_stats_thread *thread =
        NVTXH_I_STATS_ALLOC(struct nvtxh_i_stats_thread, &arena, sizeof(*thread));

    if (!thread) {
        return NULL;
    }
    /* These two calls cannot fail: the arena's first chunk has space for thread, `nowhere` and
     * `sums`. */
    thread->nowhere =
        NVTXH_I_STATS_ALLOC(struct nvtxh_i_stats_sum, &arena, sizeof(*thread->nowhere));
    thread->sums = NVTXH_I_STATS_ALLOC(struct nvtxh_i_stats_sums, &arena, sizeof(*thread->sums));
    thread->sums->n = 1;
    thread->nowhere->thread = thread;
    thread->nowhere->last = NVTXH_I_STATS_FIRST;
    thread->outermost.sum = thread->nowhere;
    thread->top = &thread->outermost;
    thread->no_counter = !registry->counter;
    thread->arena = arena;
    thread->resets = thread->resets_asked = registry->resets;
    thread->next = registry->threads;
    __atomic_store_n(&registry->threads, thread, __ATOMIC_RELEASE);
    return thread;
}

/* Finds or makes the thread's table of entries for this linked object. Returns the distance from a
 * site to its entry (`to_entries`); 0: no memory. The caller holds the registry's lock. */
static inline uintptr_t nvtxh_i_stats_entries(struct nvtxh_i_stats_thread *thread) {
    size_t n = (size_t)(__stop_nvtxh_sites - __start_nvtxh_sites);
    struct nvtxh_i_stats_table *table, *found = NULL;

    for (table = thread->tables; table; table = table->next) {
        if (table->object == &nvtxh_i_stats_object || (!table->object && table->n == n && !found)) {
            found = table;
        }
    }
    if (found && !found->object) {
        memset(found->of, 0, n * sizeof(found->of[0]));
    }
    if (!found) {
        found = NVTXH_I_STATS_ALLOC(struct nvtxh_i_stats_table, &thread->arena,
                                    sizeof(*found) + n * sizeof(found->of[0]));
        if (!found) {
            return 0;
        }
        found->n = n;
        found->next = thread->tables;
        thread->tables = found;
    }
    found->object = &nvtxh_i_stats_object;
    return (uintptr_t)(&found->of[0]) - (uintptr_t)__start_nvtxh_sites;
}

/* The state of the calling thread; NULL: no memory, or statistics have never been on. */
NVTXH_I_COLD struct nvtxh_i_stats_thread *nvtxh_i_stats_attach(void) {
    struct nvtxh_i_stats_registry *registry = nvtxh_i_stats_shared();
    struct nvtxh_i_stats_thread *thread = nvtxh_i_stats_here.thread, *other;
    uintptr_t self = nvtxh_i_thread_pointer();
    int saved_errno = errno;
    uint64_t blocked;
    uint32_t tid;

    if (thread || !registry) {
        return thread;
    }
    tid = nvtxh_i_gettid();
    nvtxh_i_stats_make_slots();
    nvtxh_i_spin_lock(&registry->lock, &blocked);
    /* Another linked object may have made this thread's state. A state with this thread pointer and
     * another tid belongs to a thread that has ended. */
    for (other = registry->threads; other; other = other->next) {
        if (other->self == self && other->tid == tid) {
            thread = other;
        } else if (other->self == self) {
            other->tid = 0;
        }
    }
    if (!thread) {
        thread = nvtxh_i_stats_left(registry);
        if (!thread) {
            thread = nvtxh_i_stats_new_thread(registry);
        }
        if (thread) {
            nvtxh_i_stats_adopt(thread);
            thread->tid = tid;
            thread->self = self;
        }
    }
    if (thread) {
        nvtxh_i_stats_here.to_entries = nvtxh_i_stats_entries(thread);
    }
    nvtxh_i_spin_unlock(&registry->lock, &blocked);
    nvtxh_i_stats_here.thread = thread;
    errno = saved_errno;
    return thread;
}

/* --- the sum --- */

/* The thread's sum for row NUMBER. Returns `nowhere` for number 0, or if there is no memory. */
NVTXH_I_COLD struct nvtxh_i_stats_sum *nvtxh_i_stats_sum_of(struct nvtxh_i_stats_thread *thread,
                                                            size_t number) {
    struct nvtxh_i_stats_sums *sums = thread->sums, *larger;
    struct nvtxh_i_stats_sum *sum;
    size_t i, n = 2 * number + 16;

    if (number >= sums->n) {
        larger = NVTXH_I_STATS_ALLOC(struct nvtxh_i_stats_sums, &thread->arena,
                                     sizeof(*sums) + n * sizeof(sums->of[0]));
        if (!larger) {
            return thread->nowhere;
        }
        larger->n = n;
        for (i = 0; i < sums->n; i++) {
            larger->of[i] = sums->of[i];
        }
        __atomic_store_n(&thread->sums, larger, __ATOMIC_RELEASE);
        sums = larger;
    }
    if (!number) {
        return thread->nowhere;
    }
    if (!sums->of[number]) {
        sum = NVTXH_I_STATS_ALLOC(struct nvtxh_i_stats_sum, &thread->arena, sizeof(*sum));
        if (!sum) {
            return thread->nowhere;
        }
        sum->min = UINT64_MAX;
        sum->last = NVTXH_I_STATS_NONE;
        sum->thread = thread;
        __atomic_store_n(&sums->of[number], sum, __ATOMIC_RELEASE);
    }
    return sums->of[number];
}

/* Carries out a reset of this thread's counts. Only the thread itself calls this function. */
NVTXH_I_COLD void nvtxh_i_stats_follow(struct nvtxh_i_stats_thread *thread) {
    uint32_t asked = __atomic_load_n(&thread->resets_asked, __ATOMIC_ACQUIRE);
    struct nvtxh_i_stats_frame *frame;
    size_t i;

    for (i = 1; i < thread->sums->n; i++) {
        if (thread->sums->of[i]) {
            nvtxh_i_stats_zero(thread->sums->of[i]);
        }
    }
    for (frame = thread->top; frame != &thread->outermost; frame = frame->below) {
        frame->sum = thread->nowhere;
    }
    __atomic_store_n(&thread->resets, asked, __ATOMIC_RELEASE);
}

/* --- what is open --- */

/* Makes a free frame, above the top. NULL: no memory. */
NVTXH_I_COLD struct nvtxh_i_stats_frame *nvtxh_i_stats_new_frame(
    struct nvtxh_i_stats_thread *thread) {
    struct nvtxh_i_stats_frame *frame =
        NVTXH_I_STATS_ALLOC(struct nvtxh_i_stats_frame, &thread->arena, sizeof(*frame));

    if (frame) {
        frame->thread = thread;
        frame->below = thread->top;
        thread->top->above = frame;
    }
    return frame;
}

/* Moves an open frame, not always the innermost, above the top, where the free frames are. */
static inline void nvtxh_i_stats_unlink(struct nvtxh_i_stats_thread *thread,
                                        struct nvtxh_i_stats_frame *frame) {
    struct nvtxh_i_stats_frame *top = thread->top;

    frame->open = 0;
    if (frame == top) {
        thread->top = frame->below;
        return;
    }
    frame->above->below = frame->below;
    frame->below->above = frame->above;
    frame->below = top;
    frame->above = top->above;
    if (top->above) {
        top->above->below = frame;
    }
    top->above = frame;
}

NVTXH_I_C_END

#endif
