/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_INJECT_THREAD_H
#define NVTXH_INJECT_THREAD_H
/*
 * What one thread has to itself while it records: its stream, the texts it has used, its depth in
 * each domain. Made at the thread's first event, given back when the thread ends.
 */
#include "gate.h"
#include "intern.h"
#include "process.h"
#include "stream.h"

#include <stdbool.h>
#include <stdint.h>

struct thread {
    struct stream stream; /* number 0: not made yet, or wiped by a fork */
    uint32_t *depth;      /* by domain; survives a fork, as the ranges themselves do */
    bool busy;            /* an event is being written: a signal handler must keep off */
    int capture;          /* depth of the push that a capture began with, and 1; 0: none */
    uint32_t capture_domain, capture_number;
    uint64_t serial;      /* of the thread, in the process */
    uint64_t ranges;      /* process ranges begun */
    struct thread *inner; /* for signal handlers that find it busy; made when first needed */
    struct intern intern;
};

/* The model costs one instruction instead of a call; a pointer always fits what glibc keeps free.
 */
#if defined(__GLIBC__) && !defined(NVTXH_INJECT_NO_INITIAL_EXEC)
#define NVTXH_INJECT_TLS __attribute__((tls_model("initial-exec")))
#else
#define NVTXH_INJECT_TLS
#endif
extern __thread struct thread *thread_self NVTXH_INJECT_TLS;

bool thread_init(void);

/* Makes the calling thread's state; NULL if that cannot be, now or ever. */
struct thread *thread_attach(void);

/* For a signal handler that interrupts an event: a stream aside. NULL if that is busy as well. */
struct thread *thread_aside(struct thread *t);

/* Gives it a stream in the recording of that number. False: there is none to be had. */
bool thread_renew(struct thread *t, uint32_t number);

/* In a forked child whose memory was not wiped: begin anew. */
void thread_forget(void);

/* Begins an event. NULL if it cannot be recorded; that is counted. Every other answer must be given
 * back with thread_leave. */
static inline struct thread *thread_enter(void)
{
    struct thread *t = thread_self;

    if (__builtin_expect(!t || !t->depth, 0)) {
        t = thread_attach();
        if (!t) {
            return NULL;
        }
    }
    if (__builtin_expect(t->busy, 0)) {
        t = thread_aside(t);
        if (!t) {
            return NULL;
        }
    }
    t->busy = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return t;
}

static inline void thread_leave(struct thread *t)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t->busy = false;
}

/* Whether this thread's events are recorded now, and have a stream to go to. */
static inline bool thread_records(struct thread *t)
{
    uint32_t open = __atomic_load_n(&gate_open, __ATOMIC_ACQUIRE);
    uint64_t check = __atomic_load_n(&gate_check, __ATOMIC_RELAXED);

    if (__builtin_expect(!open || (check != UINT64_MAX && clock_ticks(output_clock) >= check), 0)) {
        open = gate_poll() ? __atomic_load_n(&gate_open, __ATOMIC_ACQUIRE) : 0;
    }
    return open && (__builtin_expect(t->stream.number == open, 1) || thread_renew(t, open));
}

#endif /* NVTXH_INJECT_THREAD_H */
