/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_OPTIONS_H
#define NVTXH_CLI_OPTIONS_H
/*
 * The options of a command as a table: how they are read, what --help says of them, and what is said of wrong ones.
 * --help itself is in every table.
 */
#include "../report/report.h"

#include <stdbool.h>
#include <stddef.h>

struct cli_option {
    const char *name; /* without the dashes; NULL ends the table */
    char letter;      /* of the short form; 0: there is none */
    const char *argument,
        *help; /* what --help calls its value (NULL: it takes none) and says of it */
    /* What it takes, and where that goes: the one that is not NULL. */
    bool *flag;
    const char **text;
    struct {
        double *ret, least, most;
        const char *wanted; /* said if it is none */
    } number;
    struct {
        size_t *ret; /* which of the words; upper and lower case are the same */
        const char *const *words;
        const char *const
            *meanings; /* for --help, a line for each; NULL: it lists the words after `help` */
        size_t count;
    } choice;
    struct {
        enum report_form *ret, form;
    } report;
    int (*take)(const struct cli_option *option, const char *value); /* an exit status */
};

/* clang-format off */
#define OPTIONS_REPORT(ret_form)                                                                   \
    {"csv", 0, NULL, "for programs: comma-separated values, exact",            \
     .report = {&(ret_form), REPORT_CSV}},                                                         \
    {"json", 0, NULL, "for programs: an array of objects, exact", .report = {&(ret_form), REPORT_JSON}}
#define OPTIONS_FILE(ret_output, ret_force, argument, help)                                        \
    {"output", 'o', argument, help, .text = &(ret_output)},                                        \
    {"force", 'f', NULL, "replace " argument " if it exists", .flag = &(ret_force)}
/* clang-format on */

struct options {
    const char *command;
    const char *synopsis; /* what follows the command's name in the usage line */
    const char *about,
        *more; /* for --help, before the options and after them; `more` may be NULL */
    const struct cli_option *all;
    /* What follows the options. Only ONE_RECORDING is checked. A program has options of its own. */
    enum { RECORDINGS, ONE_RECORDING, BINARIES, A_PROGRAM } follow;
};

/* Returns with getopt's optind at the first argument that is no option. After --help, or if an option is
 * wrong, ends the program. With OPTIONS_LISTING as the only argument prints the table for programs and ends. */
#define OPTIONS_LISTING "--completions-data"
void options_parse(const struct options *o, int argc, char **argv);

#endif /* NVTXH_CLI_OPTIONS_H */
