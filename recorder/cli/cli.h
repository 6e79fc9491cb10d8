/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_H
#define NVTXH_CLI_H
/* What the commands of `nvtxh` share: exit statuses, messages, opening a source of spans. */
#include "../source/source.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

enum {
    EXIT_DONE = 0,
    EXIT_FAILED = 1, /* the command could not do its work */
    EXIT_USAGE = 2,  /* wrong arguments */
    EXIT_OVER = 3,   /* done, but the limit of --fail-over is exceeded */
};

/* Reports wrong arguments of a command, and refers to its --help. Returns 2. */
__attribute__((format(printf, 2, 3))) int cli_usage(const char *command, const char *format, ...);

/* Print a line. cli_fail: a failure on stderr, returns 1. cli_say: another message on stderr. cli_answer: on stdout. */
__attribute__((format(printf, 1, 2))) int cli_fail(const char *format, ...);
__attribute__((format(printf, 1, 2))) void cli_say(const char *format, ...);
__attribute__((format(printf, 1, 2))) void cli_answer(const char *format, ...);

/* Prints `before` and the text, without a newline. All functions up to here escape control characters, which names of
 * files may have; `before` is printed as it is. */
__attribute__((format(printf, 3, 0))) void cli_print(FILE *out, const char *before, const char *format, va_list args);

/* Opens a source that has spans. NULL with a message on failure. cli_close reports damage, which only reading finds. */
struct source *cli_open(const char *path);

/* Opens any source, also one that holds statistics only. */
struct source *cli_open_any(const char *path);
/* The same, but only a recording: see recording_of. */
struct source *cli_open_recording(const char *path);
/* Opens several sources of any kind. If one cannot be opened, closes the others. */
bool cli_open_all(struct source **all, char **paths, size_t count);
/* Opens recordings that have events. Keeps no descriptors, of which there may be too few: see recording_take_up. */
bool cli_open_in_turn(struct source **all, char **paths, size_t count);
/* Checks that all sources differ. If two are the same, reports wrong usage. */
bool cli_all_differ(const char *command, struct source *const *all, char **paths, size_t count);

/* Reports a failed read of the source, and returns false. Call it after the last pass, before results are printed. */
bool cli_was_read(const struct source *s, const char *path);

/* Reports damage, unless a read has failed, and closes the source. */
void cli_close(struct source *s, const char *path);

/* Call it first. Takes those of the descriptors 0 to 2 that are closed, so that no file of ours gets their numbers.
 * Reading and writing fails as before, and programs that we start find the descriptors closed. */
void cli_begin(void);

/* Whether descriptor 2 was closed when this command started. */
bool cli_is_silent(void);

void cli_progress_done(void);

/* Flushes stdout. Returns `status`, or 1 if the output could not be written. */
int cli_finish(int status);

#endif /* NVTXH_CLI_H */
