/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "process.h"
#include "names.h"
#include "output.h"
#include "stream.h"
#include "supply.h"
#include "thread.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

enum { PART_NONE, PART_READY, PART_FAILED };

struct part {
    pthread_mutex_t lock; /* all zero is an unlocked one */
    uint32_t state;
    uint32_t number;
    uint32_t streams;
    struct stream names;
    struct rec_process *info; /* in the first chunk of names, which stays mapped */
};

static struct part *part; /* wiped in forked children */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pid_t first_pid;

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

static void init(void)
{
    int error = errno;
    struct part *memory = process_private_memory(sizeof(*memory));

    first_pid = getpid();
    if (memory && thread_init() && output_open() == 0) {
        if (madvise(memory, sizeof(*memory), MADV_WIPEONFORK) < 0) {
            pthread_atfork(NULL, NULL, wipe_by_hand);
        }
        supply_init();
        part = memory;
    } else if (memory) {
        munmap(memory, sizeof(*memory));
    }
    errno = error;
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
    gethostname(body.fixed.host, sizeof(body.fixed.host) - 1);
    ssize_t length = readlink("/proc/self/exe", body.exe, sizeof(body.exe));

    p->number = output_next_process();
    p->names = (struct stream){.process = p->number, .tid = body.fixed.pid, .pinned = true};
    if (!stream_write_long(&p->names, rec_word(REC_PROCESS, 0), 0, &body,
                           sizeof(body.fixed) + (length > 0 ? (size_t)length : 0))) {
        __atomic_store_n(&p->state, PART_FAILED, __ATOMIC_RELEASE);
        return;
    }
    p->info = (struct rec_process *)((char *)p->names.chunk + REC_CHUNK_HEADER + 16);
    names_write_all(&p->names, body.fixed.forked);
    __atomic_store_n(&p->state, PART_READY, __ATOMIC_RELEASE);
}

/* Neither a signal handler nor a cancellation may come between lock and unlock. */
bool process_with_names(void (*f)(struct stream *names, void *arg), void *arg)
{
    sigset_t all, old;
    int cancel;
    int error = errno;
    bool ready;

    if (!part) {
        return false;
    }
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    pthread_mutex_lock(&part->lock);
    if (part->state == PART_NONE) {
        begin(part);
    }
    ready = part->state == PART_READY;
    if (ready && f) {
        f(&part->names, arg);
    }
    pthread_mutex_unlock(&part->lock);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_setcancelstate(cancel, NULL);
    errno = error;
    return ready;
}

bool process_init(void)
{
    pthread_once(&once, init);
    return part && process_with_names(NULL, NULL);
}

bool process_new_stream(uint32_t *ret_process, uint32_t *ret_stream)
{
    uint32_t state = part ? __atomic_load_n(&part->state, __ATOMIC_ACQUIRE) : PART_FAILED;

    if (state == PART_FAILED || (state == PART_NONE && !process_with_names(NULL, NULL))) {
        return false;
    }
    *ret_process = part->number;
    *ret_stream = __atomic_add_fetch(&part->streams, 1, __ATOMIC_RELAXED);
    return true;
}

void process_lose(enum rec_loss what)
{
    if (part && __atomic_load_n(&part->state, __ATOMIC_ACQUIRE) == PART_READY) {
        __atomic_fetch_add(&part->info->lost[what], 1, __ATOMIC_RELAXED);
    }
}

__attribute__((destructor)) static void finish(void)
{
    if (part && __atomic_load_n(&part->state, __ATOMIC_ACQUIRE) == PART_READY) {
        supply_end();
        part->info->end = clock_sample(output_clock);
    }
}
