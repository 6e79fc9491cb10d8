/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "trigger.h"
#include "cli.h"
#include "match.h"
#include "snapshot_file.h"
#include "../format/clock.h"
#include "../read/follow.h"
#include "../read/memory.h"
#include "../report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NICE 12              /* of the follower: while all processors are busy it gets 6 % of one */
#define ROWS_MOST (1u << 16) /* most names: a program may make a new one for each event, for days */

static struct trigger {
    struct trigger_options *o;
    const char *rec;
    struct follow follow;
    struct match match;
    size_t rows;          /* how many there were after the last restart */
    uint32_t calls, died; /* that have been seen */
    struct snapshot pending;
    char reason[216];
    bool is_pending, over;
    int64_t last; /* when the last one was taken */
    uint64_t taken, left_out;
    uint64_t lost; /* events that were overwritten before they were looked at */
    char path[PATH_MAX];
    pthread_t follower, taker;
    sem_t end, take, done; /* posted by: the main thread; the follower, for the taker; the taker */
    bool runs;
} trigger;

static volatile sig_atomic_t signals[NSIG];

int trigger_add(struct trigger_options *o, const char *text)
{
    ARRAY_ADD(o->all, o->count, o->room);
    int status = condition_take(&o->all[o->count], text);
    o->count += status == EXIT_DONE;
    return o->count <= 64 ? status : cli_usage("record", "at most 64 conditions");
}

bool trigger_waits_for_calls(const struct trigger_options *o)
{
    bool waits = false;

    for (size_t i = 0; i < o->count; i++) {
        waits |= o->all[i].kind == CONDITION_CALL;
    }
    return waits;
}

sigset_t trigger_signals(const struct trigger_options *o)
{
    sigset_t all;

    sigemptyset(&all);
    for (size_t i = 0; i < o->count; i++) {
        if (o->all[i].signal) {
            sigaddset(&all, o->all[i].signal);
        }
    }
    return all;
}

void trigger_signal(int number)
{
    signals[number] = 1;
}

/* --- what has happened ------------------------------------------------------------------------- */

static int64_t now(const struct trigger *t)
{
    return (int64_t)(clock_ns(CLOCK_MONOTONIC) - t->follow.header.start.monotonic);
}

static void fire(const struct condition *c, int64_t start, int64_t end, const char *what)
{
    struct trigger *t = &trigger;
    bool is_early = t->taken && end - t->last < t->o->interval && c->kind != CONDITION_DEATH;

    if (t->is_pending || is_early || (double)t->taken >= t->o->most) {
        t->left_out++;
        return;
    }
    snprintf(t->reason, sizeof(t->reason), "%.120s: %s", c->text, what);
    start -= t->o->before;
    t->pending = (struct snapshot){
        .from = start > 0 ? start : 0, .to = end + t->o->after, .reason = t->reason};
    t->is_pending = true;
}

/* The calls, signals and deaths since the last look. */
static void look_around(struct trigger *t)
{
    const struct rec_control *control = &t->follow.header.control;
    int64_t at = now(t);
    char what[160];

    for (size_t i = 0; i < t->o->count; i++) {
        const struct condition *c = &t->o->all[i];
        if (c->kind == CONDITION_CALL && control->snapshots != t->calls) {
            snprintf(what, sizeof(what), "%.*s", (int)sizeof(control->why), control->why);
            fire(c, at, at, what);
        } else if (c->kind == CONDITION_DEATH && t->follow.gone > t->died) {
            snprintf(what, sizeof(what), "process %u", t->follow.gone_pid);
            fire(c, at, at, what);
        } else if (c->kind == CONDITION_SIGNAL && signals[c->signal]) {
            signals[c->signal] = 0;
            fire(c, at, at, "came");
        }
    }
    t->calls = control->snapshots;
    t->died = t->follow.gone;
}

/* --- snapshots --------------------------------------------------------------------------------- */

/* The taker's thread. It has normal priority. */
static void *take(void *arg)
{
    struct trigger *t = arg;

    while (sem_wait(&t->take) == 0 && !t->over) { /* no signal interrupts it */
        if (t->is_pending &&
            snapshot_file_take(t->rec, NULL, false, &t->pending, t->path) == EXIT_DONE) {
            t->taken++;
            if (!t->o->quiet) {
                cli_say("%s: %s", t->path, t->reason);
            }
        }
        t->last = now(t);
        t->is_pending = false;
        sem_post(&t->done);
    }
    return NULL;
}

