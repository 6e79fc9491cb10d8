/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "thread.h"
#include "chunk_prefetch.h"
#include "losses.h"
#include "part.h"
#include "registry.h"
#include "shelf.h"
#include "thread_memory.h"
#include "wiped_memory.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <string.h>

__thread struct thread *thread_self NVTXH_WRITE_TLS;
static pthread_key_t key;

static void discard(struct thread *t)
{
    stream_close(&t->stream);
    thread_memory_free(t);
}

/* What ended threads leave to new ones: their state, and their stream if it can be continued. So a program with short
 * threads does not need a new stream, and its room in the file, for each thread. */
enum { SPARE = 32 };

static struct {
    void *with_stream[SPARE], *without[SPARE];
} * spare; /* wiped in forked children, which inherit none of this */

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

/* Keeps the state of an ended thread for a new one. False: the state cannot be reused, or enough are kept. Then the
 * state is unchanged, but its stream may be closed. */
static bool put_spare(struct thread *t)
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

/* Takes the state of an ended thread; NULL if there is none. The depths are zero. If the stream has a number, it can be
 * continued with stream_resume. */
static struct thread *take_spare(void)
{
    struct thread *t = shelf_get(spare->with_stream, SPARE);

    return t ? t : shelf_get(spare->without, SPARE);
}

/* The C library runs this again if a later destructor of the program makes events. */
static void detach(void *memory)
{
    struct thread *t = memory;

    if (t == thread_self) {
        thread_self = NULL;
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread_name_end(&t->name);
    if (t->inner) {
        discard(t->inner);
        t->inner = NULL;
    }
    bool attached = t->depth != NULL; /* false if a fork has wiped the state */
    if (!attached || !put_spare(t)) {
        discard(t);
    }
    if (attached) {
        chunk_prefetch_leave();
    }
}

bool thread_init(void)
{
    spare = wiped_memory_share(sizeof(*spare));
    if (!spare || !thread_memory_init(sizeof(struct thread)) || !thread_name_init()) {
        return false;
    }
    errno = pthread_key_create(&key, detach);
    return !errno;
}

/* A fork wipes the thread's state, but the depths must be found again, so their address is kept here. */
static __thread uint32_t *kept_depth NVTXH_WRITE_TLS;

/* A forked child continues the parent's count, so that no two threads of both have the same number. */
static uint64_t serials;

/* Makes a thread's state, with all depths 0; NULL on failure. */
static struct thread *make(void)
{
    struct thread *t = take_spare();
    uint32_t *depth;

    if (!t && (t = thread_memory_new(&depth)) != NULL) {
        t->depth = depth;
    }
    if (t && pthread_setspecific(key, t) != 0) {
        discard(t);
        t = NULL;
    }
    return t;
}

/* Continues the stream that another thread has left, or closes it. */
static void resume(struct thread *t, uint32_t tid)
{
    if (!t->stream.number) {
        return;
    }
    if (stream_resume(&t->stream, tid)) {
        thread_name_begin(registry_lock(), &t->name, tid);
        registry_unlock();
    } else {
        stream_close(&t->stream);
    }
}

struct thread *thread_attach(bool counts)
{
    int error = errno;
    int cancel;
    struct thread *t = thread_self;
    bool begins = !t;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    if (begins) {
        t = make();
        kept_depth = t ? t->depth : NULL;
    }
    if (t) {
        uint32_t tid = (uint32_t)syscall(SYS_gettid);
        if (begins) {
            thread_begin(t); /* so that signal handlers do not use the thread meanwhile */
        }
        t->serial = __atomic_add_fetch(&serials, 1, __ATOMIC_RELAXED);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        t->depth = kept_depth;
        thread_self = t;
        chunk_prefetch_enter();
        if (begins) {
            resume(t, tid);
            t->ready = 0;
        }
        t->stream.tid = tid;
    } else if (counts) {
        losses_count(REC_LOSS_NO_STREAM);
        losses_add(REC_LOSS_MAPPINGS, errno == EUSERS);
    }
    pthread_setcancelstate(cancel, NULL);
    errno = error;
    return t;
}

/* The least distance in bytes on the stack between an event and a signal handler that interrupts it. The kernel puts
 * over 1000 bytes between them; ThreadSanitizer, which defers handlers and calls them from the next function of the C
 * library that we call, 460. Where no handler is between them, our own functions take 300 at most,
 * 390 without optimization. */
enum { HANDLER_LEAST = 392 };

/* Whether a signal handler has jumped out of the event that keeps the thread busy. Then the event is no longer on the
 * stack, which ends at `here`. A handler that only interrupts the event runs further down, or on the alternate stack.
 * */
static bool was_left(const struct thread *t, uintptr_t here)
{
    stack_t other = {.ss_flags = SS_DISABLE};

    sigaltstack(NULL, &other);
    bool began_there = t->ready - (uintptr_t)other.ss_sp < other.ss_size;
    bool is_there = other.ss_flags & SS_ONSTACK;
    if (began_there != is_there) {
        return began_there;
    }
    return here > t->ready - HANDLER_LEAST;
}

/* Resets what the event may have left half changed. */
static struct thread *take_over(struct thread *t)
{
    losses_count(REC_LOSS_LEFT);
    intern_forget(&t->intern);
    memset(&t->presets, 0, sizeof(t->presets));
    stream_leave(&t->stream);
    t->ready = 0;
    return t;
}

struct thread *thread_aside(struct thread *t, uintptr_t here)
{
    int error = errno;
    struct thread *inner = t->inner;

    if (was_left(t, here)) {
        return take_over(t);
    }
    if (inner && thread_is_busy(inner) && was_left(inner, here)) {
        take_over(inner);
    }
    if (!inner) {
        uint32_t *unused;
        inner = thread_memory_new(&unused);
        if (inner) {
            inner->depth = t->depth;
            inner->serial = __atomic_add_fetch(&serials, 1, __ATOMIC_RELAXED);
            inner->stream = (struct stream){.tid = t->stream.tid, .lane = 1};
            t->inner = inner;
        }
    }
    if (!inner || thread_is_busy(inner)) {
        losses_count(REC_LOSS_NESTED);
        inner = NULL;
    }
    errno = error;
    return inner;
}

bool thread_renew(struct thread *t, uint32_t number)
{
    struct stream *definitions = registry_lock();
    struct stream fresh = {.tid = t->stream.tid, .lane = t->stream.lane};

    stream_close(&t->stream);
    intern_forget(&t->intern);
    presets_forget(&t->presets);
    bool renewed = part_new_stream(number, &fresh);
    if (!renewed) {
        losses_count(REC_LOSS_NO_STREAM);
    } else if (!fresh.lane) {
        thread_name_begin(definitions, &t->name, fresh.tid);
    }
    t->stream = fresh;
    registry_unlock();
    return renewed;
}
