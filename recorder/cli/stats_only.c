/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "record.h"
#include "cli.h"
#include "../derive/derive.h"
#include "../format/clock.h"
#include "../format/create.h"
#include "../live/follow.h"
#include "../report/report.h"
#include "../report/quote.h"
#include "../spans/recording_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NICE 5 /* nice value of the thread that reads the ring */
enum {
    ROWS_MOST = 4096, /* how many rows REC has at most, besides rows "(other)" for further spans */
    LOOKS = 50,       /* how many looks a second at most; a look reads what is new in the ring */
    IDLE = 100,       /* ms; the longest pause after a look that found little */
    LITTLE = 1 << 20, /* bytes; a look that read fewer found little */
};

static struct stats_only {
    const struct recording_file *rec, *ring;
    struct follow follow;
    struct summary summary; /* a range is added when it ends, at the latest when the program ends */
    uint64_t open;          /* ranges that were still open at the end */
    bool at_end;            /* the program has ended: this look is the last */
    bool is_whole;          /* the thread has ended without a failure */
    bool is_kept;           /* the ring stays, because REC could not be written */
    int error;              /* errno of the last writing of REC; 0: it succeeded */
    uint64_t size;          /* bytes of REC when it was last written */
    uint64_t due;           /* when REC is written again; ns of CLOCK_MONOTONIC */
    struct ticker ticker;   /* the thread that reads the ring and writes REC */
    char part[PATH_MAX + 32]; /* REC is written under this name, and then renamed */
    int fd;                   /* of `part` while `part` is written, else negative */
    char *lost;               /* the end of the message if the thread fails: see struct ticker */
} stats_only;

/* Writes REC. False with errno, which is ESTALE if REC was removed or replaced by another file. */
static bool write_file(struct stats_only *t) {
    struct statistics_file file = {
        .of = {t->follow.events, t->follow.threads, t->follow.recording.source.process_count,
               t->open, t->follow.missed, (uint64_t)t->follow.now},
        .bound = t->follow.bound,
        .texts = &t->follow.recording.source.texts,
        .rows = t->summary.rows,
        .count = t->summary.count,
        .process = {.pid = (uint32_t)getpid(), .ppid = (uint32_t)getppid()}};
    struct stat st;

    int fd = rec_join(t->rec->absolute, t->rec->session);
    bool there = fd >= 0 && fstat(fd, &st) == 0 &&
                 pread(fd, &file.head, sizeof(file.head), 0) == (ssize_t)sizeof(file.head);
    if (fd >= 0) {
        close(fd);
    }
    if (!there) {
        bool is_gone = fd >= 0 || errno == ENOENT || errno == ENOTDIR || errno == EINVAL;
        errno = is_gone ? ESTALE : errno;
        return false;
    }
    file.process.start = file.head.start;
    file.process.end = t->at_end ? clock_sample(clock_choose()) : (struct rec_sample){0};
    gethostname(file.process.host, sizeof(file.process.host) - 1);
    memcpy(file.process.lost, t->follow.lost, sizeof(file.process.lost));
    file.process.lost[REC_LOSS_NO_STREAM] += t->follow.dropped;
    file.head.refused = t->follow.recording.header.refused;
    file.head.complained = t->follow.recording.header.complained;
    file.head.stopped = t->follow.recording.header.stopped;
    unlink(t->part); /* it may be left by an earlier `nvtxh record` with the same pid */
    t->fd = open(t->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, st.st_mode & 0777);
    /* Without fdatasync, REC may be empty after a power cut. EINVAL: the file system lacks it. */
    bool done = t->fd >= 0 && fchmod(t->fd, st.st_mode & 0777) == 0 &&
                statistics_file_write(&file, t->fd, &t->size) &&
                (fdatasync(t->fd) == 0 || errno == EINVAL) &&
                rename(t->part, t->rec->absolute) == 0;
    int error = errno;
    if (t->fd >= 0) {
        close(t->fd);
        t->fd = -1;
    }
    if (!done) {
        unlink(t->part);
    }
    errno = error;
    return done;
}

/* Reads what is new in the ring. Writes REC if it is due, and at the end. False with a message. */
static bool look_at_ring(struct stats_only *t, struct error *ret_error) {
    struct error error;
    uint64_t now = clock_ns(CLOCK_MONOTONIC);

    bool done = follow_read(&t->follow, &error);
    if (done && t->at_end) {
        struct rec_sample *end = &t->follow.recording.header.end;
        *end = end->ticks ? *end : clock_sample(clock_choose()); /* a killed program wrote no end */
        done = follow_finish(&t->follow, &t->open, &error);
    }
    if (!done) {
        return error_set(ret_error, "cannot read the ring: %s", error.text);
    }
    if (t->at_end || now >= t->due) {
        t->error = write_file(t) ? 0 : errno;
        uint64_t end = clock_ns(CLOCK_MONOTONIC);
        /* REC is written again after 1 s, plus 1 s for each MB of it, plus 20 times the duration of
         * this look, because the disk may be slow. */
        t->due = end + 1000000000 + t->size * 1000 + 20 * (end - now);
    }
    return true;
}

