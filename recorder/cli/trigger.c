/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "trigger.h"
#include "cli.h"
#include "match.h"
#include "snapshot_file.h"
#include "ticker.h"
#include "../base/memory.h"
#include "../format/clock.h"
#include "../live/follow.h"
#include "../report/report.h"
#include "../spans/recording_notes.h"

#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROWS_MOST (1u << 16) /* with more names than that, the follower forgets all: see look() */

static struct trigger {
    struct trigger_options *o;
    const char *rec;
    struct follow follow;
    struct match match;
    size_t rows;          /* how many names there were when the follower last began anew */
    uint32_t calls, died; /* how many calls and deaths of processes there were at the last look */
    struct snapshot pending;  /* if is_pending: to be taken when its window has passed */
    char reason[216];         /* the text of pending.reason */
    bool is_pending, over;    /* over: the taker is to end */
    int64_t last;             /* when the last snapshot was tried; ns since the recording began */
    uint64_t tried, left_out; /* snapshots, also failed ones; causes for which none was tried */
    uint64_t lost;          /* events overwritten before they were read; follow.missed adds to it */
    char path[PATH_MAX];    /* of the last snapshot */
    struct ticker follower; /* the thread that reads the recording */
    pthread_t taker;        /* the thread that takes the snapshots, with normal priority */
    sem_t take, done;       /* take: the follower asks for `pending`; done: it was taken */
    int status;             /* the program's wait status, at the end */
    bool runs;              /* the taker was made */
} trigger;

static volatile sig_atomic_t signals[NSIG]; /* by number; 1: the signal came since the last look */

void trigger_signal(int number)
{
    signals[number] = 1;
}

/* --- what has happened ------------------------------------------------------------------------- */

static int64_t now(const struct trigger *t)
{
    return (int64_t)(clock_ns(CLOCK_MONOTONIC) - t->follow.recording.header.start.monotonic);
}

/* A condition holds: plans a snapshot, unless one is planned or --min-interval or --max-snapshots forbids it. */
static void fire(const struct condition *c, int64_t start, int64_t end, const char *what)
{
    struct trigger *t = &trigger;
    bool is_early = t->tried && end - t->last < t->o->interval && c->kind != CONDITION_DEATH;

    if (t->is_pending || is_early || (double)t->tried >= t->o->most) {
        t->left_out++;
        return;
    }
    snprintf(t->reason, sizeof(t->reason), "%.120s: %s", c->text, what);
    start -= t->o->before;
    t->pending = (struct snapshot){
        .from = start > 0 ? start : 0, .to = end + t->o->after, .reason = t->reason};
    t->is_pending = true;
}