static void take_if_due(struct trigger *t, bool at_end)
{
    int64_t at = now(t);

    if (t->is_pending && (at >= t->pending.to || at_end)) {
        t->pending.to = t->pending.to < at ? t->pending.to : at;
        sem_post(&t->take);
        while (sem_wait(&t->done) < 0 && errno == EINTR) {
        }
    }
}

static void begin_to_follow(struct trigger *t)
{
    follow_begin(&t->follow, t->rec, 1000000000);
    t->follow.event = match_event;
    t->follow.arg = &t->match;
}

static void look(struct trigger *t)
{
    char error[256];
    bool anew = t->follow.count > ROWS_MOST + 2 * t->rows; /* skips the events in between */
    if (anew) {
        t->match.looked = t->follow.now;
        t->match.about_count = 0;
        t->lost += t->follow.missed;
        uint32_t gone = t->follow.gone_next;
        follow_end(&t->follow);
        begin_to_follow(t);
        t->follow.gone_next = gone;
    }
    if (follow_read(&t->follow, error, sizeof(error))) {
        t->follow.missed = anew ? 0 : t->follow.missed;
        t->rows = anew ? t->follow.count : t->rows;
        look_around(t);
    }
}

/* In the follower: looks every 50 ms, and less often where that takes much time of a processor. */
static void *follow(void *arg)
{
    struct trigger *t = arg;
    struct timespec next;
    uint64_t took;

    setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), NICE);
    do {
        took = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        look(t);
        take_if_due(t, false);
        took = clock_ns(CLOCK_THREAD_CPUTIME_ID) - took;
        clock_gettime(CLOCK_REALTIME, &next);
        uint64_t at = (uint64_t)next.tv_nsec + (took > 10000000 ? took * 5 : 50000000);
        next.tv_sec += (time_t)(at / 1000000000);
        next.tv_nsec = (long)(at % 1000000000);
    } while (sem_timedwait(&t->end, &next) != 0);
    return NULL;
}

void trigger_begin(struct trigger_options *o, const char *rec)
{
    struct trigger *t = &trigger;
    sigset_t all, before;

    t->o = o;
    t->rec = rec;
    t->match = (struct match){.all = o->all, .count = o->count, .follow = &t->follow, .fire = fire};
    begin_to_follow(t);
    sem_init(&t->end, 0, 0);
    sem_init(&t->take, 0, 0);
    sem_init(&t->done, 0, 0);
    sigfillset(&all); /* signals are for the thread that waits for the program */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    t->runs = pthread_create(&t->taker, NULL, take, t) == 0;
    if (t->runs && pthread_create(&t->follower, NULL, follow, t) != 0) {
        t->over = true;
        t->runs = false;
        sem_post(&t->take);
        pthread_join(t->taker, NULL);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!t->runs) {
        cli_say("no snapshots will be taken: %s", strerror(errno));
    }
}

/* --- the end ----------------------------------------------------------------------------------- */

static void report(const struct trigger *t)
{
    for (size_t i = 0; i < t->o->count; i++) {
        const struct condition *c = &t->o->all[i];
        if (c->name && !c->seen) {
            bool mark = c->kind == CONDITION_MARK, value = c->kind == CONDITION_VALUE;
            cli_say("--snapshot-when '%s': no %s %s came", c->text,
                    mark    ? "mark"
                    : value ? "counter"
                            : "range",
                    c->name);
        }
    }
    if (t->left_out && !t->o->quiet) {
        cli_say("a condition held %llu more %s, within --min-interval of a snapshot or after "
                "--max-snapshots",
                (unsigned long long)t->left_out, PLURAL(t->left_out, "time", "times"));
    }
    uint64_t lost = t->lost + t->follow.missed;
    if (lost) {
        cli_say("about %llu %s overwritten before they were looked at: a larger --ring keeps them "
                "longer",
                (unsigned long long)lost, PLURAL(lost, "event was", "events were"));
    }
}

void trigger_end(int status)
{
    struct trigger *t = &trigger;
    char what[64];

    if (!t->runs) {
        return;
    }
    sem_post(&t->end);
    pthread_join(t->follower, NULL);
    look(t);
    take_if_due(t, true);
    int64_t at = now(t);
    for (size_t i = 0; i < t->o->count && WIFSIGNALED(status); i++) {
        if (t->o->all[i].kind == CONDITION_DEATH) {
            snprintf(what, sizeof(what), "a signal ended the program: %s",
                     strsignal(WTERMSIG(status)));
            fire(&t->o->all[i], at, at, what);
        }
    }
    take_if_due(t, true);
    t->over = true;
    sem_post(&t->take);
    pthread_join(t->taker, NULL);
    report(t);
    follow_end(&t->follow);
    match_end(&t->match);
}
