/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_LIVE_FOLLOW_H
#define NVTXH_LIVE_FOLLOW_H
/* Follows a recording under way. Each look, a call of follow_read, reads only the records that were written since the
 * previous look. The window is the time since the previous look; in the first look, the last `window` ns. */
#include "../spans/engine.h"

struct follow {
    const char *path;
    int64_t window;             /* ns; how far back the window of the first look reaches */
    engine_open_function *open; /* see follow_begin; `arg` of both functions is engine.out.arg */
    /* If the recording holds statistics: called with that `arg` in each look that finds a new version of the file. May be
     * NULL. */
    void (*statistics)(void *arg);
    bool with_sample;           /* set by the caller: each look adds a sample of this machine's clock */
    struct recording recording; /* as it was in the last look; its file is closed */
    struct engine engine;
    int64_t from, now;  /* the window, in ns since the recording began */
    bool ended;         /* no process writes any more; `now` is the end of the recording */
    bool first;         /* the first look: it also hands out spans older than the window */
    bool is_statistics; /* the recording holds statistics, no events */
    /* How many processes are gone without having written their end. gone_next: in the last look; gone: in each of the
     * last two looks; gone_pid: one of these processes. */
    uint32_t gone, gone_next, gone_pid;
    uint64_t missed;        /* events that were overwritten before they were read; an estimate */
    uint64_t unseen, looks; /* streams that were overwritten before they were read; looks taken */
    /* Events and threads so far, and events that were lost because there was no room. bound: ns; shorter pushed ranges
     * were left out in some process; 0: in none. lost: events by cause, see enum rec_loss. */
    uint64_t events, threads, dropped, bound, lost[REC_LOSS_SIZE];
};

/* In each look calls `span` for each range that has ended, mark and sample, and at the end of the look `open` for each
 * range that is open. `open` may be NULL. */
void follow_begin(struct follow *f, const char *path, int64_t window, span_function *span, engine_open_function *open,
                  void *arg);

/* Takes a look. False with a message if that fails. */
bool follow_read(struct follow *f, struct error *ret_error);

/* After the last look: hands out the ranges that have no end, as all reports do; *ret_open is their number. False
 * with a message if reading fails. */
bool follow_finish(struct follow *f, uint64_t *ret_open, struct error *ret_error);

/* The time in ns since the recording began; 0 if its header says that it begins in the future. */
int64_t follow_time(const struct follow *f);

/* Closes the file where reading was broken off. Allocates nothing. No other function is called afterwards. */
void follow_abandon(struct follow *f);

void follow_end(struct follow *f);

#endif /* NVTXH_LIVE_FOLLOW_H */
