/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "process.h"
#include "comm.h"
#include "gate.h"
#include "guard.h"
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
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
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
uint64_t process_ring;

static bool by_program;
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

/* What memory that is not wiped says of other threads. */
static void forked(void)
{
    process_control_forked();
    gate_forked();
    thread_forked();
}

/* Such a program loads us together with a C library of our own, which knows nothing of the program's
 * threads: our thread-local variables lie nowhere. */
static bool is_static(void)
{
    const ElfW(Phdr) *p = (const ElfW(Phdr) *)getauxval(AT_PHDR);

    for (unsigned long n = getauxval(AT_PHNUM); p && n > 0; n--, p++) {
        if (p->p_type == PT_INTERP) {
            return false;
        }
    }
    return p != NULL;
}

static void init_any(bool open)
{
    int error = errno;

    if (open && is_static()) {
        output_refuse("cannot record this program",
                      "it is statically linked; link it dynamically, or the recorder into it");
        errno = error;
        return;
    }
    struct part *memory = process_private_memory(sizeof(*memory));
    first_pid = getpid();
    output_clock = clock_choose();
    options_read();
    names_init();
    process_ring = options.ring;
    if (memory && thread_init() && (!open || output_open() == 0)) {
        if (madvise(memory, sizeof(*memory), MADV_WIPEONFORK) < 0) {
            pthread_atfork(NULL, NULL, wipe_by_hand);
        }
        pthread_atfork(thread_before_fork, NULL, forked);
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
    if (process_ring) {
        p->ring = ring_new(recording, process_ring);
        if (!p->ring) {
            output_complain(recording, errno);
        }
        body.fixed.ring = p->ring ? ring_size(p->ring) : 0;
    }
    gethostname(body.fixed.host, sizeof(body.fixed.host) - 1);
    ssize_t length = readlink("/proc/self/exe", body.exe, sizeof(body.exe));
    if ((p->ring || !process_ring) &&
        stream_write_long(&p->names, rec_word(REC_PROCESS, 0), 0, &body,
                          sizeof(body.fixed) + (length > 0 ? (size_t)length : 0))) {
        p->info = (struct rec_process *)((char *)p->names.chunk + INFO_OFFSET);
        table_write_all(&p->names, body.fixed.forked);
        state = PART_READY;
    }
    p->recording = recording;
    __atomic_store_n(&p->state, state, __ATOMIC_RELEASE);
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

/* With the names locked: nobody begins a new part in what is about to be closed. */
void process_end_part(struct stream *names, void *arg)
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