/* Called when the program has ended. Takes the last look; removes the ring unless t->is_kept. */
static bool last_look(struct stats_only *t, struct error *ret_error) {
    t->at_end = true;
    if (!look_at_ring(t, ret_error)) {
        return false;
    }
    bool full = t->error == ENOSPC || t->error == EDQUOT || t->error == ESTALE;
    if (full) {
        unlink(t->ring->absolute); /* which makes room for REC */
    }
    t->error = t->error && !write_file(t) ? t->error : 0;
    t->is_kept = t->error && !full;
    if (!full && !t->is_kept) {
        unlink(t->ring->absolute);
    }
    return true;
}

/* The ticker's function. Takes LOOKS looks a second. If looks are too long for that, takes them
 * without pauses. But after a look that found little, pauses nine times as long as the look took,
 * at most IDLE ms: if many processes are idle, a look finds little, but takes long, because it
 * examines every chunk of the file. */
static bool run_statistics(void *arg, struct error *ret_error) {
    struct stats_only *t = arg;
    uint64_t begun, bytes, took, wait; /* begun: ns; took, wait: ms */

    setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), NICE);
    do {
        begun = clock_ns(CLOCK_MONOTONIC);
        bytes = t->follow.engine.bytes;
        if (!look_at_ring(t, ret_error)) {
            return false;
        }
        took = (clock_ns(CLOCK_MONOTONIC) - begun) / 1000000;
        wait = took < 1000 / LOOKS ? 1000 / LOOKS - took : 0;
        if (t->follow.engine.bytes - bytes < LITTLE && 9 * took > wait) {
            wait = 9 * took < IDLE ? 9 * took : IDLE;
        }
    } while (ticker_wait(&t->ticker, (int)wait));
    return last_look(t, ret_error);
}

/* After an error, closes the files that run_statistics has open, and removes `part`. */
static void release_statistics(void *arg) {
    struct stats_only *t = arg;

    recording_let_go(&t->follow.recording);
    if (t->fd >= 0) {
        close(t->fd);
    }
    unlink(t->part);
}

bool stats_only_make(const struct recording_file *rec, mode_t mode,
                     struct recording_file *ret_ring) {
    *ret_ring = (struct recording_file){0};
    errno = ENAMETOOLONG;
    if (snprintf(ret_ring->absolute, PATH_MAX, "%s.%d.ring", rec->absolute, (int)getpid()) >=
        PATH_MAX) {
        return false;
    }
    int fd = rec_create(ret_ring->absolute, true, mode, NULL, ret_ring->session);
    ret_ring->made = fd >= 0 && close(fd) == 0;
    return ret_ring->made;
}

void stats_only_begin(const struct recording_file *rec, const struct recording_file *ring) {
    struct stats_only *t = &stats_only;
    char lost[2 * PATH_MAX + 128];

    t->rec = rec;
    t->ring = ring;
    follow_begin(&t->follow, ring->absolute, 1000000000, summary_add, NULL, &t->summary);
    t->follow.with_sample = true;
    t->follow.engine.enter = summary_enter;
    summary_begin_bounded(&t->summary, &t->follow.recording.source, ROWS_MOST);
    snprintf(t->part, sizeof(t->part), "%s.%d.part", rec->absolute, (int)getpid());
    snprintf(lost, sizeof(lost),
             "nothing more is counted in %s; the last events will be in %s, which is an ordinary "
             "recording",
             rec->path, ring->absolute);
    t->fd = -1;
    t->lost = printable(lost, strlen(lost), 4 * strlen(lost));
    t->ticker = (struct ticker){
        .run = run_statistics, .release = release_statistics, .arg = t, .lost = t->lost};
    ticker_begin(&t->ticker);
}

void stats_only_end(void) {
    struct stats_only *t = &stats_only;
    char missed[RECORDING_MISSED];

    if (!t->ring) {
        return;
    }
    t->is_whole = ticker_end(&t->ticker);
    free(t->lost);
    if (!t->is_whole) {
        return;
    }
    if (t->error && t->error != ESTALE) { /* recording_file_close reports ESTALE */
        cli_fail("cannot write %s: %s%s%s", t->rec->path, strerror(t->error),
                 t->is_kept ? "; the last events are in " : "",
                 t->is_kept ? t->ring->absolute : "");
    }
    if (recording_missed(t->follow.missed, t->follow.events, missed)) {
        cli_say("%s; a larger --ring keeps them longer", missed);
    }
}

const struct recording *stats_only_ring(void) {
    return stats_only.is_whole ? &stats_only.follow.recording : NULL;
}

void stats_only_free(void) {
    if (stats_only.is_whole) {
        summary_free(&stats_only.summary);
        follow_end(&stats_only.follow);
    }
}
