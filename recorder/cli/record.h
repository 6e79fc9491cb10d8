/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_RECORD_H
#define NVTXH_CLI_RECORD_H
/* What `nvtxh record` is made of: the trigger of snapshots, the options and the environment
 * variables by which the program gets them, the file, the statistics of --stats-only, the launch,
 * the line on the terminal, messages. */
#include "../base/io.h"
#include "../read/recording.h"
#include "../source/span.h"

#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* --- the trigger ------------------------------------------------------------------------------ */

/* Snapshots that `nvtxh record` takes when a condition holds. A thread, the follower, reads the
 * recording while it is written, as `nvtxh top` does. Its priority is that of the program. With a
 * lower one, events would be overwritten unread where the program's threads keep all processors
 * busy. Events that are overwritten unread are counted. */

/* When a snapshot is taken:
 *
 *   NAME > TIME · NAME stuck TIME · mark NAME · NAME (> | >= | < | <= | ==) NUMBER · signal NAME ·
 *   call · death
 *
 * A NAME is domain:message, or in the default domain the message alone. A TIME has a unit; a
 * NUMBER, the value of a counter, has none. */
enum condition_kind {
    CONDITION_LONGER, /* a range took longer than `bound` */
    CONDITION_STUCK,  /* a range has been open for longer than `bound` */
    CONDITION_MARK,   /* there was a mark */
    CONDITION_VALUE,  /* a counter's value satisfies the comparison; its previous value did not */
    CONDITION_SIGNAL, /* `nvtxh record` got a signal */
    CONDITION_CALL,   /* the program called nvtxh_record_snapshot */
    CONDITION_DEATH   /* a process died, or a signal ended the program */
};
#define CONDITION_GRAMMAR                                                                          \
    "NAME > TIME, NAME stuck TIME, mark NAME, COUNTER > NUMBER (also >=, <, <=, ==), signal "      \
    "USR1, call, death"

struct condition {
    enum condition_kind kind;
    const char *text; /* as the user gave it */
    char *name;       /* of ranges, marks or a counter; NULL: the condition is not about events */
    char compare[3];  /* the comparison: > >= < <= or ==; "": none */
    double bound;     /* ns of a range, or a counter's value */
    int signal;       /* for CONDITION_SIGNAL, else 0 */
    bool seen;        /* there was an event of `name` */
    bool holds;       /* the counter's last value satisfies the comparison */
};

/* Parses a condition; `text` must stay valid. Returns an exit status; errors have been reported. */
int condition_take(struct condition *c, const char *text);

/* Whether the condition is about this range, mark or counter. */
bool condition_is_about(const struct condition *c, enum span_style style, const char *name);

bool condition_holds(const struct condition *c, double value);

struct trigger_options {
    struct condition *all;
    size_t count, room;
    /* A snapshot's window begins `before` ns before its cause begins, and ends `after` ns after its
     * cause ends. */
    int64_t before, after;
    /* ns; a cause that ends less than `interval` after the window of the last snapshot is ignored,
     * unless the cause is a death */
    int64_t interval;
    double most; /* how many snapshots are taken at most */
    bool quiet;  /* do not report snapshots */
};
#define TRIGGER_USUAL                                                                              \
    { .before = 2000000000, .after = 1000000000, .interval = 10000000000, .most = 10 }

/* Parses a condition and adds it. Returns an exit status; errors have been reported. */
int trigger_add(struct trigger_options *o, const char *text);

/* The signals that conditions wait for. */
sigset_t trigger_signals(const struct trigger_options *o);

/* Whether a condition waits for nvtxh_record_snapshot. */
bool trigger_waits_for_calls(const struct trigger_options *o);

/* Call it when the program has been started. `rec`, the recording's path, and the options must stay
 * valid. */
void trigger_begin(struct trigger_options *o, const char *rec);

/* Notes that a signal has come. Its handler calls this. */
void trigger_signal(int number);

/* Call it with the program's wait status when the program has ended. Takes the snapshot that is
 * still due, if there is one. Reports the conditions that name a range, mark or counter that never
 * occurred, and how many snapshots were not taken. */
void trigger_end(int status);

/* --- the options ------------------------------------------------------------------------------ */

