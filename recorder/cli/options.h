/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Parses a command's options by a table, prints --help from that table, and reports wrong options.
 * The table needs no row for --help. */
#include "../output/report.h"
#include "../analysis/filter.h"
#include "../analysis/fold.h"

#include <stdbool.h>
#include <stddef.h>

struct cli_option {
    const char *name;     /* without the dashes; NULL ends the table */
    char letter;          /* the short form; 0: there is none */
    const char *argument; /* what --help calls the value; NULL: the option takes none */
    const char *help;     /* what --help says of the option */
    /* One of the members from `flag` to `take` is set. It says how to parse and store the value. */
    bool *flag;
    const char **text;
    struct {
        double *ret, least, most;
        const char *wanted; /* what is expected, for the error message */
    } number;
    struct {
        size_t *ret; /* gets the index of a word in `words`; upper and lower case are the same */
        const char *const *words;
        const char *const *titles;   /* other names, in the order of `words`; NULL: none */
        const char *const *meanings; /* what --help says of each word; NULL: it lists a few words,
                                        and leaves many to the man page */
        size_t count;
        struct report_style *style; /* set instead of `ret` if commas may separate several words */
    } choice;
    int64_t *time; /* ns; values: "1.5s", "20ms", "7us", "900ns"; a number alone is seconds */
    struct {
        enum report_form *ret, form;
    } report;
    int (*take)(const struct cli_option *option, const char *value); /* returns an exit status */
    void *arg;                                                       /* for `take` */
};

/* clang-format off */
/* `names` is a struct report_keys. */
#define OPTIONS_REPORT(style, names)                                                               \
    OPTIONS_ROWS(style, names),                                                                    \
    {"unit", 0, "UNIT", "the unit of times in the table", .choice = {.ret = &(style).unit, .words = figure_units, .count = FIGURE_UNITS}}, \
    OPTIONS_FORM(style, ", exact, in ns")

#define OPTIONS_ROWS(style, names)                                                                 \
    {"columns", 0, "C,C...", "only these columns, in this order", .choice = {.words = (names).keys, .titles = (names).titles, .count = (names).count, .style = &(style)}}, \
    {"limit", 0, "N", "only N rows, 0 for all (if not given, what fits on a terminal)",            \
     .number = {&(style).limit, 0, 1e12, "a number of rows"}}

/* `exact` is appended to the help of --csv and --json. */
#define OPTIONS_FORM(style, exact)                                                                 \
    {"color", 0, "WHEN", "colours in the table", .choice = {.ret = &(style).color, .words = report_color_words, .count = REPORT_COLORS}}, \
    {"csv", 0, NULL, "for programs: comma-separated values" exact, .report = {.ret = &(style).form, .form = REPORT_CSV}}, \
    {"json", 0, NULL, "for programs: an array of objects" exact, .report = {.ret = &(style).form, .form = REPORT_JSON}}

/* The options that select a part of a recording. */
#define OPTIONS_FILTER(filter)                                                                     \
    {"name", 0, "REGEX", "only names (domain:message) that REGEX matches", .text = &(filter).name}, \
    {"thread", 0, "THREAD", "only this thread, by number or name", .text = &(filter).thread},      \
    {"domain", 0, "DOMAIN", "only this domain; 'default' or '' is the default one", .text = &(filter).domain}, \
    {"from", 0, "TIME", "only from TIME on, counted from the start of the recording: 1.5s, 20ms, " \
     "7us; a number alone is seconds; a range that began before TIME is cut", .time = &(filter).from}, \
    {"to", 0, "TIME", "only before TIME; a range that ends later is cut", .time = &(filter).to}

/* `which` is a size_t; FOLD_OF(which, style) then is the enum fold_which. */
#define OPTIONS_NAMES(which)                                                                       \
    {"names", 0, "WHICH",                                                                          \
     "in the table, names that differ only in numbers as one (folded), or each; if not given, as " \
     "one if there are 50 or more, half of which have at most two instances",                      \
     .choice = {.ret = &(which), .words = options_names, .count = 2}}
#define FOLD_OF(which, style)                                                                      \
    ((style).form != REPORT_TABLE ? FOLD_EACH                                                      \
     : (which) == SIZE_MAX        ? FOLD_RARE                                                      \
                                  : (enum fold_which)((which) + FOLD_EACH))

#define OPTIONS_FILE(ret_output, ret_force, argument, help)                                        \
    {"output", 'o', argument, help, .text = &(ret_output)},                                        \
    {"force", 'f', NULL, "replace " argument " if it exists", .flag = &(ret_force)}
/* clang-format on */
extern const char *const options_names[]; /* words of --names, in the order of enum fold_which */

struct options {
    const char *command;
    const char *synopsis; /* what follows the command's name in the usage line */
    const char *about;    /* for --help, before the options */
    const char *more;     /* for --help, after the options; may be NULL */
    const struct cli_option *all;
    /* What follows the options. ONE_RECORDING: options_parse requires one file. ONE_TO_REPORT: it
     * requires some, for options_recordings. A_PROGRAM: all words after the program's name are its
     * arguments. */
    enum { RECORDINGS, ONE_RECORDING, ONE_TO_REPORT, BINARIES, A_PROGRAM } follow;
    const char *const *examples; /* three, for --help */
};

/* Parses the options. getopt's optind is then the first argument that is not an option. Exits after
 * --help, and if an argument is wrong. If OPTIONS_LISTING is the only argument, prints the options
 * in a form for scripts, and exits. */
#define OPTIONS_LISTING "--completions-data"
void options_parse(const struct options *o, int argc, char **argv);

/* Finds the files that the arguments after the options name: one recording, or several databases.
 * Exits if there is none, or, with a message, for several recordings. */
struct found_files options_recordings(const struct options *o, char **arguments, int count);

/* Prepares the filter that the options describe. Exits if the filter is invalid. */
void options_filter(const char *command, struct filter *filter);

/* Reports that a filter matches nothing: names its first value that is not in the `count` sources,
 * and the value that was probably meant; or how to see what there is in the recording at `path`.
 * `what` begins a message that names no value: "nothing", or for example "no push/pop range".
 * Returns EXIT_FAILED. Reads the sources again. */
int options_no_match(const char *what, const struct filter *filter, struct source *const *sources,
                     size_t count, const char *path);

/* Names of which a user may have meant one. A struct of zeros has none. */
struct known_names {
    char **words; /* by turns: a whole name; its part after the first colon, if it has one */
    size_t count, capacity;
};
void known_names_add(struct known_names *n, char *name); /* takes over the name, and frees it */

void known_names_free(struct known_names *n);

/* Reports that nothing has a name: prints `phrase`, `value`, and the name that was probably meant
 * or, if there is none, `otherwise`. `is_regex`: `value` is a regular expression. Frees the names.
 * Returns EXIT_FAILED. */
int known_names_lack(struct known_names *n, const char *phrase, const char *value, bool is_regex,
                     const char *otherwise);
