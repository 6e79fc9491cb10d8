/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "options.h"
#include "cli.h"
#include "../util/memory.h"
#include "../format/environment.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST = 31,   /* how many options a command has at most */
    A_FEW = 8,   /* so many words --help lists */
    LONG = 0x100 /* getopt returns LONG + i for an option i without a letter */
};

const char *const options_names[] = {"each", "folded"};

static int unknown_option(const struct options *o, const char *word) {
    const char *names[MOST + 1];
    size_t count = 0;
    char name[64];

    snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
    for (const struct cli_option *each = o->all; each->name && count < MOST; each++) {
        names[count++] = each->name;
    }
    names[count++] = "help";
    const char *meant = text_nearest(name, names, count);
    return meant ? cli_usage(o->command, "unknown option --%s, did you mean --%s?", name, meant)
                 : cli_usage(o->command, "unknown option --%s", name);
}

/* Reports what is wrong with `word`, which getopt_long read last, or with a letter of the word
 * after it. `letters`: those that are options. */
static int bad_option(const struct options *o, const char *letters, bool value_missing,
                      const char *word) {
    if (optopt && optopt < LONG && !strchr(letters, optopt)) {
        return cli_usage(o->command, "unknown option -%c", optopt);
    }
    if (optopt && strchr(word, '=')) {
        return cli_usage(o->command, "%s takes no value", word);
    }
    if (value_missing) {
        return cli_usage(o->command, "%s requires a value", word);
    }
    return strlen(word) > 2 ? unknown_option(o, word)
                            : cli_usage(o->command, "unknown option %s", word);
}

static int choose(const struct options *o, const struct cli_option *option, const char *value,
                  size_t *ret) {
    const char *const *words = option->choice.words;
    size_t count = option->choice.count;
    char list[512];

    for (size_t i = 0; i < count; i++) {
        const char *title = option->choice.titles ? option->choice.titles[i] : words[i];
        if (text_equal(value, words[i]) || text_equal(value, title)) {
            *ret = i;
            return EXIT_DONE;
        }
    }
    const char *meant = text_nearest(value, words, count);
    text_list(words, count, ", ", list);
    return meant ? cli_usage(o->command, "invalid --%s '%s' (did you mean %s? choose from %s)",
                             option->name, value, meant, list)
                 : cli_usage(o->command, "invalid --%s '%s' (choose from %s)", option->name, value,
                             list);
}

/* Like choose, for several values that are separated by commas. */
static int choose_all(const struct options *o, const struct cli_option *option, const char *value) {
    struct report_style *style = option->choice.style;
    int status = EXIT_DONE;

    for (style->column_count = 0;; value++) {
        size_t size = strcspn(value, ","), which = 0;
        char word[64];
        snprintf(word, sizeof(word), "%.*s", size < sizeof(word) ? (int)size : 0, value);
        status = choose(o, option, word, &which);
        for (size_t i = 0; !status && i < style->column_count; i++) {
            if (style->columns[i] == option->choice.words[which]) {
                return cli_usage(o->command, "--%s lists %s twice", option->name, word);
            }
        }
        if (status) {
            return status;
        }
        style->columns[style->column_count++] = option->choice.words[which];
        value += size;
        if (!*value) {
            return EXIT_DONE;
        }
    }
}

static int parse_option(const struct options *o, const struct cli_option *option,
                        const char *value) {
    if (option->flag) {
        *option->flag = true;
    } else if (option->text) {
        *option->text = value;
    } else if (option->report.ret) {
        *option->report.ret = option->report.form;
    } else if (option->choice.ret) {
        return choose(o, option, value, option->choice.ret);
    } else if (option->choice.style) {
        return choose_all(o, option, value);
    } else if (option->time) {
        if (!rec_parse_time(value, option->time)) {
            return cli_usage(o->command,
                             "invalid --%s '%s': expected a number with ns, us, ms, s, min or h",
                             option->name, value);
        }
    } else if (option->number.ret) {
        char *end;
        double number = *option->number.ret = nvtxh_i_number_read(value, &end);
        if (!*value || *end || !(number >= option->number.least && number <= option->number.most)) {
            return cli_usage(o->command, "invalid --%s '%s': expected %s", option->name, value,
                             option->number.wanted);
        }
    } else {
        return option->take(option, value);
    }
    return EXIT_DONE;
}

/* Writes an option to `text` in the form "  -o, --output REC"; returns its width. */
static int left_part(const struct cli_option *option, char text[64]) {
    char letter[] = {'-', option->letter, ',', 0};

    return snprintf(text, 64, "  %3s --%s%s%s", option->letter ? letter : "", option->name,
                    option->argument ? " " : "", option->argument ? option->argument : "");
}

static void print_option(const struct cli_option *option, int width) {
    char left[64], list[512], help[1024];
    bool listed = option->choice.words && !option->choice.meanings && option->choice.count <= A_FEW;
    int used = left_part(option, left);

    snprintf(help, sizeof(help), "%s%s%s", option->help, listed ? ": " : "",
             listed ? text_list(option->choice.words, option->choice.count, " or ", list) : "");
    if (used > width) {
        printf("%s\n", left);
        left[0] = 0;
    }
    printf("%-*s  ", width, left);
    text_wrap(stdout, help, TEXT_WIDTH, (size_t)width + 2, (size_t)width + 2);
    for (size_t i = 0; option->choice.words && option->choice.meanings && i < option->choice.count;
         i++) {
        int indent = printf("        %-11s", option->choice.words[i]);
        text_wrap(stdout, option->choice.meanings[i], TEXT_WIDTH, (size_t)indent, (size_t)indent);
    }
}