/* The options that the recorder in the program reads: one environment variable for each. */
enum {
    RECORD_RING,
    RECORD_MIN_DURATION,
    RECORD_DELAY,
    RECORD_DURATION,
    RECORD_CAPTURE,
    RECORD_INCLUDE,
    RECORD_EXCLUDE,
    RECORD_RANK,
    RECORD_JOB,
    RECORD_MODE,
    RECORD_SETTINGS
};

struct record_options {
    const char *output; /* NULL: not given */
    bool force, quiet, no_thread, paused, stats_only, functions;
    char *chain; /* the value for NVTXH_CHAIN, with the tools of --also; NULL: no --also */
    struct trigger_options triggers;
    struct record_setting {
        char *text;      /* the variable's value; NULL: the option was not given */
        uint64_t number; /* the value of a size (bytes), a time (ns) or a mode */
    } settings[RECORD_SETTINGS];
};

/* Parses the options up to the program, argv[optind]. Returns an exit status. Call
 * record_options_free whatever the status is. */
int record_options_parse(struct record_options *o, int argc, char **argv);
void record_options_free(struct record_options *o);

static inline mode_t record_options_mode(const struct record_options *o) {
    return (mode_t)o->settings[RECORD_MODE].number;
}

/* --- the file --------------------------------------------------------------------------------- */

struct recording_file {
    char path[PATH_MAX];     /* as it was given */
    char absolute[PATH_MAX]; /* as an absolute path: the program may change its directory */
    char aside[PATH_MAX];    /* where the replaced file is kept for now; "": there is none */
    char session[33];        /* for REC_ENV_SESSION */
    bool made;  /* the file was created; unless `made` or `apart` is set, nothing is recorded */
    bool apart; /* each process creates a file of its own; `absolute` has fields such as %p */
};

/* Sets the environment that the program inherits. Call it last, because this process must not read
 * the variables afterwards. `file`: what the program records to. `library`: the recorder's.
 * `preload`: a library to preload, or "". */
void record_options_hand_over(const struct record_options *o, const struct recording_file *file,
                              const char *library, const char *preload, const char *program);

/* Creates the file. Fills in the fields of o->output (see create.h), unless only the program's
 * processes know their values. If o->output is a directory or NULL, the file is named after the
 * program. With o->force, an existing file is set aside. Reports errors. Returns 2 if the name is
 * wrong, else 0, because the program runs even if it is not recorded. */
int recording_file_create(struct recording_file *t, const struct record_options *o, char **argv);

/* Writes whether recording begins paused. Call it before the program runs. `is_watched`: this
 * process takes the snapshots that nvtxh_record_snapshot asks for. */
void recording_file_control(const struct recording_file *t, bool paused, bool is_watched);

/* Call it when the program runs: writes the program's pid, removes the file that was set aside. */
void recording_file_keep(struct recording_file *t, pid_t program);

/* Call it if the program cannot be run: removes the recording and restores the file that was set
 * aside. */
void recording_file_undo(struct recording_file *t);

/* Call it when the program has ended. Writes the time of the end and the wait status. False with a
 * message: the recording is gone. */
bool recording_file_close(struct recording_file *t, int status);

/* record --stats-only: the program records to a ring beside REC. The command reads the ring while
 * the program runs, as `nvtxh top` does. About every second, and when the program has ended, it
 * replaces REC: for each name, REC has a row with a histogram. Events that were overwritten in the
 * ring before they were read are counted as missed.
 *
 * Makes the ring, to which the program records in place of `rec`. False with errno. */
bool stats_only_make(const struct recording_file *rec, mode_t mode,
                     struct recording_file *ret_ring);

/* Begins to read the ring. Both arguments must be valid until stats_only_end. */
void stats_only_begin(const struct recording_file *rec, const struct recording_file *ring);

/* Call it when the program has ended, or could not be run. Writes REC for the last time, and
 * removes the ring. */
void stats_only_end(void);

/* Returns what was read of the ring, which says more about the program than REC does. Call it after
 * stats_only_end. NULL without --stats-only, or if reading has failed. Valid until
 * stats_only_free. */
const struct recording *stats_only_ring(void);
void stats_only_free(void);

