/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "process.h"
#include "comm.h"
#include "gate.h"
#include "names.h"
#include "options.h"
#include "output.h"
#include "ring.h"
#include "stream.h"
#include "supply.h"
#include "table.h"
#include "thread.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

enum { PART_NONE, PART_READY, PART_FAILED };
enum { INFO_OFFSET = REC_CHUNK_HEADER + 16 }; /* in the first chunk of names */

struct part {
    pthread_mutex_t lock; /* all zero is an unlocked one */
    uint32_t state;
    uint32_t recording; /* whose part it is */
    uint32_t number;
    uint32_t streams;
    struct ring *ring;
    struct stream names;
    struct rec_process *info; /* in the first chunk of names, which stays mapped */
};

static struct part *part; /* wiped in forked children */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pid_t first_pid;
static uint64_t ring_wanted;

/* For programs that say when they are recorded. */
static bool by_program;
static _Atomic bool by_capture;
static pthread_mutex_t control = PTHREAD_MUTEX_INITIALIZER;
static struct rec_process *old_info; /* of the last recording: another thread may still count */

void *process_private_memory(size_t size)
{
    void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (map == MAP_FAILED) {
        return NULL;
    }
    madvise(map, size, MADV_WIPEONFORK);
    return map;
}

/* Before Linux 4.14 nothing wipes memory: then at least fork() itself is taken care of. */
static void wipe_by_hand(void)
{
    memset(part, 0, sizeof(*part));
    supply_forget();
    thread_forget();
}

static void init_any(bool open)
{
    int error = errno;
    struct part *memory = process_private_memory(sizeof(*memory));

    first_pid = getpid();
    output_clock = clock_choose();
    options_read();
    names_init();
    ring_wanted = options.ring;
    if (memory && thread_init() && (!open || output_open() == 0)) {
        if (madvise(memory, sizeof(*memory), MADV_WIPEONFORK) < 0) {
            pthread_atfork(NULL, NULL, wipe_by_hand);
        }
        supply_init();
        part = memory;
        by_program = !open;
        if (open) {
            gate_begin(output_number());
        }
    } else if (memory) {
        munmap(memory, sizeof(*memory));
    }
    errno = error;
}

/* The library that is linked into programs waits to be told. */
#ifdef NVTXH_RECORD_LINKED
#define OPEN_AT_ONCE false
#else
#define OPEN_AT_ONCE true
#endif

static void init(void)
{
    init_any(OPEN_AT_ONCE);
}

static void begin(struct part *p)
{
    struct {
        struct rec_process fixed;
        char exe[PATH_MAX];
    } body = {
        .fixed =
            {
                .pid = (uint32_t)getpid(),
                .ppid = (uint32_t)getppid(),
                .forked = getpid() != first_pid,
                .version = REC_VERSION,
                .start = clock_sample(output_clock),
            },
    };
    uint32_t recording = output_number();
    uint32_t state = PART_FAILED;

    p->number = output_next_process();
    p->streams = 0;
    p->ring = NULL;
    p->names = (struct stream){
        .number = recording, .process = p->number, .tid = body.fixed.pid, .pinned = true};
    if (ring_wanted) {
        p->ring = ring_new(recording, ring_wanted);
        if (!p->ring) {
            output_complain(recording, errno);
        }
        body.fixed.ring = p->ring ? ring_size(p->ring) : 0;
    }
    gethostname(body.fixed.host, sizeof(body.fixed.host) - 1);
    ssize_t length = readlink("/proc/self/exe", body.exe, sizeof(body.exe));
    if ((p->ring || !ring_wanted) &&
        stream_write_long(&p->names, rec_word(REC_PROCESS, 0), 0, &body,
                          sizeof(body.fixed) + (length > 0 ? (size_t)length : 0))) {
        p->info = (struct rec_process *)((char *)p->names.chunk + INFO_OFFSET);
        table_write_all(&p->names, body.fixed.forked);
        state = PART_READY;
    }
    p->recording = recording;
    __atomic_store_n(&p->state, state, __ATOMIC_RELEASE);
}

/* Neither a signal handler nor a cancellation may come between lock and unlock. */
struct guard {
    sigset_t signals;
    int cancel, error;
};

static struct guard guard_enter(void)
{
    struct guard g = {.error = errno};
    sigset_t all;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &g.cancel);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &g.signals);
    return g;
}

static void guard_leave(struct guard *g)
{
    pthread_sigmask(SIG_SETMASK, &g->signals, NULL);
    pthread_setcancelstate(g->cancel, NULL);
    errno = g->error;
}