static const struct cli_option help_option = {"help", 'h', .help = "this text"};

static void print_help(const struct options *o) {
    enum { WIDEST = 28 };
    char left[64];
    int width = left_part(&help_option, left);

    printf("usage: nvtxh %s %s\n\n", o->command, o->synopsis);
    for (size_t i = 0; i < 3; i++) {
        printf("  %s\n", o->examples[i]);
    }
    putchar('\n');
    text_wrap(stdout, o->about, TEXT_WIDTH, 0, 0);
    putchar('\n');
    for (const struct cli_option *each = o->all; each->name; each++) {
        int used = left_part(each, left);
        width = used > width && used <= WIDEST ? used : width;
    }
    for (const struct cli_option *each = o->all; each->name; each++) {
        print_option(each, width);
    }
    print_option(&help_option, width);
    if (o->more) {
        putchar('\n');
        text_wrap(stdout, o->more, TEXT_WIDTH, 0, 0);
    }
}

/* Prints the options for the scripts that make completions and check the man page. Fields are
 * separated by tabs; "-" stands for an empty field:
 *     arguments  COMMAND  recordings|recording|binaries|program
 *     example    COMMAND  TEXT
 *     option     COMMAND  --NAME  -LETTER  ARGUMENT  WORD,WORD...  HELP
 * main.c adds the commands, and the options of nvtxh itself as those of the command "-". */
static void print_listing(const struct options *o) {
    static const char *const follow[] = {[RECORDINGS] = "recordings",
                                         [ONE_RECORDING] = "recording",
                                         [ONE_TO_REPORT] = "recording",
                                         [BINARIES] = "binaries",
                                         [A_PROGRAM] = "program"};
    const struct cli_option *each = o->all;

    printf("arguments\t%s\t%s\n", o->command, follow[o->follow]);
    for (size_t i = 0; i < 3; i++) {
        printf("example\t%s\t%s\n", o->command, o->examples[i]);
    }
    do {
        const struct cli_option *option = each->name ? each : &help_option;
        char letter[] = {'-', option->letter, 0};
        printf("option\t%s\t--%s\t%s\t%s\t", o->command, option->name, letter,
               option->argument ? option->argument : "-");
        for (size_t i = 0; i < option->choice.count; i++) {
            printf("%s%s", i ? "," : "", option->choice.words[i]);
        }
        printf("%s\t%s\n", option->choice.count ? "" : "-", option->help);
    } while (each++->name);
}

struct found_files options_recordings(const struct options *o, char **arguments, int count) {
    struct found_files found = found_files(arguments, (size_t)count);
    int status =
        !found.count ? EXIT_FAILED
        : found.count == 1 || cli_has_database(found.paths, found.count)
            ? EXIT_DONE
            : cli_usage(
                  o->command,
                  "one recording at a time; nvtxh merge -o OUT.nvtxh REC... makes one of several");

    if (status) {
        exit(cli_finish(status));
    }
    return found;
}

void options_parse(const struct options *o, int argc, char **argv) {
    struct option all[MOST + 2] = {{0}};
    char letters[2 * MOST + 8] = "";
    int count = 0, found, status = EXIT_DONE;
    /* The colon makes getopt return ':' and not '?' if a value is missing. */
    char *to = stpcpy(letters, o->follow == A_PROGRAM ? "+:h" : ":h");

    if (argc == 2 && !strcmp(argv[1], OPTIONS_LISTING)) {
        print_listing(o);
        exit(cli_finish(EXIT_DONE));
    }

    for (; o->all[count].name; count++) {
        const struct cli_option *option = &o->all[count];
        all[count] =
            (struct option){option->name, !option->argument ? no_argument : required_argument, NULL,
                            option->letter ? option->letter : LONG + count};
        if (option->letter) {
            *to++ = option->letter;
            to = stpcpy(to, !option->argument ? "" : ":");
        }
    }
    all[count] = (struct option){"help", no_argument, NULL, 'h'};
    opterr = 0;
    while (!status && (found = getopt_long(argc, argv, letters, all, NULL)) != -1) {
        if (found == 'h') {
            print_help(o);
            exit(cli_finish(EXIT_DONE));
        }
        int which = found - LONG;
        for (int i = 0; i < count && found < LONG; i++) {
            which = o->all[i].letter == found ? i : which;
        }
        status = which < 0 ? bad_option(o, letters, found == ':', argv[optind - 1])
                           : parse_option(o, &o->all[which], optarg);
    }
    bool one = o->follow == ONE_RECORDING;
    if (!status && (one || o->follow == ONE_TO_REPORT) && optind >= argc) {
        status = cli_usage(o->command, "no recording given");
    } else if (!status && one && optind != argc - 1) {
        status = cli_usage(o->command, "one recording at a time");
    }
    if (status) {
        exit(cli_finish(status));
    }
}

void options_filter(const char *command, struct filter *filter) {
    struct error error;

    if (!filter_begin(filter, &error)) {
        exit(cli_finish(cli_usage(command, "--name %s: %s", filter->name, error.text)));
    }
}
