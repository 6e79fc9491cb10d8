/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* What the commands of `nvtxh` share: exit statuses, messages, opening sources (recordings and
 * databases), words of the command line, files. */
#include "commands.h"
#include "../analysis/source.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,     /* the command could not do its work */
    EXIT_USAGE = 2,      /* wrong arguments */
    EXIT_REGRESSION = 3, /* done, but the limit of --fail-above is exceeded */
};

/* cli_usage reports wrong arguments of a command, and refers to its --help; returns EXIT_USAGE.
 * Like cli_line, it escapes control characters, because names of files may contain them. */
__attribute__((format(printf, 2, 3))) int cli_usage(const char *command, const char *format, ...);

/* cli_line prints a line: `before` unchanged, then the formatted text. cli_fail reports a failure,
 * cli_say anything else. cli_line and cli_fail return EXIT_FAILED. */
__attribute__((format(printf, 3, 4))) int cli_line(FILE *out, const char *before,
                                                   const char *format, ...);
#define cli_fail(...) cli_line(stderr, "nvtxh: ", __VA_ARGS__)
#define cli_say(...) ((void)cli_fail(__VA_ARGS__))

/* Prints findings: below the tables for people, else as messages. */
struct findings;
struct report_style;
void cli_findings(const struct findings *f, const struct report_style *style);

/* Opens one file, or several databases of Nsight Systems as one, as a source with spans (ranges,
 * marks, samples of counters). On failure prints a message and returns NULL. Damage to a
 * file is found only when the file is read; cli_close reports the damage. */
struct source *cli_open(char **paths, size_t count);

bool cli_ends_in(const char *name, const char *suffix);
/* Whether one of the files is a database. Several databases can be opened as one source; several
 * recordings must be merged first. */
bool cli_has_database(char **paths, size_t count);
/* Reports that a file has no operations of GPUs. */
void cli_no_operations(const char *path);

/* Opens one recording; fails for a database. */
struct source *cli_open_recording(const char *path);
/* Opens each path as a source of any kind. If one fails, closes the others and returns false.
 * `in_turn`: opens only recordings, and closes their files again, because there may be
 * too few descriptors for all. recording_open_file opens a file again when it is to be read. */
bool cli_open_all(struct source **all, char **paths, size_t count, bool in_turn);
/* If two sources are the same recording, reports wrong arguments and returns false. */
bool cli_all_differ(const char *command, struct source *const *all, char **paths, size_t count);

/* If a read of the source has failed, reports the failure and returns false. Call it when the
 * source has been read for the last time, before results are printed. */
bool cli_was_read(const struct source *s, const char *path);

/* Reports damage and closes the source. After a failed read (see cli_was_read), reports nothing. */
void cli_close(struct source *s, const char *path);
void cli_close_all(struct source **all, char **paths, size_t count);

/* Call it at the start of main. Occupies those of the descriptors 0 to 2 that are closed, so that
 * no file that nvtxh opens later gets one of these numbers. Reading and writing these descriptors
 * still fails. In programs that nvtxh starts, they are closed. */
void cli_begin(void);

/* Calls `undo` at exit, and before a signal ends this command. It removes what would be left half
 * done, and is safe in a signal handler. At most two functions. */
void cli_at_end(void (*undo)(void));

/* Whether descriptor 2 was closed when this command started. */
bool cli_is_silent(void);

void cli_progress_done(void);

/* Flushes stdout. Returns `status`, or 1 if the output could not be written. */
int cli_finish(int status);

/* --- words as people write and read them on a command line ------------------------------------ */

/* Whether two words are the same, but for the case of ASCII letters, in any locale. In a Turkish
 * locale, strcasecmp would distinguish i from I. */
bool text_equal(const char *a, const char *b);

/* Returns the element of `words` that the user probably meant by `word`, or NULL. */
const char *text_nearest(const char *word, const char *const *words, size_t count);

/* Joins words. If `last` is " and ", the result is "a, b and c". Returns `buffer`. */
const char *text_list(const char *const *words, size_t count, const char *last, char buffer[512]);

/* Prints a text in lines of at most `width` columns. The output has reached `column`, where the
 * first line begins; later lines begin with `indent` spaces. A newline in the text begins a new
 * line. */
void text_wrap(FILE *out, const char *text, size_t width, size_t column, size_t indent);
enum { TEXT_WIDTH = 80 }; /* of help */

/* Returns the word, in quotes if the shell needs them. Free the result. */
char *shell_quoted(const char *word);

/* Like shell_quoted, for the path of a file: puts ./ before a leading '-'. Free the result. */
char *shell_file(const char *path);

/* For a program that is not in PATH: what to add to the message if a file here has this name. */
const char *path_hint(const char *program);

/* --- files ------------------------------------------------------------------------------------ */

/* The recordings that arguments name. A directory stands for all *.nvtxh in it and below; if there
 * are none, for all *.sqlite in it and below. */
struct found_files {
    char **paths;
    size_t count, capacity;
};

/* Finds the files. Those of a directory are sorted by name; numbers in names are compared by value.
 * Reports each directory that has neither *.nvtxh nor *.sqlite. */
struct found_files found_files(char **arguments, size_t count);
void found_files_free(struct found_files *f);

/* Files that are installed with nvtxh. They are searched for relative to the command itself, so the
 * whole installation may be moved. */
enum installed {
    INSTALLED_LIBRARY,   /* libnvtxh-record.so; in the build folder it is beside nvtxh */
    INSTALLED_HEADERS,   /* the directory with nvtxh.h */
    INSTALLED_CMAKE,     /* the directory with nvtxhConfig.cmake */
    INSTALLED_FUNCTIONS, /* libnvtxh-functions.so */
    INSTALLED_COUNT
};

/* Finds an installed file and writes its absolute path to ret_path. On failure returns false, and
 * writes the paths that were tried to ret_tried, with a space before each. */
bool installed_find(enum installed what, char ret_path[PATH_MAX], char *ret_tried, int tried_size);
