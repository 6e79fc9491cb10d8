/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* A thread's own state while it records: its stream, the texts it has used, its depth in each
 * domain. The state is made at the thread's first event, and released when the thread ends. */
#include "file.h"
#include "gate.h"
#include "handle.h"
#include "losses.h"
#include "memory.h"
#include "preset.h"
#include "stream.h"

#include <stdbool.h>
#include <stdint.h>

/* The system's name of a thread (pthread_setname_np); all zero before the thread records. The name
 * is recorded, unless the program has named the thread with NVTX, or the name is just that of the
 * program, which all threads have at first. The name is read when a thread gets a stream, and when
 * the thread or the recording ends. */
struct thread_name {
    struct thread_name *next, **from; /* the next in the list of names; *from points to this name */
    uint32_t tid;
    bool begun;    /* the name is in the list; only the thread itself accesses this */
    char text[16]; /* the name that was recorded last */
};

struct thread {
    /* `ready` is the number of the recording (odd) while the fast path may write, the stack pointer
     * (even) while an event is being written, and otherwise 0: events take the slow path. While an
     * event is being written, signal handlers write to another stream. */
    uint64_t ready;
    uint64_t last; /* the last offset in the chunk where a record of the fast path fits; 0: none */
    uint32_t high; /* upper half of the stream's `base` */
    struct stream stream; /* if its `number` is 0: not made yet, or wiped by a fork */
    uint32_t *depth;      /* how many pushes are open in each domain; forks do not wipe this */
    uint64_t serial;      /* the thread's number in the process, from 1 */
    uint64_t ranges;      /* how many process ranges the thread has begun */
    struct thread *inner; /* for signal handlers that find this state busy; made at first use */
    struct thread_name name;
    struct intern intern;
    struct presets presets;
};

enum { THREAD_FAST_BYTES = 16 }; /* bytes of the fast path's longest record */

extern __thread struct thread *thread_self NVTXH_WRITE_TLS;

bool thread_init(void);

/* Called when the recording has stopped: closes the streams that ended threads have left. */
void thread_close_spare(void);

/* Writes the names of all threads at the end of the recording. Call it with the registry locked. */
void thread_name_write_all(struct stream *definitions);

/* Makes the calling thread's state; NULL on failure, which counts as a lost event if `counts`. */
struct thread *thread_attach(bool counts);

/* Called if the thread is busy with an event, usually from a signal handler that has interrupted
 * the event. Returns the state for signal handlers (`inner`), or NULL if that is busy or cannot be
 * made. If the event was abandoned, because a handler has jumped out of it, counts a REC_LOSS_LEFT
 * and returns `t`, which is free again. `here`: the current stack pointer. */
struct thread *thread_aside(struct thread *t, uintptr_t here);

/* Gives the thread a new stream in recording `number`. False on failure, which counts a loss. */
bool thread_renew(struct thread *t, uint32_t number);

/* Stores the stack pointer in `ret`. Takes no more instructions than storing another value. */
#if defined(__x86_64__) && defined(__LP64__)
#define THREAD_STACK_END(ret) __asm__ volatile("movq %%rsp, %0" : "=m"(ret))
#elif defined(__aarch64__)
#define THREAD_STACK_END(ret) __asm__ volatile("mov %0, sp" : "=r"(ret))
#else
#define THREAD_STACK_END(ret) ((ret) = (uintptr_t)__builtin_frame_address(0))
#endif

/* Marks the thread busy: from here on, a signal handler writes to another stream. A handler that
 * ran before may have changed all of the thread's state, so callers read the state only after this
 * call. thread_aside sees from the stack pointer whether a handler has jumped out of the event. */
static inline void thread_begin(struct thread *t) {
    THREAD_STACK_END(t->ready);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline bool thread_is_busy(const struct thread *t) {
    return t->ready && !(t->ready & 1);
}

/* Begins an event. If the event cannot be recorded, counts a loss and returns NULL. Otherwise
 * thread_leave must follow. */
static inline struct thread *thread_enter(void) {
    struct thread *t = thread_self;

    if (__builtin_expect(!t, 0)) {
        t = thread_attach(true);
        if (!t) {
            return NULL;
        }
    }
    if (__builtin_expect(thread_is_busy(t), 0)) {
        uintptr_t here;
        THREAD_STACK_END(here);
        t = thread_aside(t, here);
        if (!t) {
            return NULL;
        }
    }
    thread_begin(t);
    if (__builtin_expect(!t->depth, 0)) { /* a fork, perhaps in a handler, has wiped the state */
        thread_attach(true);
        t->depth = thread_self->depth;
    }
    return t;
}

static inline struct thread *thread_enter_domain(uint32_t domain) {
    return domain == DOMAIN_UNWANTED ? NULL : thread_enter();
}

/* Ends an event. From here on the fast path may be used, if the stream has a chunk, and the time in
 * gate_check is not near. */
static inline void thread_leave(struct thread *t) {
    const struct stream *s = &t->stream;
    bool ready = s->end && !gate_check_is_near(s->base);

    /* If `ready` is false, `last` becomes 0, too: the caller may be a signal handler that has
     * interrupted the fast path after it read `t->ready`, and before it reads `last`. */
    t->high = (uint32_t)(s->base >> 32);
    t->last = ready ? s->end - THREAD_FAST_BYTES : 0;
    presets_keep(&t->presets, s);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t->ready = ready ? s->number : 0;
}

/* Whether this thread's events are recorded now, and have a stream to go to. */
static inline bool thread_records(struct thread *t) {
    uint32_t open = gate_recording();
    uint64_t check = __atomic_load_n(&gate_check, __ATOMIC_RELAXED);

    if (__builtin_expect(!open || gate_has_request() ||
                             (check != UINT64_MAX && clock_ticks(file_clock) >= check),
                         0)) {
        open = gate_poll() ? gate_recording() : 0;
    }
    if (__builtin_expect(!open, 0)) {
        return false;
    }
    return __builtin_expect(t->stream.number == open, 1) || thread_renew(t, open);
}

/* Returns an id that is unique in the process, without synchronization: it is made of the thread's
 * serial number and the number of the range in the thread. */
static inline uint64_t thread_new_range(struct thread *t) {
    return t->serial << 40 | ++t->ranges;
}

/* If a signal handler that has interrupted an event forks, the event continues in the child. These
 * functions make it write to memory of the child's own. The forking thread calls thread_fork_before
 * before the fork, and thread_fork_in_child in the child, after the kernel has wiped the memory. */
void thread_fork_before(void);
void thread_fork_in_child(void);
