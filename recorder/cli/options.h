/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_OPTIONS_H
#define NVTXH_CLI_OPTIONS_H
/* Options of a command, by getopt_long, and what is said of wrong ones. */
#include "../report/report.h"

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

/* Values of options: a letter is a short option, too; a command's own without a letter begin at
 * OPTION_OWN. */
enum { OPTION_CSV = 0x100, OPTION_JSON, OPTION_OWN };

/* What several commands have. options_parse takes them itself. */
/* clang-format off */
#define OPTIONS_REPORT {"csv", no_argument, NULL, OPTION_CSV}, {"json", no_argument, NULL, OPTION_JSON}
#define OPTIONS_FILE {"output", required_argument, NULL, 'o'}, {"force", no_argument, NULL, 'f'}
#define OPTIONS_END {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}
/* clang-format on */

struct options {
    const char *command, *usage;
    const struct option *all;
    bool
        ends_at_word; /* the first word that is no option is a program's name: the rest is its own */
    /* Takes an option of the command's own. Returns OPTIONS_GO_ON or an exit status. */
    int (*take)(void *arg, int option, const char *value);
    void *arg;
    enum report_form form; /* --csv, --json */
    const char *output;    /* --output */
    bool force;            /* --force */
};

/* Returns OPTIONS_GO_ON, with optind at the first argument that is no option; or an exit status. */
enum { OPTIONS_GO_ON = -1 };
int options_parse(struct options *o, int argc, char **argv);

/* For commands that read one recording: the same for the arguments. */
int options_one_recording(const struct options *o, int argc);

/* The same for a value that is a number within limits; if not, it is said what is `wanted`. */
int options_number(const char *command, const char *option, const char *value, double least,
                   double most, const char *wanted, double *ret_number);

/* The same for one that is one of these words; upper and lower case are the same. */
int options_choice(const char *command, const char *option, const char *value,
                   const char *const *words, size_t count, size_t *ret_which);

/* "a, b and c", with whatever word stands before the last. */
const char *options_list(const char *const *words, size_t count, const char *last,
                         char buffer[512]);

#endif /* NVTXH_CLI_OPTIONS_H */
