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

/* Reports a failure on stderr; returns 1. */
__attribute__((format(printf, 1, 2))) int cli_fail(const char *format, ...);

/* Prints any other message on stderr, as a line. */
__attribute__((format(printf, 1, 2))) void cli_say(const char *format, ...);

/* Prints a line on stdout. */
__attribute__((format(printf, 1, 2))) void cli_answer(const char *format, ...);

/* Prints a text without a newline. Like all functions above, it escapes control characters, because names of files and
 * domains may contain them. */
__attribute__((format(printf, 2, 0))) void cli_print(FILE *out, const char *format, va_list args);

/* Opens a source that has spans. Prints why and returns NULL on failure. cli_close reports damage, because it is found
 * only while the source is read. */
struct source *cli_open(const char *path);

/* Opens any source, also one that holds statistics only. */
struct source *cli_open_any(const char *path);
/* The same, but only a recording: see recording_of. */
struct source *cli_open_recording(const char *path);
/* Opens several of any kind. If one cannot be opened, closes the others. */
bool cli_open_all(struct source **all, char **paths, size_t count);
/* Opens several recordings that have events, but keeps no descriptor, so that there may be more recordings than
 * descriptors. See recording_take_up. */
bool cli_open_in_turn(struct source **all, char **paths, size_t count);
/* Checks that all sources differ. If two are the same, reports wrong usage. */
bool cli_all_differ(const char *command, struct source *const *all, char **paths, size_t count);

/* False if a read of the source has failed, which it reports. Call it after the last pass over the source, before
 * anything is printed of what was found. */
bool cli_was_read(const struct source *s, const char *path);

/* Reports damage that was found, unless a read has failed, and closes the source. */
void cli_close(struct source *s, const char *path);

/* To be called first. Takes the numbers 0 to 2 where they are closed, so that no file of ours gets them. Reading and
 * writing fails as before, and the programs that we start find them closed. */
void cli_begin(void);

/* Whether descriptor 2 was closed when this command started. */
bool cli_is_silent(void);

/* Removes the progress bar. */
void cli_progress_done(void);

/* Flushes stdout. Returns `status`, or 1 if the output could not be written. */
int cli_finish(int status);

#endif /* NVTXH_CLI_H */
