/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "options.h"
#include "cli.h"
#include "nearest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int unknown_option(const struct options *o, const char *word)
{
    const char *names[32];
    size_t count = 0;
    char name[64];

    snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
    for (const struct option *each = o->all; each->name && count < 32; each++) {
        names[count++] = each->name;
    }
    const char *meant = nearest(name, names, count);
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

int options_parse(struct options *o, int argc, char **argv)
{
    char letters[64] = "";
    size_t used = 0;
    int option, status = OPTIONS_GO_ON;

    if (o->ends_at_word) {
        letters[used++] = '+';
    }
    letters[used++] = ':'; /* tells a value that is missing from an option that is not known */
    for (const struct option *each = o->all; each->name; each++) {
        if (each->val < OPTION_CSV) {
            letters[used++] = (char)each->val;
            letters[used] = ':';
            used += each->has_arg == required_argument;
        }
    }
    letters[used] = 0;
    opterr = 0;
    while (status == OPTIONS_GO_ON &&
           (option = getopt_long(argc, argv, letters, o->all, NULL)) != -1) {
        switch (option) {
        case 'h':
            fputs(o->usage, stdout);
            return EXIT_DONE;
        case '?':
        case ':':
            return bad_option(o, option == ':', argc, argv);
        case 'o':
            o->output = optarg;
            break;
        case 'f':
            o->force = true;
            break;
        case OPTION_CSV:
            o->form = REPORT_CSV;
            break;
        case OPTION_JSON:
            o->form = REPORT_JSON;
            break;
        default:
            status = o->take(o->arg, option, optarg);
        }
    }
    return status;
}

int options_one_recording(const struct options *o, int argc)
{
    if (optind == argc - 1) {
        return OPTIONS_GO_ON;
    }
    return cli_usage(o->command, optind < argc ? "one recording at a time" : "which recording?");
}

int options_number(const char *command, const char *option, const char *value, double least,
                   double most, const char *wanted, double *ret_number)
{
    char *end;

    *ret_number = strtod(value, &end);
    if (*value && !*end && *ret_number >= least && *ret_number <= most) {
        return OPTIONS_GO_ON;
    }
    return cli_usage(command, "%s %s: %s", option, value, wanted);
}

int options_choice(const char *command, const char *option, const char *value,
                   const char *const *words, size_t count, size_t *ret_which)
{
    char list[512];

    for (size_t i = 0; i < count; i++) {
        if (!strcasecmp(value, words[i])) {
            *ret_which = i;
            return OPTIONS_GO_ON;
        }
    }
    const char *meant = nearest(value, words, count);
    options_list(words, count, "and", list);
    if (meant) {
        return cli_usage(command, "%s %s: did you mean %s? There are %s", option, value, meant,
                         list);
    }
    return cli_usage(command, "%s %s: there are %s", option, value, list);
}

const char *options_list(const char *const *words, size_t count, const char *last, char buffer[512])
{
    size_t used = 0;

    for (size_t i = 0; i < count && used < 512; i++) {
        bool is_last = i && i == count - 1;
        used += (size_t)snprintf(buffer + used, 512 - used, "%s%s%s%s",
                                 is_last ? " "
                                 : i     ? ", "
                                         : "",
                                 is_last ? last : "", is_last ? " " : "", words[i]);
    }
    return buffer;
}