/* Runs a program in the foreground and waits for it. Forwards the signals that other processes send
 * to nvtxh; the terminal's signals reach the program directly. Calls `started` when the program
 * runs. Returns 0 and the program's wait status, or the errno of a failed start. Needs no file
 * descriptor. */
int launch(char **argv, void (*started)(void *arg, pid_t pid), void *arg, int *ret_status);

/* Call launch_keep before launch. The signals in `all` are not forwarded: a signal handler calls
 * `f` for them. */
void launch_keep(sigset_t all, void (*f)(int number));

/* Call launch_ignore before launch: this command ignores the signal, but the program starts with
 * the action that was set before. */
void launch_ignore(int number);

/* A line on the terminal that says, after a second, what is recorded. It must not mix with the
 * program's output: if stdout is a terminal, too, the line is removed as soon as the program or a
 * descendant has written to any file. `program` and `file`, shown in the line, must stay valid.
 * Does nothing unless stderr is our foreground terminal. */
void watch_begin(pid_t pid, const char *program, const char *file);
void watch_end(void);

/* Call it if the program used NVTX, but no event was recorded. Reports which option kept the events
 * out. Returns false if no option did. */
bool nothing_recorded(const struct recording *r, const char *path, const struct record_options *o);

/* Call it if no process loaded the recorder. Reports why. `ended` says which signal ended the
 * program, or is empty. */
void nothing_loaded(const char *program, const char *path, const char *ended);

/* --- NVTX tools that get a program's calls in addition to the recorder ------------------------ */

/* Takes the value of --also, the path of a tool's library or "usdt", and puts the tool first in
 * *chain, the future NVTXH_CHAIN. If *chain is NULL, begins with the inherited NVTXH_CHAIN. Free
 * *chain. Returns an exit status, errors reported. */
int beside_also(const char *tool, char **chain);

/* Whether the path of a tool leads to `library`, the recorder, as installed_find returns it. */
bool beside_is_recorder(const char *tool, const char *library);

/* Sets NVTX_INJECTION64_PATH to `library`, the recorder. The tool that the variable named before
 * becomes the first tool of NVTXH_CHAIN. `preload`: a library to preload, or "". With Nsight (see
 * beside_nsight), preloads the recorder, too, because Nsight sets NVTX_INJECTION64_PATH in programs
 * that it runs. */
void beside_set(const char *library, const char *preload, const char *program);

/* Whether `program` is Nsight's own command, or Nsight has started this process. */
bool beside_nsight(const char *program);

/* A thread of `nvtxh record` that works while the program runs. Setting the system's clock does not
 * change how long its pauses are. The thread gets no signals: the thread that waits for the
 * program's end handles them. An error ends the thread's work, but not the command, which still
 * waits for the program and reports its end. If memory runs out, which nothing below cli/ handles,
 * the command goes on, too: the thread reports it, calls `release`, and then pauses for ever. It
 * does not call pthread_exit, because glibc loads a library for that, and aborts if there is no
 * memory. The work's structures are not used or freed, because they may be half built. */
struct ticker {
    /* Does the work. Must return soon after ticker_wait has returned false. False: the work has
     * failed. */
    bool (*run)(void *arg, struct error *ret_error);
    /* Closes what `run` has opened, after a failure. May be NULL. Must not use memory from malloc,
     * or allocate any. */
    void (*release)(void *arg);
    void *arg;
    const char *lost; /* what the user loses by a failure; ends the message. NULL: no message */
    /* The ticker sets the members below. */
    pthread_t thread;
    int end[2];   /* a pipe; closing its end for writing ends the thread's pause */
    sem_t over;   /* posted when the work has ended or failed */
    bool runs;    /* the thread was made */
    bool failed;  /* the thread could not be made, or its work has failed */
    bool is_idle; /* the thread pauses for ever, because no memory was left */
};

/* Begins the thread. The caller has set the first four members, and the others to 0. Allocates
 * nothing. */
void ticker_begin(struct ticker *t);

/* Pauses for `ms` milliseconds. Called by `run`. Returns false if the work must end. */
bool ticker_wait(struct ticker *t, int ms);

/* Waits until the work has ended. False: the work has failed, which has been reported if `lost` is
 * set. */
bool ticker_end(struct ticker *t);

#endif /* NVTXH_CLI_RECORD_H */
