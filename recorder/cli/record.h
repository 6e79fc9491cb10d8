/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* The parts of `nvtxh record`: the trigger of snapshots; the options, and the environment variables
 * that pass them to the program; the recording's file; running the program; messages. */
#include "../util/io.h"
#include "../decode/recording.h"
#include "../analysis/span.h"

#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* --- the trigger ------------------------------------------------------------------------------ */

/* `nvtxh record` takes a snapshot, a copy of what the recording contains, when a condition holds. A
 * thread, the follower, reads the recording like `nvtxh top`: while the program writes it. Each
 * such read is a look. The follower has the program's priority. With a lower priority, it would
 * wait while the program's threads keep all processors busy, and events would be overwritten before
 * it reads them. If events are overwritten nevertheless, the follower counts them. */

/* The forms of a condition:
 *
 *   NAME > TIME · NAME stuck TIME · mark NAME · NAME (> | >= | < | <= | ==) NUMBER ·
 *   signal (USR1 | USR2 | HUP) · call · death
 *
 * A NAME is domain:message, or in the default domain the message alone. A TIME has a unit. A
 * NUMBER, with which a counter's value is compared, has none. */
enum condition_kind {
    CONDITION_LONGER, /* a range took longer than `bound` */
    CONDITION_STUCK,  /* a range has been open for longer than `bound` */
    CONDITION_MARK,   /* there was a mark */
    CONDITION_VALUE,  /* a counter's value satisfies the comparison; its previous value did not */
    CONDITION_SIGNAL, /* `nvtxh record` got a signal */
    CONDITION_CALL,   /* the program called nvtxh_record_snapshot */
    CONDITION_DEATH   /* a process ended without recording its end, or a signal ended the program */
};
#define CONDITION_GRAMMAR                                                                          \
    "NAME > TIME, NAME stuck TIME, mark NAME, COUNTER > NUMBER (also >=, <, <=, ==), signal "      \
    "USR1, call, death"

struct condition {
    enum condition_kind kind;
    const char *text; /* as the user gave it */
    char *name;       /* of the ranges, marks or counter; NULL: the condition is not about events */
    char compare[3];  /* the comparison: > >= < <= or ==; "": none */
    double bound;     /* the TIME, in ns, or the NUMBER */
    int signal;       /* CONDITION_SIGNAL: the signal's number; else 0 */
    bool seen;        /* an event with this name has occurred */
};

/* Parses a condition; `text` must stay valid. Returns an exit status; errors have been reported. */
int condition_parse(struct condition *c, const char *text);

/* Whether the condition is about a range, mark or counter of this style and name. */
bool condition_is_about(const struct condition *c, enum span_style style, const char *name);

bool condition_holds(const struct condition *c, double value);

