/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "options_help.h"
#include "words.h"

#include <stdio.h>

/* Writes "  -o, --output REC" to `text`; returns its width. */
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
    for (size_t i = 0; option->choice.words && option->choice.meanings && i < option->choice.count;
         i++) {
        int indent = printf("        %-11s", option->choice.words[i]);
        words_wrap(stdout, option->choice.meanings[i], (size_t)indent, (size_t)indent);
    }
}

static const struct cli_option help_option = {"help", 'h', .help = "this text"};

void options_print_help(const struct options *o)
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
 * For the scripts that make completions and check the man page. Fields are separated by tabs; "-" is an empty one:
 *     arguments  COMMAND  recordings|recording|binaries|program
 *     option     COMMAND  --NAME  -LETTER  ARGUMENT  WORD,WORD...  HELP
 * main.c adds the commands, and the options of nvtxh itself as those of the command "-".
 */
void options_print_listing(const struct options *o)
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