/* Looks for conditions that are not about events: calls, signals and deaths since the last look. */
static void look_around(struct trigger *t)
{
    const struct rec_control *control = &t->follow.recording.header.control;
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

/* Takes a snapshot, in a thread of its own. Snapshots that fail are reported, but following goes on. */
static bool take_pending(void *arg, struct error *ret_error)
{
    struct trigger *t = arg;
    char buffer[RECORDING_COVERED];

    (void)ret_error;
    if (snapshot_file_take(t->rec, NULL, false, &t->pending, t->path) == EXIT_DONE &&
        !t->o->quiet) {
        const struct snapshot *s = &t->pending;
        const char *covered = recording_covered(s->from, s->to, s->whole_from, buffer);
        cli_say("%s: %s%s%s", t->path, t->reason, covered ? "; it is " : "",
                covered ? covered : "");
    }
    return true;
}

static void release_pending(void *arg)
{
    (void)arg;
    snapshot_file_abandon();
}

/* The function of the taker's thread, which allocates nothing itself. */
static void *take(void *arg)
{
    struct trigger *t = arg;

    while (sem_wait(&t->take) == 0 && !t->over) { /* no signal interrupts it */
        struct ticker once = {.run = take_pending,
                              .release = release_pending,
                              .arg = t,
                              .lost = "no snapshot was taken"};
        ticker_begin(&once);
        ticker_end(&once);
        t->last = now(t);
        t->tried++;
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

static bool look(struct trigger *t, struct error *ret_error)
{
    struct error error;
    bool done = follow_read(&t->follow, &error);
    /* A program may make new names for days. So following begins anew, once all that was overwritten is counted. */
    if (t->follow.count > ROWS_MOST + 2 * t->rows) {
        t->match.looked = t->follow.now;
        t->match.about_count = 0;
        t->lost += t->follow.missed;
        uint32_t gone = t->follow.gone_next;
        follow_end(&t->follow);
        begin_to_follow(t);
        t->follow.gone_next = gone;
        done = done && follow_read(&t->follow, &error);
        t->follow.missed = 0;
        t->rows = t->follow.count;
    }
    if (!done) {
        return error_set(ret_error, "cannot read the recording: %s", error.text);
    }
    look_around(t);
    return true;
}

/* --- the end ----------------------------------------------------------------------------------- */

static void report(const struct trigger *t)
{
    uint64_t lost = t->lost + t->follow.missed;

    for (size_t i = 0; i < t->o->count; i++) {
        const struct condition *c = &t->o->all[i];
        if (c->name && !c->seen) {
            bool value = c->kind == CONDITION_VALUE, bare = !strchr(c->name, ':');
            const char *hint = bare ? "; in a domain, its name is DOMAIN:NAME" : "";
            const char *what = c->kind == CONDITION_MARK ? "mark" : value ? "counter" : "range";
            cli_say("--snapshot-when '%s': no %s %s %s%s", c->text, what, c->name,
                    lost ? "was among the events that were looked at" : "came",
                    value ? "; for a range, give a unit of time, as in > 50ms" : hint);
        }
    }
    if (t->left_out && !t->o->quiet) {
        cli_say("a condition held %llu more %s, within --min-interval of a snapshot or after "
                "--max-snapshots",
                (unsigned long long)t->left_out, PLURAL(t->left_out, "time", "times"));
    }
    if (lost) {
        cli_say("about %llu %s overwritten before they were looked at: a larger --ring keeps them "
                "longer",
                (unsigned long long)lost, PLURAL(lost, "event was", "events were"));
    }
}

/* The program has ended. */
static bool last_look(struct trigger *t, struct error *ret_error)
{
    char what[64];

    if (!look(t, ret_error)) {
        return false;
    }
    take_if_due(t, true);
    int64_t at = now(t);
    for (size_t i = 0; i < t->o->count && WIFSIGNALED(t->status); i++) {
        if (t->o->all[i].kind == CONDITION_DEATH) {
            snprintf(what, sizeof(what), "a signal ended the program: %s",
                     strsignal(WTERMSIG(t->status)));
            fire(&t->o->all[i], at, at, what);
        }
    }
    take_if_due(t, true);
    report(t);
    return true;
}

/* --- the threads ------------------------------------------------------------------------------- */

/* The follower pauses 50 ms after a look, or 5 times the processor time of a look that took more than 10 ms. */
static bool follow(void *arg, struct error *ret_error)
{
    struct trigger *t = arg;
    uint64_t took;

    do {
        took = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        if (!look(t, ret_error)) {
            return false;
        }
        take_if_due(t, false);
        took = (clock_ns(CLOCK_THREAD_CPUTIME_ID) - took) / 1000000;
    } while (ticker_wait(&t->follower, took > 10 ? (int)took * 5 : 50));
    return last_look(t, ret_error);
}

static void release(void *arg)
{
    struct trigger *t = arg;

    follow_abandon(&t->follow);
}

void trigger_begin(struct trigger_options *o, const char *rec)
{
    struct trigger *t = &trigger;

    t->o = o;
    t->rec = rec;
    t->match = (struct match){.all = o->all, .count = o->count, .follow = &t->follow, .fire = fire};
    begin_to_follow(t);
    sem_init(&t->take, 0, 0);
    sem_init(&t->done, 0, 0);
    t->follower = (struct ticker){
        .run = follow, .release = release, .arg = t, .lost = "no more snapshots are taken"};
    t->runs = ticker_thread(&t->taker, take, t);
    if (t->runs) {
        ticker_begin(&t->follower);
    } else {
        cli_say("%s; no snapshots are taken", strerror(errno));
    }
}

void trigger_end(int status)
{
    struct trigger *t = &trigger;

    if (!t->runs) {
        return;
    }
    t->status = status;
    bool done = ticker_end(&t->follower);
    t->over = true;
    sem_post(&t->take);
    pthread_join(t->taker, NULL);
    if (done) {
        follow_end(&t->follow);
        match_end(&t->match);
    }
}
