/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "registry.h"
#include "block_signals.h"
#include "losses.h"
#include "memory.h"
#include "options.h"
#include "../format/create.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PART_NONE, PART_READY, PART_FAILED };
enum { INFO_OFFSET = REC_CHUNK_HEADER + 16 }; /* of rec_process in the first chunk of definitions */

static struct part {
    pthread_mutex_t lock;         /* all zero: unlocked */
    struct block_signals blocked; /* what was blocked before part_lock; part_unlock restores it */
    uint32_t state;
    uint32_t recording; /* the number of the part's recording */
    uint32_t number;    /* this process's number in the file */
    uint32_t streams;   /* how many streams of threads were begun */
    struct ring *ring;
    struct stream definitions;
    struct rec_process *info; /* in the first chunk of definitions, which stays mapped */
} * part;                     /* wiped in forked children */

static pid_t first_pid;
static struct rec_process *old_info; /* of the last recording; threads may still add losses to it */
uint64_t part_ring_size;

bool part_init(void) {
    first_pid = getpid();
    part = wiped_memory_share(sizeof(*part));
    return part != NULL;
}

bool part_is_ready(void) {
    return part && __atomic_load_n(&part->state, __ATOMIC_ACQUIRE) == PART_READY;
}

bool part_is_forked(void) {
    return getpid() != first_pid;
}

/* Writes the first records: the description of this process, and its rank and job if they are
 * known. */
static bool write_process(struct part *p, struct rec_sample start) {
    static struct { /* static, under the lock: too large for the stack of a signal handler */
        struct rec_process fixed;
        char exe[PATH_MAX];
    } body;
    struct rec_identity who;

    identity_read(&who);
    bool is_known = who.source || *who.job;
    body.fixed = (struct rec_process){.pid = (uint32_t)getpid(),
                                      .ppid = (uint32_t)getppid(),
                                      .forked = part_is_forked(),
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

static bool begin_part(struct part *p) {
    uint32_t recording = file_recording();
    struct rec_sample start = clock_sample(file_clock);

    p->number = file_next_process();
    p->streams = 0;
    p->ring = part_ring_size ? ring_new(recording, part_ring_size) : NULL;
    if (part_ring_size && !p->ring) {
        file_complain(recording, errno);
    }
    p->definitions = (struct stream){
        .number = recording, .process = p->number, .tid = (uint32_t)getpid(), .pinned = true};
    bool begun = (p->ring || !part_ring_size) && write_process(p, start);
    if (begun) {
        struct stat st;
        p->definitions.chunk->pids = stat("/proc/self/ns/pid", &st) == 0 ? st.st_ino : 0;
        file_lock(p->number);
        p->info = (struct rec_process *)((char *)p->definitions.chunk + INFO_OFFSET);
    }
    losses_count_in(begun ? p->info->lost : file_losses());
    p->recording = recording;
    __atomic_store_n(&p->state, begun ? PART_READY : PART_FAILED, __ATOMIC_RELEASE);
    return begun;
}

struct stream *part_lock(bool *ret_begun) {
    static struct stream none = {.dead = true};
    struct block_signals blocked = block_signals_enter();

    pthread_mutex_lock(&part->lock);
    part->blocked = blocked;
    *ret_begun = part->state == PART_NONE && file_recording() && begin_part(part);
    return part->state == PART_READY ? &part->definitions : &none;
}

void part_unlock(void) {
    struct block_signals blocked = part->blocked;

    pthread_mutex_unlock(&part->lock);
    block_signals_leave(&blocked);
}

bool part_new_stream(uint32_t recording, struct stream *ret) {
    if (part->state != PART_READY || part->definitions.dead || part->recording != recording) {
        return false;
    }
    ret->number = recording;
    ret->process = part->number;
    ret->index = ++part->streams;
    ret->ring = part->ring;
    if (part->ring) {
        ring_acquire(part->ring);
    }
    return true;
}

void part_write_end(void) {
    part->info->end = clock_sample(file_clock);
}

void part_end(void) {
    losses_count_in(NULL);
    if (part->state == PART_READY) {
        part_write_end();
        stream_close(&part->definitions);
        if (old_info) {
            struct rec_chunk *chunk = (struct rec_chunk *)((char *)old_info - INFO_OFFSET);
            munmap(chunk, chunk->size);
        }
        old_info = part->info;
        if (part->ring) {
            ring_drop(part->ring);
        }
    }
    __atomic_store_n(&part->state, PART_NONE, __ATOMIC_RELEASE);
}
