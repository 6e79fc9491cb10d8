/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_H
#define NVTXH_CLI_H
/* What the commands of `nvtxh` share: exit statuses, messages, sources of spans, words, files. */
#include "commands.h"
#include "../source/source.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum {
    EXIT_DONE = 0,
    EXIT_FAILED = 1, /* the command could not do its work */
    EXIT_USAGE = 2,  /* wrong arguments */
    EXIT_OVER = 3,   /* done, but the limit of --fail-over is exceeded */
};

/* The functions below escape control characters, which names of files may have.
 *
 * cli_usage reports wrong arguments of a command, and refers to its --help. Returns 2. */
__attribute__((format(printf, 2, 3))) int cli_usage(const char *command, const char *format, ...);

/* Prints a line: `before` as it is, then the text. Returns 1, for cli_fail: it reports a failure,
 * cli_say something else. */
__attribute__((format(printf, 3, 4))) int cli_line(FILE *out, const char *before,
                                                   const char *format, ...);
#define cli_fail(...) cli_line(stderr, "nvtxh: ", __VA_ARGS__)
#define cli_say(...) ((void)cli_fail(__VA_ARGS__))

/* Opens a source that has spans, of one file or of several databases. NULL with a message on
 * failure. cli_close reports damage, which only reading finds. */
struct source *cli_open(char **paths, size_t count);

/* Opens any source, also one that holds statistics only. */
struct source *cli_open_any(char **paths, size_t count);
/* Whether one of these files is a database. Several databases are one source; recordings are
 * merged. */
bool cli_has_database(char **paths, size_t count);
/* The same, but only a recording: see recording_of. */
struct source *cli_open_recording(const char *path);
/* Opens several sources of any kind. If one cannot be opened, closes the others. `in_turn`: opens
 * recordings that have events, and keeps no descriptors, of which there may be too few: see
 * recording_take_up. */
bool cli_open_all(struct source **all, char **paths, size_t count, bool in_turn);
/* Checks that all sources differ. If two are the same, reports wrong usage. */
bool cli_all_differ(const char *command, struct source *const *all, char **paths, size_t count);

/* Reports a failed read of the source, and returns false. Call it after the last pass, before
 * results are printed. */
bool cli_was_read(const struct source *s, const char *path);

/* Reports damage, unless a read has failed, and closes the source. */
void cli_close(struct source *s, const char *path);
void cli_close_all(struct source **all, char **paths, size_t count);

/* Call it first. Takes those of the descriptors 0 to 2 that are closed, so that no file of ours
 * gets their numbers. Reading and writing fails as before, and programs that we start find the
 * descriptors closed. */
void cli_begin(void);

/* Whether descriptor 2 was closed when this command started. */
bool cli_is_silent(void);

void cli_progress_done(void);

/* Flushes stdout. Returns `status`, or 1 if the output could not be written. */
int cli_finish(int status);

/* --- words as people write and read them on a command line ------------------------------------ */

/* Whether two words, or a word's beginning and another word, are the same but for the case of ASCII
 * letters. strcasecmp goes by the locale, and in Turkish i is not the small letter of I. */
bool words_same(const char *a, const char *b);
bool words_begin(const char *word, const char *beginning);

/* The word that was probably meant, or NULL. */
const char *words_nearest(const char *word, const char *const *words, size_t count);

/* "a, b and c", with `last` as " and ". */
const char *words_list(const char *const *words, size_t count, const char *last, char buffer[512]);

/* Prints a text in lines of at most 80 columns. The first line begins at `column`, where the output
 * is; the other lines are indented by `indent`. A newline in the text begins a new line. */
void words_wrap(FILE *out, const char *text, size_t column, size_t indent);

/* Quotes a word for the shell, if it needs quotes. Free it. */
char *words_quoted(const char *word);

/* --- files ------------------------------------------------------------------------------------ */

/* The recordings that arguments name: a directory stands for all *.nvtxh in it and below or, if it
 * has none, all *.sqlite. */
struct found_files {
    char **paths;
    size_t count, room;
};

/* Finds the files, those of a directory in the order of their names, numbers by value. Reports
 * empty directories. */
struct found_files found_files(char **arguments, size_t count);
void found_files_free(struct found_files *f);

/* Finds what is installed with nvtxh, by paths relative to the command itself, so that the
 * installation may be moved. */
enum installed {
    INSTALLED_LIBRARY,   /* libnvtxh-record.so; in the build folder it is beside nvtxh */
    INSTALLED_HEADERS,   /* the directory with nvtxh.h */
    INSTALLED_CMAKE,     /* the directory with nvtxhConfig.cmake */
    INSTALLED_USDT,      /* libnvtxh-usdt.so, if it was built */
    INSTALLED_FUNCTIONS, /* libnvtxh-functions.so */
    INSTALLED_COUNT
};

/* Writes the absolute path. On failure returns false and the places that were searched, each after
 * a space. */
bool installed_find(enum installed what, char ret_path[PATH_MAX], char *ret_tried, int tried_size);

#endif /* NVTXH_CLI_H */
