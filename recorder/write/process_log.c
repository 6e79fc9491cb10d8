/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "registry.h"
#include "block_signals.h"
#include "losses.h"
#include "memory.h"
#include "../format/create.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LOG_NONE, LOG_READY, LOG_FAILED };
enum { INFO_OFFSET = REC_CHUNK_HEADER + 16 }; /* of rec_process in the first chunk of definitions */

static struct process_log {
    pthread_mutex_t lock;         /* all zero: unlocked */
    struct block_signals blocked; /* for process_log_unlock to restore */
    uint32_t state;
    uint32_t recording; /* the number of the log's recording */
    uint32_t number;    /* this process's number in the file */
    uint32_t streams;   /* how many streams of threads were begun */
    struct ring *ring;
    struct stream definitions;
    struct rec_process *info; /* in the first chunk of definitions, which stays mapped */
} * own;                      /* wiped in forked children */

static pid_t first_pid;
static struct rec_process *old_info; /* of the last recording; threads may still add losses to it */
uint64_t process_log_ring_size;

bool process_log_init(void) {
    first_pid = getpid();
    own = wiped_memory_share(sizeof(*own));
    return own != NULL;
}

bool process_log_is_ready(void) {
    return own && __atomic_load_n(&own->state, __ATOMIC_ACQUIRE) == LOG_READY;
}

bool process_log_is_forked(void) {
    return getpid() != first_pid;
}

/* Writes the first records: the description of this process, and its rank and job if they are
 * known. */
static bool write_process(struct process_log *p, struct rec_sample start) {
    static struct { /* static, under the lock: too large for the stack of a signal handler */
        struct rec_process fixed;
        char exe[PATH_MAX];
    } body;
    struct rec_identity who;

    identity_read(&who);
    bool is_known = who.source || *who.job;
    body.fixed = (struct rec_process){.pid = (uint32_t)getpid(),
                                      .ppid = (uint32_t)getppid(),
                                      .forked = process_log_is_forked(),
                                      .version = REC_VERSION,
                                      .start = start,
                                      .ring = p->ring ? p->ring->size : 0};

    gethostname(body.fixed.host, sizeof(body.fixed.host) - 1);
    ssize_t length = readlink("/proc/self/exe", body.exe, sizeof(body.exe));
    return stream_write_long(&p->definitions, rec_word(REC_PROCESS, 0), 0, &body,
                             sizeof(body.fixed) + (length > 0 ? (size_t)length : 0)) &&
           (!is_known || stream_write_long(&p->definitions, rec_word(REC_EXTENDED, 0),
                                           REC_EXTENDED_IDENTITY, &who, sizeof(who)));
}

static bool begin_log(struct process_log *p) {
    uint32_t recording = file_recording();
    struct rec_sample start = clock_sample(file_clock);

    p->number = file_next_process();
    p->streams = 0;
    p->ring = process_log_ring_size ? ring_new(recording, process_log_ring_size) : NULL;
    if (process_log_ring_size && !p->ring) {
        file_complain(recording, errno);
    }
    p->definitions = (struct stream){
        .number = recording, .process = p->number, .tid = (uint32_t)getpid(), .pinned = true};
    bool begun = (p->ring || !process_log_ring_size) && write_process(p, start);
    if (begun) {
        p->definitions.chunk->pids = rec_running_now(getpid()).pids;
        file_lock(p->number);
        p->info = (struct rec_process *)((char *)p->definitions.chunk + INFO_OFFSET);
    }
    losses_count_in(begun ? p->info->lost : file_losses());
    p->recording = recording;
    __atomic_store_n(&p->state, begun ? LOG_READY : LOG_FAILED, __ATOMIC_RELEASE);
    return begun;
}

struct stream *process_log_lock(bool *ret_begun) {
    static struct stream none = {.dead = true};
    struct block_signals blocked = block_signals_enter();

    pthread_mutex_lock(&own->lock);
    own->blocked = blocked;
    *ret_begun = own->state == LOG_NONE && file_recording() && begin_log(own);
    return own->state == LOG_READY ? &own->definitions : &none;
}

void process_log_unlock(void) {
    struct block_signals blocked = own->blocked;

    pthread_mutex_unlock(&own->lock);
    block_signals_leave(&blocked);
}

bool process_log_new_stream(uint32_t recording, struct stream *ret) {
    if (own->state != LOG_READY || own->definitions.dead || own->recording != recording) {
        return false;
    }
    ret->number = recording;
    ret->process = own->number;
    ret->index = ++own->streams;
    ret->ring = own->ring;
    if (own->ring) {
        ring_acquire(own->ring);
    }
    return true;
}

void process_log_write_end(void) {
    own->info->end = clock_sample(file_clock);
}

void process_log_end(void) {
    losses_count_in(NULL);
    if (own->state == LOG_READY) {
        process_log_write_end();
        stream_close(&own->definitions);
        if (old_info) {
            struct rec_chunk *chunk = (struct rec_chunk *)((char *)old_info - INFO_OFFSET);
            munmap(chunk, chunk->size);
        }
        old_info = own->info;
        if (own->ring) {
            ring_drop(own->ring);
        }
    }
    __atomic_store_n(&own->state, LOG_NONE, __ATOMIC_RELEASE);
}
