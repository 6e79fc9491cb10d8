/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "thread.h"
#include "chunk_prefetch.h"
#include "registry.h"
#include "../../nvtxh/core/system.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- memory ----------------------------------------------------------------------------------- */

#define DEPTH_SIZE ((size_t)(REC_DOMAIN_MAX + 1) * sizeof(uint32_t))

enum {
    SLAB_MOST = 64,  /* the most threads of a slab */
    SLAB_FIRST = 63, /* this many threads get memory before mappings are counted */
    PAGE = 1 << 16,  /* bytes of the largest page that a system may have */
};
static const size_t state_size = (sizeof(struct thread) + PAGE - 1) / PAGE * PAGE;

/* A mapping with the states of `count` threads, followed by their depths. Slabs are never unmapped.
 * The first slab is for one thread, each later slab for twice as many as its predecessor, up to
 * SLAB_MOST. */
struct slab {
    struct slab *next;
    uint64_t free; /* a bit for each thread; 1: its memory is free */
    char *states, *depths;
    size_t count, before; /* threads of this slab; threads of all older slabs */
};

static struct slab **slabs; /* *slabs: the newest; NULL in a forked child, which makes its own */

static struct slab *make_slab(size_t count, size_t before) {
    struct slab *s = arena_new(sizeof(*s));
    size_t states = count * state_size, size = states + count * DEPTH_SIZE;
    char *map = s ? mmap(NULL, size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                  : MAP_FAILED;

    if (map == MAP_FAILED) {
        return NULL;
    }
    madvise(map, size, MADV_NOHUGEPAGE); /* a thread uses only some pages of its state */
    wiped_memory_mark(map, states);
    *s = (struct slab){.free = UINT64_MAX >> (64 - count),
                       .states = map,
                       .depths = map + states,
                       .count = count,
                       .before = before};
    return s;
}

/* Adds a slab before `head`. True if there is a new slab, perhaps another thread's. */
static bool add_slab(struct slab *head) {
    size_t count = !head ? 1 : head->count < SLAB_MOST ? 2 * head->count : SLAB_MOST;
    size_t before = head ? head->before + head->count : 0;
    struct slab *s = NULL;

    if (before >= SLAB_FIRST && !mappings_may_add()) {
        errno = EUSERS;
        return false;
    }
    for (; count && !s; count /= 2) { /* RLIMIT_AS may leave room only for a smaller slab */
        s = make_slab(count, before);
    }
    if (!s) {
        return false;
    }
    s->next = head;
    if (!__atomic_compare_exchange_n(slabs, &head, s, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
        munmap(s->states, s->count * (state_size + DEPTH_SIZE));
    }
    return true;
}

/* Returns a state with depths for all domains; all else is zero. NULL on failure, with EUSERS if
 * the process must not have more mappings. Takes no lock; may be called in a signal handler. */
static struct thread *thread_memory_new(void) {
    for (;;) {
        struct slab *head = __atomic_load_n(slabs, __ATOMIC_ACQUIRE);
        for (struct slab *s = head; s; s = s->next) {
            uint64_t free = __atomic_load_n(&s->free, __ATOMIC_RELAXED);
            while (free) {
                size_t i = (size_t)__builtin_ctzll(free);
                if (__atomic_compare_exchange_n(&s->free, &free, free & (free - 1), false,
                                                __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
                    struct thread *t = (void *)(s->states + i * state_size);
                    t->depth = (uint32_t *)(void *)(s->depths + i * DEPTH_SIZE);
                    return t;
                }
            }
        }
        if (!add_slab(head)) {
            return NULL;
        }
    }
}

/* Zeroes the memory, and gives its pages back to the system. */
static void clear_pages(char *at, size_t size) {
    if (madvise(at, size, MADV_DONTNEED) != 0) { /* the program has locked the memory (mlockall) */
        memset(at, 0, size);
    }
}

/* Frees a state and its depths. In a forked child, the forking thread's state and depths are in a
 * slab of the parent, which the child does not reuse. */
static void thread_memory_free(void *thread) {
    int error = errno;

    clear_pages(thread, state_size);
    for (struct slab *s = __atomic_load_n(slabs, __ATOMIC_ACQUIRE); s; s = s->next) {
        size_t i = (size_t)((char *)thread - s->states) / state_size;
        if (i < s->count) {
            clear_pages(s->depths + i * DEPTH_SIZE, DEPTH_SIZE);
            __atomic_fetch_or(&s->free, UINT64_C(1) << i, __ATOMIC_RELEASE);
        }
    }
    errno = error;
}

/* --- names ------------------------------------------------------------------------------------ */

static struct thread_name **all; /* list guarded by the registry's lock; empty in a forked child */

static bool look_up(uint32_t tid, char ret_text[16]) {
    char path[64];

    if (tid == (uint32_t)syscall(SYS_gettid)) { /* a thousand times as fast as reading the file */
        return prctl(PR_GET_NAME, ret_text) == 0;
    }
    snprintf(path, sizeof(path), "/proc/self/task/%u/comm", (unsigned)tid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    ssize_t size = read(fd, ret_text, 16);
    close(fd);
    if (size < 2) {
        return false;
    }
    ret_text[size - 1] = 0; /* in place of the newline */
    return true;
}

/* Writes the system's name of a thread if the name has changed, unless the program has named the
 * thread by NVTX, or the name is just the program's, which all threads have at first. */
static void write_name(struct stream *definitions, struct thread_name *n) {
    char text[16];

    if (look_up(n->tid, text) && strcmp(text, n->text) != 0 &&
        strncmp(text, program_invocation_short_name, 15) != 0 && !registry_has_thread(n->tid) &&
        stream_write_long(definitions, rec_word(REC_THREAD, REC_THREAD_BY_SYSTEM), n->tid, text,
                          strlen(text))) {
        memcpy(n->text, text, sizeof(text));
    }
}

/* Puts the thread into the list of names. Called with the registry locked when the thread gets a
 * stream, a new one or one taken over from an ended thread. Allocates nothing. */
static void thread_name_begin(struct stream *definitions, struct thread_name *n, uint32_t tid) {
    n->begun = true;
    n->tid = tid;
    n->text[0] = 0;
    if (!n->from) {
        n->next = *all;
        n->from = all;
        *all = n;
        if (n->next) {
            n->next->from = &n->next;
        }
    }
    write_name(definitions, n);
}

static void thread_name_end(struct thread_name *n) {
    if (!n->begun) {
        return;
    }
    write_name(registry_lock(), n);
    *n->from = n->next;
    if (n->next) {
        n->next->from = n->from;
    }
    n->from = NULL;
    n->begun = false; /* another thread may get this memory and not record */
    registry_unlock();
}

void thread_name_write_all(struct stream *definitions) {
    for (struct thread_name *n = *all; n; n = n->next) {
        write_name(definitions, n);
    }
}

/* --- states ----------------------------------------------------------------------------------- */

__thread struct thread *thread_self NVTXH_WRITE_TLS;
static pthread_key_t key;

static void discard(struct thread *t) {
    stream_close(&t->stream);
    thread_memory_free(t);
}

/* The states of ended threads, kept for new threads, which continue their streams. So a program
 * whose threads are short-lived does not need a new stream, with room in the file, for each. */
enum { SPARE = 32 };

static void **spare; /* wiped in forked children */

/* Whether the thread has popped all it pushed. If it has not, its state cannot be reused, because a
 * new thread's events would seem to be nested in the open ranges. */
static bool has_nothing_open(const struct thread *t) {
    enum { MOST = 1000 }; /* with as many domains, the search would cost more than it saves */
    uint32_t domains = __atomic_load_n(&handle_domains, __ATOMIC_RELAXED), open = 0;

    for (uint32_t i = 0; i <= domains && domains < MOST; i++) {
        open |= t->depth[i];
    }
    return domains < MOST && !open;
}

/* Keeps the state of an ended thread for a new one. False: the state cannot be reused, or enough
 * states are kept. */
static bool put_spare(struct thread *t) {
    if (thread_is_busy(t) || !has_nothing_open(t)) { /* busy: ended in the middle of an event */
        return false;
    }
    t->ready = 0;
    return free_list_put(spare, stream_rest_places(&t->stream, SPARE), t);
}

void thread_close_spare(void) {
    struct thread *t;

    while ((t = free_list_get(spare, SPARE)) != NULL) {
        discard(t);
    }
}

/* Runs when a thread ends, and again if a later destructor of the program makes events. */
static void detach(void *memory) {
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
    if (attached && !thread_is_busy(t) && t->stream.number == file_recording() &&
        t->stream.number && !has_nothing_open(t)) {
        stream_write_pieces(&t->stream, rec_word(REC_EXTENDED, 0), REC_EXTENDED_ENDED, NULL, 0, 0);
    }
    gate_release_thread();
    if (!attached || !put_spare(t)) {
        discard(t);
    }
    if (attached) {
        chunk_prefetch_leave();
    }
}

bool thread_init(void) {
    all = wiped_memory_share(sizeof(struct thread_name *));
    spare = wiped_memory_share(SPARE * sizeof(*spare));
    slabs = wiped_memory_share(sizeof(struct slab *));
    if (!all || !spare || !slabs) {
        return false;
    }
    errno = pthread_key_create(&key, detach);
    return !errno;
}

/* The address of the thread's depths, to find them again after a fork has wiped the state. */
static __thread uint32_t *kept_depth NVTXH_WRITE_TLS;

/* Numbers the threads. A forked child counts on, so its range ids differ from those it inherits. */
static uint64_t serials;

/* Makes a thread's state, with all depths 0; NULL on failure. */
static struct thread *make_thread(void) {
    struct thread *t = free_list_get(spare, SPARE);

    t = t ? t : thread_memory_new();
    if (t && pthread_setspecific(key, t) != 0) {
        discard(t);
        t = NULL;
    }
    return t;
}

/* Continues the stream, if any, that an ended thread has left. Closes the stream if that fails. */
static void resume(struct thread *t, uint32_t tid) {
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

struct thread *thread_attach(bool counts) {
    int error = errno, cancel;
    struct thread *t = thread_self;
    bool begins = !t;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    if (begins) {
        t = make_thread();
        kept_depth = t ? t->depth : NULL;
    }
    if (t) {
        uint32_t tid = (uint32_t)syscall(SYS_gettid);
        if (begins) {
            thread_begin(t); /* so that signal handlers do not use the state */
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

/* Resets what the abandoned event may have half changed. */
static struct thread *adopt(struct thread *t) {
    losses_count(REC_LOSS_LEFT);
    intern_forget(&t->intern);
    memset(&t->presets, 0, sizeof(t->presets));
    stream_leave(&t->stream);
    t->ready = 0;
    return t;
}

struct thread *thread_aside(struct thread *t, uintptr_t here) {
    int error = errno;
    struct thread *inner = t->inner;

    if (nvtxh_i_is_left(t->ready, here)) { /* a handler has jumped out of the event */
        return adopt(t);
    }
    if (inner && thread_is_busy(inner) && nvtxh_i_is_left(inner->ready, here)) {
        adopt(inner);
    }
    if (!inner) {
        inner = thread_memory_new();
        if (inner) {
            inner->depth = t->depth;
            inner->serial = __atomic_add_fetch(&serials, 1, __ATOMIC_RELAXED);
            inner->stream = (struct stream){.tid = t->stream.tid, .in_handlers = 1};
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

bool thread_renew(struct thread *t, uint32_t number) {
    struct stream *definitions = registry_lock();
    struct stream fresh = {.tid = t->stream.tid, .in_handlers = t->stream.in_handlers};

    stream_close(&t->stream);
    intern_forget(&t->intern);
    presets_forget(&t->presets);
    bool renewed = process_log_new_stream(number, &fresh);
    if (!renewed) {
        losses_count(REC_LOSS_NO_STREAM);
    } else if (!fresh.in_handlers) {
        thread_name_begin(definitions, &t->name, fresh.tid);
    }
    t->stream = fresh;
    registry_unlock();
    return renewed;
}

/* --- a fork in a signal handler that has interrupted an event --------------------------------- */

/* The memory that an event is being written to. */
struct target {
    struct rec_chunk *chunk;
    size_t size;
};

/* The event that a forking signal handler has interrupted. */
static __thread struct {
    uint64_t busy;              /* `ready` of the interrupted state; 0: no event was interrupted */
    struct target usual, aside; /* of the stream; of the stream for signal handlers */
} forking NVTXH_WRITE_TLS;

/* The chunk of a state's stream, and the chunk's size, which is not read from the header: other
 * processes can write there. In a dead stream, `end` is 0: then the size is REC_ALIGN, for the
 * header, where the event may count a loss. */
static struct target target_of(const struct thread *t) {
    const struct stream *s = t ? &t->stream : NULL;

    return s && s->chunk ? (struct target){s->chunk, s->end ? s->end : REC_ALIGN}
                         : (struct target){NULL, 0};
}

void thread_fork_before(void) {
    const struct thread *t = thread_self;

    forking.busy = t && thread_is_busy(t) ? t->ready : 0;
    forking.usual = target_of(t);
    forking.aside = target_of(t ? t->inner : NULL);
}

/* In the child, the interrupted event goes on writing to the addresses that it has in registers. So
 * memory of the child's own replaces the parent's chunk there. */
static struct rec_chunk *replace_chunk(struct target target) {
    struct rec_chunk *own = target.chunk ? mmap(target.chunk, target.size, PROT_READ | PROT_WRITE,
                                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
                                         : MAP_FAILED;
    if (own == MAP_FAILED) {
        return NULL;
    }
    own->size = (uint32_t)target.size;
    own->used = REC_CHUNK_HEADER;
    return own;
}

void thread_fork_in_child(void) {
    struct thread *t = thread_self;

    if (t && !wiped_memory_works()) {
        memset(t, 0, sizeof(*t));
    }
    if (forking.busy && t) {
        int error = errno;
        t->stream.chunk = replace_chunk(forking.usual);
        replace_chunk(forking.aside);
        thread_attach(true);     /* the event also needs the depths */
        t->ready = forking.busy; /* until that event ends, the handler's own events go to `inner` */
        errno = error;
    }
}
