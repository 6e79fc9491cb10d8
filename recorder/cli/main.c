/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "options.h"
#include "../util/memory.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define COMMAND_ROW(name, what) {#name, cmd_##name, what},

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *what;
} commands[] = {COMMANDS(COMMAND_ROW, COMMAND_ROW)};
enum { COUNT = sizeof(commands) / sizeof(commands[0]) };

static void help(FILE *out) {
    fputs("usage: nvtxh COMMAND ...\n       nvtxh REC [OPTION...], which is nvtxh stats REC "
          "[OPTION...]\n\n"
          "  nvtxh record -o app.nvtxh -- ./app\n  nvtxh app.nvtxh\n  nvtxh view app.nvtxh\n\n",
          out);
    for (size_t i = 0; i < COUNT; i++) {
        fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].what);
    }
    fputs("\nEach command has its own --help.\n", out);
}

/* `name` is no command. Runs `nvtxh stats` if it is the name of a recording or of a database: if it
 * ends as their names do, or if it is a file that cannot be a program. Says what else it may be. */
static int run_without_command(int argc, char **argv) {
    const char *name = argv[0];
    struct stat st;
    bool is_there = stat(name, &st) == 0, is_file = is_there && S_ISREG(st.st_mode);

    if (cli_ends_in(name, ".nvtxh") || cli_ends_in(name, ".sqlite") ||
        (is_file && access(name, X_OK))) {
        char **words = must_alloc(NULL, (size_t)argc + 2, sizeof(*words));
        words[0] = (char *)"stats";
        memcpy(words + 1, argv, ((size_t)argc + 1) * sizeof(*words));
        int status = cmd_stats(argc + 1, words);
        free(words);
        return cli_finish(status);
    }
    if (is_there && S_ISDIR(st.st_mode)) {
        return cli_usage(
            "", "%s is a directory; of the recordings in it: nvtxh ranks %s, or nvtxh view %s",
            name, name, name);
    }
    const char *slash = strchr(name, '/');
    if (is_there) {
        return cli_usage("", "there is no command '%s'; to record a program: nvtxh record %s%s",
                         name, slash ? "" : "./", name);
    }
    if (slash) {
        return cli_usage("", "there is no file '%s'", name);
    }
    const char *names[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        names[i] = commands[i].name;
    }
    const char *meant = text_nearest(name, names, COUNT);
    return meant ? cli_usage("", "there is no command '%s', did you mean %s?", name, meant)
                 : cli_usage("", "there is no command and no file '%s'", name);
}

static int run_command(int argc, char **argv) {
    for (size_t i = 0; i < COUNT; i++) {
        if (!strcmp(argv[0], commands[i].name)) {
            return cli_finish(commands[i].run(argc, argv));
        }
    }
    return *argv[0] == '-' ? cli_usage("", "unknown option %s", argv[0])
                           : run_without_command(argc, argv);
}

/* Prints commands and options for scripts: see print_listing in options.c. A command exits after
 * printing its options, so each command runs in a child process. */
static int listing(void) {
    for (size_t i = 0; i < COUNT; i++) {
        char *words[] = {(char *)commands[i].name, (char *)OPTIONS_LISTING, NULL};
        printf("command\t%s\t%s\n", commands[i].name, commands[i].what);
        fflush(stdout);
        pid_t child = fork();
        if (child <= 0) {
            return child ? cli_fail("cannot fork") : run_command(2, words);
        }
        waitpid(child, NULL, 0);
    }
    puts("option\t-\t--help\t-h\t-\t-\tthe commands\noption\t-\t--version\t-V\t-\t-\tthe version, "
         "and what is built in\noption\t-\t--include-dir\t-\t-\t-\tthe directory of the installed "
         "headers\n"
         "option\t-\t--cmake-dir\t-\t-\t-\tthe directory of the installed nvtxhConfig.cmake");
    return cli_finish(EXIT_DONE);
}

/* --include-dir and --cmake-dir, for build systems. */
static int print_installed(enum installed what, const char *name) {
    char path[PATH_MAX], tried[3 * PATH_MAX];

    if (!installed_find(what, path, tried, sizeof(tried))) {
        return cli_fail("the %s were not found; looked for:%s", name, tried);
    }
    puts(path);
    return cli_finish(EXIT_DONE);
}

int main(int argc, char **argv) {
    static char ask[] = "--help";
    const char *name = argc > 1 ? argv[1] : NULL;

    cli_begin();
    /* Sets only which characters can be shown; printf writes numbers as in the "C" locale. */
    setlocale(LC_CTYPE, "");
    if (!name) {
        help(stderr);
        return EXIT_USAGE;
    }
    if (!strcmp(name, "help") && argc > 2) { /* nvtxh help COMMAND */
        char *words[] = {argv[2], ask, NULL};
        return run_command(2, words);
    }
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
        help(stdout);
        return cli_finish(EXIT_DONE);
    }
    if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
        puts("nvtxh " NVTXH_CLI_VERSION "\n" NVTXH_CLI_FEATURES);
        return cli_finish(EXIT_DONE);
    }
    if (!strcmp(name, "--include-dir")) {
        return print_installed(INSTALLED_HEADERS, "headers");
    }
    if (!strcmp(name, "--cmake-dir")) {
        return print_installed(INSTALLED_CMAKE, "files for CMake");
    }
    if (!strcmp(name, OPTIONS_LISTING)) {
        return listing();
    }
    return run_command(argc - 1, argv + 1);
}
