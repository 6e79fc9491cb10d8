/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_OPTIONS_H
#define NVTXH_CLI_OPTIONS_H
/* The options of a command as a table, and what is said of wrong ones. --help is in every table. */
#include "../report/report.h"

#include <stdbool.h>
#include <stddef.h>

struct cli_option {
    const char *name; /* without the dashes; NULL ends the table */
    char letter;      /* of the short form; 0: there is none */
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
        size_t count;
    } choice;
    struct {
        enum report_form *ret, form;
    } report;
    int (*take)(const struct cli_option *option, const char *value); /* an exit status */
};

/* clang-format off */
#define OPTIONS_REPORT(ret_form)                                                                   \
    {"csv", .report = {&(ret_form), REPORT_CSV}}, {"json", .report = {&(ret_form), REPORT_JSON}}
#define OPTIONS_FILE(ret_output, ret_force)                                                        \
    {"output", 'o', .text = &(ret_output)}, {"force", 'f', .flag = &(ret_force)}
/* clang-format on */

struct options {
    const char *command, *usage;
    const struct cli_option *all;
    /* What follows them. A program has options of its own. */
    enum { ANY_WORDS, ONE_RECORDING, A_PROGRAM } follow;
};

/* Returns with getopt's optind at the first argument that is no option. After --help, or if an option is
 * wrong, ends the program. */
void options_parse(const struct options *o, int argc, char **argv);

#endif /* NVTXH_CLI_OPTIONS_H */
