/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "record.h"
#include "../analysis/name.h"
#include "cli.h"
#include "output_file.h"
#include "../util/memory.h"
#include "../decode/merge.h"
#include "../format/clock.h"
#include "../decode/follow.h"
#include "../output/report.h"
#include "../decode/recording_source.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define NAMES_MOST                                                                                 \
    (1u << 16) /* after about so many new names, the follower restarts: see look_for_conditions() */

/* --- options ---------------------------------------------------------------------------------- */

int trigger_add(struct trigger_options *o, const char *text) {
    ARRAY_ADD(o->all, o->count, o->capacity);
    int status = condition_parse(&o->all[o->count], text);
    o->count += status == EXIT_DONE;
    return o->count <= 64 ? status : cli_usage("record", "at most 64 conditions");
}

bool trigger_waits_for_calls(const struct trigger_options *o) {
    bool waits = false;

    for (size_t i = 0; i < o->count; i++) {
        waits |= o->all[i].kind == CONDITION_CALL;
    }
    return waits;
}

sigset_t trigger_signals(const struct trigger_options *o) {
    sigset_t all;

    sigemptyset(&all);
    for (size_t i = 0; i < o->count; i++) {
        if (o->all[i].signal) {
            sigaddset(&all, o->all[i].signal);
        }
    }
    return all;
}

/* --- state ------------------------------------------------------------------------------------ */

static struct trigger {
    struct trigger_options *o;
    const char *rec;
    struct follow follow;
    /* ns; events that ended before this time were handled before the follower last restarted */
    int64_t looked;
    struct map names; /* key_of_span -> bits: the conditions that are about the span's name */
    size_t known;     /* how many elements `names` had after the last restart */
    /* see is_first: hash of a condition and a place -> start (ns) of the last range stuck there */
    struct map stuck;
    struct map values;       /* process, condition -> 1: the last value satisfies the condition */
    uint32_t calls, died;    /* how many requests for snapshots, and deaths, were seen */
    struct snapshot pending; /* if is_pending: the snapshot to take at the end of its window */
    char reason[216];        /* the text of pending.reason */
    bool is_pending;
    /* ns since recording began: end of the last snapshot's window, even if that snapshot failed */
    int64_t last;
    uint64_t tried, left_out; /* tried: snapshots, taken or failed; left_out: ignored causes */
    uint64_t lost;            /* events missed before the last restart; later ones: follow.missed */
    char path[PATH_MAX];      /* of the last snapshot */
    struct worker follower;   /* the thread that reads the recording */
    int status;               /* the program's wait status, at the end */
} trigger;

static volatile sig_atomic_t signals[NSIG]; /* by number; 1: came since look_around last ran */

void trigger_signal(int number) {
    signals[number] = 1;
}

/* --- what has happened ------------------------------------------------------------------------ */

/* Called when a cause from `start` to `end` (ns) satisfies a condition. Plans a snapshot, unless
 * one is planned already, or --max-snapshots or --min-interval (which deaths ignore) forbids it. */
