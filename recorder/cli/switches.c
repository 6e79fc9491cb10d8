/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* nvtxh record: writes into the recording when threads get and leave processors, as the kernel
 * says. Its events are opened on this process before it starts the program. All processes and
 * threads of the program inherit them, and need no descriptor or code for it. Each switch then
 * takes 1 us longer, and each start of a thread 5 us for each processor: see bench/record. */
#include "record.h"
#include "cli.h"
#include "../util/memory.h"
#include "../format/clock.h"
#include "../format/create.h"
#include "../output/report.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    PAGES = 64, /* of a processor's buffer, if the kernel allows that many; a power of 2 */
    CHUNK = 64 << 10,
    MOST = (CHUNK - REC_CHUNK_HEADER) / sizeof(struct rec_switch),
    FULL = 128,  /* a record is smaller */
    PAUSE = 100, /* ms: how long switches wait in buffers that do not fill up */
    /* Without --switches; the texts for people have these numbers, too: */
    MOST_PROCESSORS = 32,
    MOST_A_SECOND = 5000, /* times that threads leave a processor */
};

/* The kernel's buffer of one processor's switches. */
struct buffer {
    int fd;
    uint16_t processor;
    struct perf_event_mmap_page *page; /* followed by the records */
    uint64_t last;                     /* when the last record that was read was made */
    uint64_t left;                     /* how many times threads left it in this second */
};

static struct switches_recorder {
    struct worker worker;
    struct buffer *buffers;
    struct pollfd *waits; /* for each buffer; then for the end */
    size_t count;
    bool all;       /* --switches: however many there are */
    uint64_t began; /* when this second did */
    uint64_t until; /* all switches until then are in the file */
    bool ended;     /* because there were too many */
    int fd;         /* the recording */
    uint64_t *ring; /* where its chunks are, if only the last `ring_size` are kept; or NULL */
    size_t ring_size;
    uint64_t offset;    /* of the chunk */
    uint64_t published; /* bytes of the chunk that are in the file */
    struct {
        struct rec_chunk head;
        struct rec_switch all[MOST];
    } chunk;
} own;

/* --- the chunks ------------------------------------------------------------------------------- */