struct trigger_options {
    struct condition *all;
    size_t count, capacity;
    /* The cause of a snapshot is what satisfied a condition, such as a range. The snapshot's window
     * is the time from `before` ns before the cause begins to `after` ns after it ends. */
    int64_t before, after;
    /* ns; a cause is ignored if it ends less than `interval` after the end of the last snapshot's
     * window, unless the cause is a death */
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

/* Starts the follower. Call it when the program has been started. `rec`, the recording's path, and
 * the options must stay valid until trigger_end. */
void trigger_begin(struct trigger_options *o, const char *rec);

/* Notes that a signal has arrived. The signal's handler calls this function. */
void trigger_signal(int number);

/* Call it with the program's wait status when the program has ended. Takes the snapshot that is
 * planned, if there is one. Reports the conditions that name a range, mark or counter that never
 * occurred, and how many times a condition held but no snapshot was taken. */
void trigger_end(int status);

/* --- the options ------------------------------------------------------------------------------ */

/* Options that the recorder, a library in the program, reads from environment variables. */
enum {
    RECORD_RING,
    RECORD_FROM,
    RECORD_TO,
    RECORD_CAPTURE,
    RECORD_INCLUDE,
    RECORD_EXCLUDE,
    RECORD_RANK,
    RECORD_JOB,
    RECORD_MODE,
    RECORD_SETTINGS
};

struct record_options {
    const char *output; /* the value of -o; NULL: -o was not given */
    bool force, quiet, no_thread, paused, functions, switches, no_switches;
    char *tool; /* the library of the other tool beside the recorder; NULL: none */
    struct trigger_options triggers;
    struct record_setting {
        char *text;      /* the environment variable's value; NULL: the option was not given */
        uint64_t number; /* `text`, parsed: a size (bytes), a time (ns) or a mode */
    } settings[RECORD_SETTINGS];
};

/* Parses the options. The program is then argv[optind]. Returns an exit status. Call
 * record_options_free whatever the status is. */
int record_options_parse(struct record_options *o, int argc, char **argv);
void record_options_free(struct record_options *o);

static inline mode_t record_options_mode(const struct record_options *o) {
    return (mode_t)o->settings[RECORD_MODE].number;
}

/* --- the file --------------------------------------------------------------------------------- */

struct recording_file {
    char path[PATH_MAX];     /* may be relative; its fields (%h ...) are filled in unless `apart` */
    char absolute[PATH_MAX]; /* `path` made absolute: the program may change its directory */
    char aside[PATH_MAX];    /* the file to be replaced was moved here; "": no file was moved */
    char session[33];        /* the recording's id, for REC_ENV_SESSION */
    bool made;  /* the file was created. Nothing is recorded if neither `made` nor `apart` is set */
    bool apart; /* each process creates a file of its own; `absolute` has fields such as %p */
};

/* Sets the environment variables that the program inherits. Call it when this process reads none of
 * them any more. `file`: where the program records. `library`: the path of the recorder's library.
 * `preload`: the path of another library to preload, or "". */
void record_options_hand_over(const struct record_options *o, const struct recording_file *file,
                              const char *library, const char *preload, const char *program);

/* Creates the file o->output, after filling in the fields of its name, such as %h (see create.h).
 * If only the program's processes know a field's value, creates no file, but sets t->apart. If
 * o->output is a directory or NULL, the file is named after the program. With o->force, an existing
 * file is moved to t->aside, unless the name is numbered. Reports errors. Returns EXIT_USAGE if the
 * name is wrong, else EXIT_DONE, even after another error: the program then runs unrecorded. */
int recording_file_create(struct recording_file *t, const struct record_options *o, char **argv);

/* Writes into the header whether recording begins paused. Call it before the program runs.
 * `is_watched`: this process takes the snapshots that nvtxh_record_snapshot requests. */
void recording_file_control(const struct recording_file *t, bool paused, bool is_watched);

/* Call it when the program runs: writes its pid into the header, removes the file at t->aside. */
void recording_file_keep(struct recording_file *t, pid_t program);

/* Call it if the program cannot be run: removes the recording, restores the file at t->aside. */
void recording_file_undo(struct recording_file *t);

/* Call it when the program has ended. Writes the time of the end, `status`, the program's wait
 * status, and `usage` into the header. If the recording cannot be opened, reports why and returns
 * false. */
bool recording_file_close(struct recording_file *t, int status, const struct rec_usage *usage);

/* Writes the context switches of the program, from its start until switches_record_end, into the
 * recording, unless the options say no. Reports errors, but that the kernel refuses only with
 * --switches. */
void switches_record_begin(const struct recording_file *t, const struct record_options *o);
void switches_record_end(void);

/* Call it at the end. If switches became too many to record, says so. `begun`: when the recording
 * began, ns of CLOCK_MONOTONIC. */
void switches_print_limit(uint64_t begun);

/* Whether this machine has so few processors that switches are recorded without --switches. */
bool switches_are_usual(void);

/* Why this user can record no context switches, and what to do: a text to free. NULL: they can. */
char *switches_refused(void);

/* Runs a program in the foreground and waits for it. Forwards the signals that other processes send
 * to nvtxh alone; those to the process group, and the terminal's, reach the program directly. Calls
 * `started` when the program runs. Returns 0, the program's wait status and what it took, or the
 * errno of a failed start. Works even if no file descriptor is left. */
int exec_program(char **argv, void (*started)(void *arg, pid_t pid), void *arg, int *ret_status,
                 struct rec_usage *ret_usage);

/* Call it before exec_program, which does not forward a signal in `all` that arrives, but calls `f`
 * in a signal handler. */
void exec_keep_signals(sigset_t all, void (*f)(int number));

/* Makes this command ignore the signal. The program still starts with the action that was set
 * before. Call it before exec_program. */
void exec_ignore_signal(int number);

/* Call it if the program used NVTX, but no event was recorded. Reports which option or variable
 * prevented recording; returns false if none did. */
bool nothing_recorded(const struct recording *r, const char *path, const struct record_options *o);

/* Call it if no process loaded the recorder. Reports why. `ended` says which signal ended the
 * program; "": none. `functions`: the option --functions was given. */
void nothing_loaded(const char *program, const char *path, const char *ended, bool functions);

/* The end of a message that nothing was recorded: the reason, or a hint; may be "". Free it. */
char *nothing_because(const char *program, const char *ended, bool functions);

/* Variables of the environment that switch annotations off: see nvtxh/config.h. Each of the first
 * OFF_ALL switches all off, the others some. off_switch returns what variable `i` does, as
 * "NVTXH_DISABLE is 1, which ..."; NULL: it does nothing. Free it. */
enum { OFF_ALL = 2, OFF_SWITCHES = 4 };
char *off_switch(size_t i);

/* --- another NVTX tool, which gets a program's calls in addition to the recorder -------------- */

/* Takes the value of --tool: stores the whole path in *ret_tool. Free it. Returns an exit status,
 * after reporting errors. */
int other_tool_parse(const char *value, char **ret_tool);

/* If NVTX_INJECTION64_PATH names another tool than the recorder, stores it in *tool, unless --tool
 * has named the same one. `library`: the recorder's path. Returns an exit status; it is an error if
 * --tool has named another one. */
int other_tool_inherit(const char *library, char **tool);

/* Whether the path `tool` leads to `library`, which is a whole path without links. */
bool other_tool_is(const char *tool, const char *library);

/* Sets NVTX_INJECTION64_PATH, the tool that NVTX loads, to `library`, the recorder's path.
 * `preload`: a library to preload, or "". With Nsight (see other_tool_nsight), preloads the
 * recorder, too, because Nsight changes NVTX_INJECTION64_PATH in the programs that it runs. */
void other_tool_set(const char *library, const char *preload, const char *program);

/* Whether `program` is a command of Nsight, or Nsight has started this process. */
bool other_tool_nsight(const char *program);

/* A thread of `nvtxh record` that works while the program runs. Setting the system's clock does not
 * change how long the thread pauses. The thread gets no signals: the main thread, which waits for
 * the program's end, handles them. An error ends the thread's work, but the command still waits
 * for the program and reports the program's end. The command goes on even if memory runs out in the
 * thread: the thread reports this, calls `release`, and then pauses for ever. It does not call
 * pthread_exit, because glibc loads a library for that, and aborts if there is no memory. What the
 * thread has allocated is neither used nor freed afterwards, because it may be half built. */
struct worker {
    /* Does the work. Must return soon after worker_wait has returned false. Returns false with an
     * error if the work has failed. */
    bool (*run)(void *arg, struct error *ret_error);
    /* Called after a failure; closes what `run` has opened. May be NULL. Must not allocate memory,
     * or use allocated memory. */
    void (*release)(void *arg);
    void *arg;
    const char *lost; /* end of the message on a failure: what the user loses */
    /* The worker sets the members below. */
    pthread_t thread;
    int end[2];   /* a pipe; closing its write end ends the thread's pause */
    sem_t over;   /* posted when the work has ended or failed */
    bool runs;    /* the thread was created */
    bool failed;  /* the thread could not be created, or its work has failed */
    bool is_idle; /* the thread pauses for ever, because no memory was left */
};

/* Starts the thread. The caller sets the members up to `lost`, and all others to 0. Allocates
 * nothing. */
void worker_begin(struct worker *t);

/* Called by `run`: pauses for `ms` milliseconds. Returns false if the work must end. */
bool worker_wait(struct worker *t, int ms);

/* Ends the thread's pause, and waits until its work has ended. Returns false if the work has
 * failed, which has been reported. */
bool worker_end(struct worker *t);
