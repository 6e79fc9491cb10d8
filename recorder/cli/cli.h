/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_H
#define NVTXH_CLI_H
/* What the commands of `nvtxh` share: exit statuses, messages, opening a recording. */
#include "../read/recording.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

enum {
    EXIT_DONE = 0,
    EXIT_FAILED = 1, /* it could not be done */
    EXIT_USAGE = 2,  /* wrong arguments */
    EXIT_OVER = 3,   /* done, and a limit that was given is exceeded */
};

/* Reports wrong arguments of a command, and refers to its --help. Returns 2. */
__attribute__((format(printf, 2, 3))) int cli_usage(const char *command, const char *format, ...);

/* Reports a failure on stderr; returns 1. */
__attribute__((format(printf, 1, 2))) int cli_fail(const char *format, ...);

/* Prints any other message on stderr, as a line. */
__attribute__((format(printf, 1, 2))) void cli_say(const char *format, ...);

/* Prints a line on stdout. */
__attribute__((format(printf, 1, 2))) void cli_answer(const char *format, ...);

/* All of them print with this. It escapes control characters, because names of files and of domains may contain them. */
__attribute__((format(printf, 2, 0))) void cli_print(FILE *out, const char *format, va_list args);

/* Opens a recording that has events; on failure prints why. Damage is reported by cli_close, after all of it was
 * found. */
bool cli_open(struct recording *r, const char *path);

/* The same, also for one that holds statistics only. */
bool cli_open_any(struct recording *r, const char *path);
bool cli_open_all(struct recording *all, char **paths, size_t count); /* or none */
/* The same for more recordings than there are descriptors: no file is left open. See recording_take_up. */
bool cli_open_in_turn(struct recording *all, char **paths, size_t count);
/* Checks that no two recordings are the same one. If two are, reports wrong usage. */
bool cli_all_differ(const char *command, const struct recording *all, char **paths, size_t count);

void cli_close(struct recording *r, const char *path);

/* Removes the progress bar. */
void cli_progress_done(void);

/* Flushes stdout. Returns `status`, or 1 if the output could not be written. */
int cli_finish(int status);

#endif /* NVTXH_CLI_H */