/* Reserves a place in the file for a chunk. Returns 0 or an errno. */
static int reserve(struct switches_recorder *s, uint64_t *ret_offset) {
    struct stat st;

    if (fstat(s->fd, &st) != 0 || st.st_size < (off_t)REC_HEADER_SIZE) {
        return EINVAL; /* it was cut off */
    }
    struct rec_header *header =
        mmap(NULL, REC_HEADER_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
    if (header == MAP_FAILED) {
        return errno;
    }
    uint64_t offset = __atomic_fetch_add(&header->next_offset, CHUNK, __ATOMIC_RELAXED);
    int error = offset % REC_ALIGN || offset > (uint64_t)INT64_MAX - CHUNK
                    ? EINVAL /* it was overwritten */
                    : posix_fallocate(s->fd, (off_t)offset, CHUNK);
    uint64_t next = offset + CHUNK;
    if (error) { /* gives it back, if nobody has reserved more since */
        __atomic_compare_exchange_n(&header->next_offset, &next, offset, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
    }
    munmap(header, REC_HEADER_SIZE);
    *ret_offset = offset;
    return error;
}

/* Begins the next chunk; in a ring, in the place of the oldest. Returns 0 or an errno. */
static int begin_chunk(struct switches_recorder *s) {
    struct rec_chunk *head = &s->chunk.head;
    uint32_t seq = head->magic ? head->seq + 1 : 0;
    uint64_t *place = s->ring ? &s->ring[seq % s->ring_size] : &s->offset;
    const uint32_t none = 0;
    bool again = s->ring && seq >= s->ring_size;
    int error = again ? 0 : reserve(s, place);

    if (error || (again && !io_write(s->fd, &none, sizeof(none), *place))) {
        return error ? error : errno;
    }
    s->offset = *place;
    head->magic = REC_CHUNK_MAGIC;
    head->seq = seq;
    head->sample = clock_sample(head->clock);
    head->used = s->published = REC_CHUNK_HEADER;
    return io_write(s->fd, head, sizeof(*head), s->offset) ? 0 : errno;
}

/* Writes into the file what the chunk has got. Returns 0 or an errno. */
static int publish(struct switches_recorder *s) {
    const struct rec_chunk *head = &s->chunk.head;
    bool done = io_write(s->fd, (char *)&s->chunk + s->published, head->used - s->published,
                         s->offset + s->published) &&
                io_write(s->fd, &head->used, sizeof(head->used),
                         s->offset + offsetof(struct rec_chunk, used));

    s->published = head->used;
    return done ? 0 : errno;
}

static int put(struct switches_recorder *s, uint64_t monotonic, uint32_t tid,
               enum rec_switch_kind kind, uint16_t processor) {
    struct rec_chunk *head = &s->chunk.head;
    int error = 0;

    if (head->used + sizeof(struct rec_switch) > sizeof(s->chunk)) {
        error = publish(s);
        error = error ? error : begin_chunk(s);
    }
    if (!error) {
        size_t i = (head->used - REC_CHUNK_HEADER) / sizeof(struct rec_switch);
        s->chunk.all[i] = (struct rec_switch){monotonic, tid, (uint16_t)kind, processor};
        head->used += sizeof(struct rec_switch);
    }
    return error;
}

/* --- the kernel's records --------------------------------------------------------------------- */

/* What each record ends with: sample_type below says so. */
struct stamp {
    uint32_t pid, tid;
    uint64_t monotonic;
};

/* Opens the buffer of b->processor. */
static int open_buffer(struct buffer *b, size_t *pages) {
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof(attr),
                                   .config = PERF_COUNT_SW_DUMMY,
                                   .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
                                   .inherit = 1,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1,
                                   .task = 1,
                                   .watermark = 1,
                                   .sample_id_all = 1,
                                   .context_switch = 1,
                                   .use_clockid = 1,
                                   .clockid = CLOCK_MONOTONIC};
    size_t page = (size_t)getpagesize();

    attr.wakeup_watermark = (uint32_t)(*pages * page / 2);
    b->fd =
        (int)syscall(SYS_perf_event_open, &attr, 0, b->processor, -1, (long)PERF_FLAG_FD_CLOEXEC);
    if (b->fd < 0) {
        return errno;
    }
    /* The kernel limits how much memory a user's buffers take. */
    void *map = MAP_FAILED;
    while (*pages && map == MAP_FAILED) {
        map = mmap(NULL, (1 + *pages) * page, PROT_READ | PROT_WRITE, MAP_SHARED, b->fd, 0);
        *pages = map == MAP_FAILED ? *pages / 2 : *pages;
    }
    if (map == MAP_FAILED) {
        close(b->fd);
        return ENOMEM;
    }
    b->page = map;
    return 0;
}

/* Copies a part of the buffer, which begins again at its start. */
static void copy(const struct buffer *b, void *to, uint64_t at, size_t size) {
    const char *data = (const char *)b->page + b->page->data_offset;

    for (size_t i = 0; i < size; i++) {
        ((char *)to)[i] = data[(at + i) % b->page->data_size];
    }
}

static int take(struct switches_recorder *s, struct buffer *b, uint64_t at,
                const struct perf_event_header *head) {
    struct stamp stamp;
    int error = 0;

    copy(b, &stamp, at + head->size - sizeof(stamp), sizeof(stamp));
    if (head->type == PERF_RECORD_LOST) {
        uint64_t us = (stamp.monotonic - b->last) / 1000 + 1;
        error = put(s, stamp.monotonic, b->last && us < UINT32_MAX ? (uint32_t)us : UINT32_MAX,
                    REC_SWITCH_LOST, 0);
    } else if (stamp.pid == (uint32_t)getpid()) {
        /* this command's own */
    } else if (head->type == PERF_RECORD_SWITCH) {
        b->left += (head->misc & PERF_RECORD_MISC_SWITCH_OUT) != 0;
        error = put(s, stamp.monotonic, stamp.tid,
                    !(head->misc & PERF_RECORD_MISC_SWITCH_OUT)        ? REC_SWITCH_ON
                    : head->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? REC_SWITCH_PREEMPTED
                                                                       : REC_SWITCH_BLOCKED,
                    b->processor);
    } else if (head->type == PERF_RECORD_EXIT) {
        error = put(s, stamp.monotonic, stamp.tid, REC_SWITCH_ENDED, 0);
    }
    b->last = stamp.monotonic;
    return error;
}

static int drain(struct switches_recorder *s) {
    uint64_t complete = clock_ns(CLOCK_MONOTONIC);
    int error = 0;

    for (size_t i = 0; i < s->count && !error; i++) {
        struct buffer *b = &s->buffers[i];
        uint64_t end = __atomic_load_n(&b->page->data_head, __ATOMIC_ACQUIRE);
        uint64_t at = b->page->data_tail;
        bool is_full = end - at + FULL > b->page->data_size;
        while (at < end && !error) {
            struct perf_event_header head;
            copy(b, &head, at, sizeof(head));
            error = take(s, b, at, &head);
            at += head.size;
        }
        __atomic_store_n(&b->page->data_tail, at, __ATOMIC_RELEASE);
        /* Switches since its last record may be lost; the kernel says so only in the next one. */
        complete = is_full && b->last < complete ? b->last : complete;
    }
    s->until = complete;
    error = error ? error : put(s, complete, 0, REC_SWITCH_COMPLETE, 0);
    return error ? error : publish(s);
}

/* Ends the events if a processor had too many switches in the last second. */
static void limit(struct switches_recorder *s) {
    const uint64_t second = 1000000000;
    uint64_t now = clock_ns(CLOCK_MONOTONIC), most = 0;

    if (s->all || now - s->began < second) {
        return;
    }
    for (size_t i = 0; i < s->count; i++) {
        most = s->buffers[i].left > most ? s->buffers[i].left : most;
        s->buffers[i].left = 0;
    }
    if (most * second > MOST_A_SECOND * (now - s->began)) {
        s->ended = true;
        for (size_t i = 0; i < s->count; i++) { /* closing does not stop what is inherited */
            ioctl(s->buffers[i].fd, PERF_EVENT_IOC_DISABLE, 0);
        }
    }
    s->began = now;
}

/* The worker. */
static bool run(void *arg, struct error *ret_error) {
    struct switches_recorder *s = arg;
    int error = 0;

    s->waits[s->count] = (struct pollfd){.fd = s->worker.end[0], .events = POLLIN};
    s->began = clock_ns(CLOCK_MONOTONIC);
    while (!error && !s->ended && s->waits[s->count].revents == 0) {
        poll(s->waits, s->count + 1, PAUSE);
        error = drain(s);
        limit(s);
    }
    return !error || error_set(ret_error, "%s", strerror(error));
}

/* --- the command ------------------------------------------------------------------------------ */

static int open_buffers(struct switches_recorder *s) {
    size_t count = (size_t)sysconf(_SC_NPROCESSORS_CONF), pages = PAGES;
    int error = 0;

    s->buffers = must_alloc(NULL, count, sizeof(*s->buffers));
    s->waits = must_alloc(NULL, count + 1, sizeof(*s->waits));
    for (size_t i = 0; i < count && !error; i++) {
        struct buffer *b = &s->buffers[s->count];
        *b = (struct buffer){.processor = (uint16_t)i};
        error = open_buffer(b, &pages);
        if (error == ENODEV) { /* the processor is offline */
            error = 0;
        } else if (!error) {
            s->waits[s->count++] = (struct pollfd){.fd = b->fd, .events = POLLIN};
        }
    }
    return error;
}

static void close_all(struct switches_recorder *s) {
    for (size_t i = 0; i < s->count; i++) {
        struct perf_event_mmap_page *page = s->buffers[i].page;
        munmap(page, page->data_offset + page->data_size);
        close(s->buffers[i].fd);
    }
    if (s->fd >= 0) {
        close(s->fd);
    }
    free(s->buffers);
    free(s->waits);
    free(s->ring);
}

static char *why_not(int error) {
    const char *what = "";

    if (error == EACCES || error == EPERM) {
        what = " (an administrator can set kernel.perf_event_paranoid to 2 with sysctl; in a "
               "container, the seccomp profile must also allow perf_event_open)";
    } else if (error == ENOMEM) {
        what = " (an administrator can raise kernel.perf_event_mlock_kb with sysctl)";
    }
    return must_print("%s%s", strerror(error), what);
}

char *switches_refused(void) {
    own.fd = -1;
    int error = open_buffers(&own);

    close_all(&own);
    return error ? why_not(error) : NULL;
}

bool switches_are_usual(void) {
    return sysconf(_SC_NPROCESSORS_ONLN) <= MOST_PROCESSORS;
}

void switches_record_begin(const struct recording_file *t, const struct record_options *o) {
    struct switches_recorder *s = &own;
    uint64_t ring = o->settings[RECORD_RING].number;

    if (o->no_switches || !t->made || (!o->switches && !switches_are_usual())) {
        return;
    }
    s->all = o->switches;
    s->fd = rec_join(t->absolute, t->session);
    int error = s->fd < 0 ? errno : open_buffers(s);
    s->ring_size = ring / CHUNK;
    s->ring = ring ? must_alloc(NULL, s->ring_size, sizeof(*s->ring)) : NULL;
    s->chunk.head = (struct rec_chunk){.size = CHUNK,
                                       .stream = UINT32_MAX,
                                       .clock = clock_choose(),
                                       .flags = REC_CHUNK_SWITCHES | (ring ? REC_CHUNK_RING : 0),
                                       .pids = rec_running_now(0).pids};
    error = error ? error : begin_chunk(s);
    if (error) {
        char *why = why_not(error);
        if (o->switches || error == ENOMEM) {
            cli_fail("%s: %s; the program is recorded without context switches",
                     o->switches ? "--switches" : "perf_event_open", why);
        }
        free(why);
        close_all(s);
        return;
    }
    s->worker =
        (struct worker){.run = run, .arg = s, .lost = "no more context switches are recorded"};
    worker_begin(&s->worker);
}

void switches_record_end(void) {
    if (own.worker.run) {
        worker_end(&own.worker);
        close_all(&own);
    }
}

void switches_print_limit(uint64_t begun) {
    char after[64];

    if (own.ended) {
        figure_time((double)(own.until - begun), 0, 0, false, after);
        cli_say("after %s no more context switches were recorded, because a processor had more "
                "than 5,000 a second; --switches records all of them",
                after);
    }
}
