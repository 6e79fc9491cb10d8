/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_H
#define NVTXH_CLI_H
/* What the commands of `nvtxh` share. Each gets its own argc and argv, with its name first, and
 * returns the exit status: 0 done, 1 it could not be done, 2 wrong arguments, 3 done and a limit
 * that was given is exceeded. */
#include "../read/recording.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_OVER = 3 };

int cmd_record(int argc, char **argv);
int cmd_stats(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_tree(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_merge(int argc, char **argv);

/* Says what is wrong with the arguments of a command, and how to see the right ones. Returns 2. */
__attribute__((format(printf, 2, 3))) int cli_usage(const char *command, const char *format, ...);

/* getopt_long, which remembers the options for cli_bad_option and cli_option_name. */
int cli_getopt(int argc, char **argv, const char *shorts, const struct option *options);

/* The long name of an option that it found. */
const char *cli_option_name(int option);

/* What it found wrong, in the same form, with the option that was perhaps meant. */
int cli_bad_option(const char *command, int argc, char **argv);

/* Finds a word among those there are; upper and lower case are the same. */
bool cli_choice(const char *word, const char *const *words, size_t count, size_t *ret_which);

/* Says that a value of an option is none of those there are, and which was perhaps meant. */
int cli_no_choice(const char *command, const char *option, const char *word,
                  const char *const *words, size_t count);

/* A number within limits, and nothing else. */
bool cli_number(const char *word, double least, double most, double *ret_number);

/* The one of these that was perhaps meant by a word, or NULL. */
const char *cli_nearest(const char *word, const char *const *words, size_t count);

/* A word as a shell takes it for one, in quotes if it needs them. Free it. */
char *shell_quoted(const char *word);

/* Shows how far a job is. After it: cli_progress_done. */
void cli_progress(const char *what, uint64_t done, uint64_t all);
void cli_progress_done(void);

/* Says on stderr what went wrong; returns 1. */
__attribute__((format(printf, 1, 2))) int cli_fail(const char *format, ...);

/* Opens a recording, or says why not. Damage is reported by cli_close, after reading has found it
 * all. */
bool cli_open(struct recording *r, const char *path);
void cli_close(struct recording *r, const char *path);

/* Flushes stdout; what could not be written makes the status 1. */
int cli_finish(int status);

#endif /* NVTXH_CLI_H */