static void fire(const struct condition *c, int64_t start, int64_t end, const char *what) {
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

/* A key for a span's style, domain and text. String ids are below 2^30, so all three fit. */
static uint64_t key_of_span(const struct span *span) {
    return (uint64_t)span->domain_name << 34 | (uint64_t)span->text << 2 | span->style;
}

/* A key for a condition in the span's process. */
static uint64_t key_of_condition(const struct condition *c, const struct span *span) {
    return (uint64_t)span->process->pid << 32 | (uint64_t)(c - trigger.o->all);
}

/* Returns which conditions are about a span, as bits. */
static uint64_t conditions_about(struct trigger *t, const struct span *span) {
    uint64_t bits = 0, *known = map_find(&t->names, key_of_span(span));
    size_t size;

    if (known) {
        return *known;
    }
    char *name =
        name_of_range(&t->follow.recording.source, span->domain_name, span->text, false, &size);
    for (size_t i = 0; i < t->o->count; i++) {
        bool is = condition_is_about(&t->o->all[i], span->style, name);
        bits |= (uint64_t)is << i;
        t->o->all[i].seen |= is;
    }
    free(name);
    map_add(&t->names, key_of_span(span), bits);
    return bits;
}

/* Whether a range that has been open for longer than the condition's bound satisfies the condition
 * for the first time. The range is identified by its place: process, stream, domain, and depth or
 * id. The start cannot identify the range: when the follower restarts (see look_for_conditions),
 * the start is computed again, with newer clock samples. A later stuck range in the same place
 * starts at least `bound` after the earlier one, which was open for longer than `bound`. */
static bool is_first(struct trigger *t, const struct condition *c, const struct span *span) {
    uint64_t hash = map_mix(key_of_condition(c, span), (uint64_t)span->stream << 32 | span->domain);
    size_t before = t->stuck.count;

    hash = map_mix(hash, span->style == SPAN_PUSH_POP ? span->depth : ~span->range);
    uint64_t *start = map_add(&t->stuck, hash, (uint64_t)span->start);
    if (t->stuck.count == before && (double)(span->start - (int64_t)*start) < c->bound) {
        return false;
    }
    *start = (uint64_t)span->start;
    return true;
}

/* Calls fire() if a span satisfies a condition that is about the span's name. */
static void meet(struct trigger *t, struct condition *c, const struct span *span, bool is_open) {
    char figure[64], what[160];
    bool is_value = c->kind == CONDITION_VALUE, held = false;
    double value = is_value ? value_number(span) : (double)(span->end - span->start);
    bool holds = condition_holds(c, value);

    if (is_value) {
        uint64_t *last = map_add(&t->values, key_of_condition(c, span), 0);
        held = *last;
        *last = holds;
        snprintf(figure, sizeof(figure), "%.9g", value);
    } else {
        figure_time(value, 0, 0, false, figure);
    }
    bool is_met = holds && !held && !is_open;
    if (c->kind == CONDITION_STUCK) {
        is_met = is_open && value > c->bound && is_first(t, c, span);
    } else if (c->kind == CONDITION_MARK) {
        is_met = true;
    }
    if (is_met) {
        snprintf(what, sizeof(what), "%s%s in process %u",
                 c->kind == CONDITION_STUCK ? "open for " : "",
                 c->kind == CONDITION_MARK ? "" : figure, span->process->pid);
        fire(c, span->start, span->end, c->kind == CONDITION_MARK ? what + 1 : what);
    }
}

static void meet_all(struct trigger *t, const struct span *span, bool is_open) {
    for (uint64_t bits = conditions_about(t, span); bits; bits &= bits - 1) {
        meet(t, &t->o->all[__builtin_ctzll(bits)], span, is_open);
    }
}

static void on_span(void *arg, const struct span *span) {
    struct trigger *t = arg;

    if (span->end >= t->looked) {
        meet_all(t, span, false);
    }
}

static void on_open(void *arg, const struct span *span, const struct engine_stream *stream,
                    bool lasts) {
    (void)stream;
    if (lasts) {
        meet_all(arg, span, true);
    }
}

/* Looks for conditions that are not about events: calls, signals and deaths since the last look. */
static void look_around(struct trigger *t) {
    const struct rec_control *control = &t->follow.recording.header.control;
    int64_t at = follow_time(&t->follow);
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

/* --- snapshots -------------------------------------------------------------------------------- */

/* Takes the planned snapshot. Reports a failure, but returns true: the follower goes on. */
static bool write_pending(void *arg, struct error *ret_error) {
    struct trigger *t = arg;
    char buffer[RECORDING_COVERED];

    (void)ret_error;
    if (snapshot_file_write(t->rec, NULL, false, &t->pending, t->path) == EXIT_DONE &&
        !t->o->quiet) {
        const struct snapshot *s = &t->pending;
        const char *covered = recording_covered(s->from, s->to, s->whole_from, buffer);
        cli_say("%s: %s%s%s", t->path, t->reason, covered ? "; it is " : "",
                covered ? covered : "");
    }
    return true;
}

static void release_pending(void *arg) {
    (void)arg;
    snapshot_file_abandon();
}

/* Takes the planned snapshot if it is due. A new thread does this. If memory runs out in that
 * thread, the follower goes on. */
static void snapshot_if_due(struct trigger *t, bool at_end) {
    int64_t at = follow_time(&t->follow);

    if (t->is_pending && (at >= t->pending.to || at_end)) {
        struct worker once = {.run = write_pending,
                              .release = release_pending,
                              .arg = t,
                              .lost = "no snapshot was taken"};
        t->pending.to = t->pending.to < at ? t->pending.to : at;
        worker_begin(&once);
        worker_end(&once);
        t->last = t->pending.to;
        t->tried++;
        t->is_pending = false;
    }
}

static void begin_to_follow(struct trigger *t) {
    follow_begin(&t->follow, t->rec, 1000000000, on_span, on_open, t);
}

static bool look_for_conditions(struct trigger *t, struct error *ret_error) {
    struct error error;
    bool done = follow_read(&t->follow, &error);
    /* A program may use new names for days, and `follow` keeps all of them. So the follower
     * restarts from time to time. Events that were missed before the restart are added to
     * t->lost. */
    if (t->names.count > NAMES_MOST + 2 * t->known) {
        t->looked = t->follow.now;
        map_free(&t->names);
        t->lost += t->follow.missed;
        uint32_t gone = t->follow.gone_next;
        follow_end(&t->follow);
        begin_to_follow(t);
        t->follow.is_anew = true;
        t->follow.gone_next = gone;
        done = done && follow_read(&t->follow, &error);
        t->follow.missed = 0;
        t->known = t->names.count;
    }
    if (!done) {
        return error_set(ret_error, "cannot read the recording: %s", error.text);
    }
    look_around(t);
    return true;
}

/* --- the end ---------------------------------------------------------------------------------- */

static void report(const struct trigger *t) {
    uint64_t lost = t->lost + t->follow.missed;

    for (size_t i = 0; i < t->o->count; i++) {
        const struct condition *c = &t->o->all[i];
        if (c->name && !c->seen) {
            bool value = c->kind == CONDITION_VALUE, bare = !strchr(c->name, ':');
            const char *hint = bare ? "; in a domain, its name is DOMAIN:NAME" : "";
            const char *what = c->kind == CONDITION_MARK ? "mark" : value ? "counter" : "range";
            cli_say("--snapshot-when '%s': no %s %s %s%s", c->text, what, c->name,
                    lost ? "was among the events that were read" : "came",
                    value ? "; for a range, give a unit of time, as in > 50ms" : hint);
        }
    }
    if (t->left_out && !t->o->quiet) {
        cli_say("a condition held %llu more %s, within --min-interval of a snapshot or after "
                "--max-snapshots",
                (unsigned long long)t->left_out, PLURAL(t->left_out, "time", "times"));
    }
    if (lost) {
        cli_say("about %llu %s overwritten before they were read: a larger --ring keeps them "
                "longer",
                (unsigned long long)lost, PLURAL(lost, "event was", "events were"));
    }
}

/* Called when the program has ended. */
static bool last_look(struct trigger *t, struct error *ret_error) {
    char what[64];

    if (!look_for_conditions(t, ret_error)) {
        return false;
    }
    snapshot_if_due(t, true);
    int64_t at = follow_time(&t->follow);
    for (size_t i = 0; i < t->o->count && WIFSIGNALED(t->status); i++) {
        if (t->o->all[i].kind == CONDITION_DEATH) {
            snprintf(what, sizeof(what), "a signal ended the program: %s",
                     strsignal(WTERMSIG(t->status)));
            fire(&t->o->all[i], at, at, what);
        }
    }
    snapshot_if_due(t, true);
    report(t);
    return true;
}

/* --- the threads ------------------------------------------------------------------------------ */

/* The follower: looks again and again. If a look has taken up to 10 ms of processor time, the pause
 * after it is 50 ms; if more, 5 times that processor time. */
static bool follow(void *arg, struct error *ret_error) {
    struct trigger *t = arg;
    uint64_t took;

    do {
        took = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        if (!look_for_conditions(t, ret_error)) {
            return false;
        }
        snapshot_if_due(t, false);
        took = (clock_ns(CLOCK_THREAD_CPUTIME_ID) - took) / 1000000;
    } while (worker_wait(&t->follower, took > 10 ? (int)took * 5 : 50));
    return last_look(t, ret_error);
}

static void release_trigger(void *arg) {
    struct trigger *t = arg;

    recording_release(&t->follow.recording);
}

void trigger_begin(struct trigger_options *o, const char *rec) {
    struct trigger *t = &trigger;

    t->o = o;
    t->rec = rec;
    begin_to_follow(t);
    t->follower = (struct worker){
        .run = follow, .release = release_trigger, .arg = t, .lost = "no more snapshots are taken"};
    worker_begin(&t->follower);
}

void trigger_end(int status) {
    struct trigger *t = &trigger;

    t->status = status;
    if (t->o && worker_end(&t->follower)) {
        follow_end(&t->follow);
        map_free(&t->names);
        map_free(&t->stuck);
        map_free(&t->values);
    }
}