bool process_with_names(void (*f)(struct stream *names, void *arg), void *arg)
{
    struct stream none = {.dead = true};

    if (!part) {
        return false;
    }
    struct guard g = guard_enter();
    pthread_mutex_lock(&part->lock);
    if (part->state == PART_NONE && output_number()) {
        begin(part);
    }
    if (f) {
        f(part->state == PART_READY ? &part->names : &none, arg);
    }
    pthread_mutex_unlock(&part->lock);
    guard_leave(&g);
    return true;
}

bool process_init(void)
{
    pthread_once(&once, init);
    return part && process_with_names(NULL, NULL) && (by_program || part->state == PART_READY);
}

bool process_is_linked(void)
{
    return by_program;
}

struct wanted {
    uint32_t recording;
    struct stream *ret;
    bool made;
};

static void new_stream(struct stream *names, void *arg)
{
    struct wanted *w = arg;

    if (names->dead || part->recording != w->recording) {
        return;
    }
    w->ret->number = w->recording;
    w->ret->process = part->number;
    w->ret->index = ++part->streams;
    w->ret->ring = part->ring;
    if (part->ring) {
        ring_hold(part->ring);
    }
    w->made = true;
}

bool process_new_stream(uint32_t number, struct stream *ret)
{
    struct wanted w = {.recording = number, .ret = ret};

    process_with_names(new_stream, &w);
    return w.made;
}

void process_lose(enum rec_loss what)
{
    if (part && __atomic_load_n(&part->state, __ATOMIC_ACQUIRE) == PART_READY) {
        __atomic_fetch_add(&part->info->lost[what], 1, __ATOMIC_RELAXED);
    }
}

/* --- recordings begun and ended by the program ------------------------------------------------ */

int process_start(const char *path, bool force, uint64_t ring)
{
    if (!process_init()) {
        return ENOMEM;
    }
    if (!by_program) {
        return EBUSY;
    }
    struct guard g = guard_enter();
    pthread_mutex_lock(&control);
    int error = output_number() ? EBUSY : output_create(path, force);
    if (!error) {
        ring_wanted = ring ? ring : options.ring;
        process_with_names(NULL, NULL);
        gate_begin(output_number());
    }
    pthread_mutex_unlock(&control);
    guard_leave(&g);
    return error;
}

/* With the names locked: nobody begins a new part in what is about to be closed. */
static void end_part(struct stream *names, void *arg)
{
    comm_write_all(names, arg);
    output_end();
    if (part->state == PART_READY) {
        part->info->end = clock_sample(output_clock);
        stream_close(names);
        if (old_info) {
            struct rec_chunk *chunk = (struct rec_chunk *)((char *)old_info - INFO_OFFSET);
            output_release(chunk, chunk->size);
        }
        old_info = part->info;
        if (part->ring) {
            ring_drop(part->ring);
        }
    }
    __atomic_store_n(&part->state, PART_NONE, __ATOMIC_RELEASE);
}

static int stop(bool capture)
{
    if (!output_number() || (capture && !by_capture)) {
        return EINVAL;
    }
    gate_end();
    process_with_names(end_part, NULL);
    supply_stop();
    output_close();
    by_capture = false;
    return 0;
}

static int locked_stop(bool capture)
{
    struct guard g = guard_enter();

    pthread_mutex_lock(&control);
    int error = stop(capture);
    pthread_mutex_unlock(&control);
    guard_leave(&g);
    return error;
}

int process_stop(void)
{
    return part && by_program ? locked_stop(false) : EINVAL;
}

/* NAME.nvtxh, NAME.2.nvtxh... */
bool process_capture_begin(const char *name)
{
    char path[PATH_MAX];
    int error = EEXIST;

    if (!by_program) {
        return false;
    }
    size_t size = strlen(name);
    if (size > 6 && !strcmp(name + size - 6, ".nvtxh")) {
        size -= 6;
    }
    for (int i = 1; error == EEXIST && i < 10000; i++) {
        if (i == 1) {
            snprintf(path, sizeof(path), "%.*s.nvtxh", (int)size, name);
        } else {
            snprintf(path, sizeof(path), "%.*s.%d.nvtxh", (int)size, name, i);
        }
        error = process_start(size ? path : NULL, false, 0);
    }
    if (!error) {
        by_capture = true;
    } else if (error != EBUSY) {
        output_say("cannot begin the recording of a capture", strerror(error));
    }
    return !error;
}

void process_capture_end(void)
{
    if (by_capture) {
        locked_stop(true);
    }
}

bool process_capturing(void)
{
    return by_capture;
}

__attribute__((destructor)) static void finish(void)
{
    if (part && __atomic_load_n(&part->state, __ATOMIC_ACQUIRE) == PART_READY) {
        gate_poll();
        supply_end();
        process_with_names(comm_write_all, NULL);
        part->info->end = clock_sample(output_clock);
        output_finish();
    }
}
