/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "options.h"
#include "cli.h"
#include "words.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST = 31, LONG = 0x100 }; /* options of a command; getopt's number for the first */

static int unknown_option(const struct options *o, const char *word)
{
    const char *names[MOST + 1];
    size_t count = 0;
    char name[64];

    snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
    for (const struct cli_option *each = o->all; each->name && count < MOST; each++) {
        names[count++] = each->name;
    }
    names[count++] = "help";
    const char *meant = words_nearest(name, names, count);
    return meant ? cli_usage(o->command, "unknown option --%s, did you mean --%s?", name, meant)
                 : cli_usage(o->command, "unknown option --%s", name);
}

/* What getopt_long has found wrong with the last word it took. */
static int bad_option(const struct options *o, bool value_missing, int argc, char **argv)
{
    const char *word = optind > 0 && optind <= argc ? argv[optind - 1] : "?";

    if (optopt && strchr(word, '=')) {
        return cli_usage(o->command, "%s: this option takes no value", word);
    }
    if (value_missing) {
        return cli_usage(o->command, "%s wants a value", word);
    }
    if (optopt && word[1] != '-') {
        return cli_usage(o->command, "unknown option -%c", optopt);
    }
    return strlen(word) > 2 ? unknown_option(o, word)
                            : cli_usage(o->command, "unknown option %s", word);
}

static int choose(const struct options *o, const struct cli_option *option, const char *value)
{
    const char *const *words = option->choice.words;
    size_t count = option->choice.count;
    char list[512];

    for (size_t i = 0; i < count; i++) {
        if (!strcasecmp(value, words[i])) {
            *option->choice.ret = i;
            return EXIT_DONE;
        }
    }
    const char *meant = words_nearest(value, words, count);
    words_list(words, count, " and ", list);
    return meant ? cli_usage(o->command, "--%s %s: did you mean %s? There are %s", option->name,
                             value, meant, list)
                 : cli_usage(o->command, "--%s %s: there are %s", option->name, value, list);
}

static int take(const struct options *o, const struct cli_option *option, const char *value)
{
    if (option->flag) {
        *option->flag = true;
    } else if (option->text) {
        *option->text = value;
    } else if (option->report.ret) {
        *option->report.ret = option->report.form;
    } else if (option->choice.ret) {
        return choose(o, option, value);
    } else if (option->number.ret) {
        char *end;
        double number = *option->number.ret = strtod(value, &end);
        if (!*value || *end || !(number >= option->number.least && number <= option->number.most)) {
            return cli_usage(o->command, "--%s %s: %s", option->name, value, option->number.wanted);
        }
    } else {
        return option->take(option, value);
    }
    return EXIT_DONE;
}

static bool alone(const struct cli_option *option)
{
    return option->flag || option->report.ret;
}

/* "  -o, --output REC", and how wide it is. */
static int left_part(const struct cli_option *option, char text[64])
{
    char letter[] = {'-', option->letter, ',', 0};

    return snprintf(text, 64, "  %3s --%s%s%s", option->letter ? letter : "", option->name,
                    option->argument ? " " : "", option->argument ? option->argument : "");
}

static void print_option(const struct cli_option *option, int width)
{
    char left[64], list[512], help[1024];
    bool listed = option->choice.words && !option->choice.meanings;
    int used = left_part(option, left);

    snprintf(help, sizeof(help), "%s%s%s", option->help, listed ? ": " : "",
             listed ? words_list(option->choice.words, option->choice.count, " or ", list) : "");
    if (used > width) {
        printf("%s\n", left);
        left[0] = 0;
    }
    printf("%-*s  ", width, left);
    words_wrap(stdout, help, (size_t)width + 2, (size_t)width + 2);
    for (size_t i = 0; option->choice.meanings && i < option->choice.count; i++) {
        int indent = printf("        %-11s", option->choice.words[i]);
        words_wrap(stdout, option->choice.meanings[i], (size_t)indent, (size_t)indent);
    }
}

static const struct cli_option help_option = {"help", 'h', .help = "this text"};

static void print_help(const struct options *o)
{
    enum { WIDEST = 28 };
    char left[64];
    int width = left_part(&help_option, left);

    printf("usage: nvtxh %s %s\n\n", o->command, o->synopsis);
    words_wrap(stdout, o->about, 0, 0);
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
        words_wrap(stdout, o->more, 0, 0);
    }
}

/*
 * For programs, what makes completions and checks the man page. Fields with tabs between, "-" for an empty one:
 *     arguments  COMMAND  recordings|recording|binaries|program
 *     option     COMMAND  --NAME  -LETTER  ARGUMENT  WORD,WORD...  HELP
 * main.c adds the commands themselves, and their own options, those of the command "-".
 */
static void print_listing(const struct options *o)
{
    static const char *const follow[] = {"recordings", "recording", "binaries", "program"};
    const struct cli_option *each = o->all;

    printf("arguments\t%s\t%s\n", o->command, follow[o->follow]);
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

void options_parse(const struct options *o, int argc, char **argv)
{
    struct option all[MOST + 2] = {{0}};
    char letters[2 * MOST + 8] = "";
    int count = 0, found, status = EXIT_DONE;
    /* The colon tells a value that is missing from an option that is not known. */
    char *to = stpcpy(letters, o->follow == A_PROGRAM ? "+:h" : ":h");

    if (argc == 2 && !strcmp(argv[1], OPTIONS_LISTING)) {
        print_listing(o);
        exit(cli_finish(EXIT_DONE));
    }

    for (; o->all[count].name; count++) {
        const struct cli_option *option = &o->all[count];
        all[count] = (struct option){option->name, alone(option) ? no_argument : required_argument,
                                     NULL, option->letter ? option->letter : LONG + count};
        if (option->letter) {
            *to++ = option->letter;
            to = stpcpy(to, alone(option) ? "" : ":");
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
        status =
            which < 0 ? bad_option(o, found == ':', argc, argv) : take(o, &o->all[which], optarg);
    }
    if (!status && o->follow == ONE_RECORDING && optind != argc - 1) {
        status =
            cli_usage(o->command, optind < argc ? "one recording at a time" : "which recording?");
    }
    if (status) {
        exit(cli_finish(status));
    }
}
