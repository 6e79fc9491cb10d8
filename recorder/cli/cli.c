/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

int cli_usage(const char *command, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("nvtxh: ", stderr);
    vfprintf(stderr, format, args); /* NOLINT(clang-analyzer-valist.Uninitialized) */
    fprintf(stderr, "; see: nvtxh%s%s --help\n", *command ? " " : "", command);
    va_end(args);
    return EXIT_USAGE;
}

static const struct option *known; /* of the command that is running */
static bool value_missing;         /* is what is wrong with the last one */

int cli_getopt(int argc, char **argv, const char *shorts, const struct option *options)
{
    char marked[64];
    int plus = *shorts == '+';

    /* The colon makes it tell a value that is missing from an option that is not known. */
    snprintf(marked, sizeof(marked), "%s:%s", plus ? "+" : "", shorts + plus);
    known = options;
    opterr = 0;
    int option = getopt_long(argc, argv, marked, options, NULL);
    value_missing = option == ':';
    return value_missing ? '?' : option;
}

const char *cli_option_name(int option)
{
    const struct option *o = known;

    while (o && o->name && o->val != option) {
        o++;
    }
    return o && o->name ? o->name : "?";
}

static int unknown_option(const char *command, const char *word)
{
    const char *names[32];
    size_t count = 0;
    char name[64];

    snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
    for (const struct option *o = known; o && o->name && count < 32; o++) {
        names[count++] = o->name;
    }
    const char *meant = cli_nearest(name, names, count);
    return meant ? cli_usage(command, "unknown option --%s, did you mean --%s?", name, meant)
                 : cli_usage(command, "unknown option --%s", name);
}

int cli_bad_option(const char *command, int argc, char **argv)
{
    const char *word = optind > 0 && optind <= argc ? argv[optind - 1] : "?";

    if (optopt && strchr(word, '=')) {
        return cli_usage(command, "%s: this option takes no value", word);
    }
    if (value_missing) {
        return cli_usage(command, "%s wants a value", word);
    }
    if (optopt && word[1] != '-') {
        return cli_usage(command, "unknown option -%c", optopt);
    }
    return strlen(word) > 2 ? unknown_option(command, word)
                            : cli_usage(command, "unknown option %s", word);
}

int cli_fail(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("nvtxh: ", stderr);
    vfprintf(stderr, format, args); /* NOLINT(clang-analyzer-valist.Uninitialized) */
    fputc('\n', stderr);
    va_end(args);
    return EXIT_FAILED;
}

bool cli_open(struct recording *r, const char *path)
{
    char error[256];

    if (!recording_open(r, path, error, sizeof(error))) {
        cli_fail("%s: %s", path, error);
        return false;
    }
    r->progress = cli_progress;
    return true;
}

void cli_close(struct recording *r, const char *path)
{
    char buffer[400];
    cli_progress_done();
    const char *complaint = damage_text(r, buffer, sizeof(buffer));

    if (complaint && !r->header.end.ticks) { /* it is being written, or its writer was killed */
        usleep(50000);
        complaint = damage_text(r, buffer, sizeof(buffer));
    }
    if (complaint) {
        fflush(stdout);
        cli_fail("%s: %s", path, complaint);
    }
    recording_close(r);
}

int cli_finish(int status)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        return cli_fail("cannot write the output: %s", strerror(errno));
    }
    return status;
}
