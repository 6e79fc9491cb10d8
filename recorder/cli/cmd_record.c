/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "explain.h"
#include "launch.h"
#include "library.h"
#include "target.h"
#include "../format/create.h"
#include "../format/environment.h"
#include "../read/losses.h"
#include "../read/totals.h"
#include "../text/plural.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static const char usage[] =
    "usage: nvtxh record [OPTION...] [--] PROGRAM [ARGUMENT...]\n\n"
    "Runs PROGRAM and writes its NVTX ranges, marks, counters and names, and those of every "
    "process\n"
    "it starts, to a file. The exit status is the program's; 128 and the signal's number if a "
    "signal\n"
    "ended it.\n\n"
    "  -o, --output REC        the recording; a directory: a file in it. Without it PROGRAM.nvtxh, "
    "or\n"
    "                          the next free PROGRAM.N.nvtxh\n"
    "  -f, --force             replace REC if it exists\n"
    "      --ring SIZE         keep the last SIZE bytes of each process (64M; 256k to 64G)\n"
    "      --domain-include D  record only these domains (names with commas between, or several\n"
    "                          times; 'default' is the default domain)\n"
    "      --domain-exclude D  record all but these\n"
    "      --capture-range R   record while a range is open that is called MESSAGE or "
    "MESSAGE@DOMAIN;\n"
    "                          without @DOMAIN: in the default domain, or an nvtxh_capture\n"
    "      --delay S           begin after S seconds\n"
    "      --duration S        stop recording after S seconds; the program runs on\n\n"
    "Without this command: NVTX_INJECTION64_PATH=/path/to/libnvtxh-record.so, and for the options\n"
    "NVTXH_RECORD_FILE, _RING, _DOMAIN_INCLUDE, _DOMAIN_EXCLUDE, _CAPTURE, _DELAY and _DURATION.\n";

static const char *const variables[] = {REC_ENV_RING,    REC_ENV_DELAY,   REC_ENV_DURATION,
                                        REC_ENV_CAPTURE, REC_ENV_INCLUDE, REC_ENV_EXCLUDE};
enum { VARIABLES = sizeof(variables) / sizeof(variables[0]), RING = 0x100 };

static void set_environment(const struct target *t, const char *library)
{
    char session[33];

    rec_session_text(t->session, session);
    setenv("NVTX_INJECTION64_PATH", library, 1);
    setenv(REC_ENV_FILE, t->absolute, 1);
    setenv(REC_ENV_SESSION, session, 1);
}

static bool is_seconds(const char *value, bool positive)
{
    uint64_t ns;
    return rec_parse_seconds(value, &ns) && (ns || !positive);
}

/* The last '@' comes before the domain. */
static bool is_range(const char *value)
{
    const char *at = strrchr(value, '@');
    return *value && at != value && (!at || at[1]);
}

/* One of the options that are handed on as they are; false: it makes no sense. */
static bool set_option(int option, const char *value, const char **ret_wanted)
{
    const char *name = variables[option - RING];
    const char *before = option == RING + 4 || option == RING + 5 ? getenv(name) : NULL;
    uint64_t number;

    *ret_wanted = option == RING       ? "a size from 256k to 64G, such as 64M"
                  : option == RING + 1 ? "a number of seconds"
                  : option == RING + 2 ? "a number of seconds above 0"
                  : option == RING + 3 ? "MESSAGE or MESSAGE@DOMAIN, and once"
                                       : "a name";
    if (!*value || (option == RING && !rec_parse_size(value, &number)) ||
        (option == RING + 1 && !is_seconds(value, false)) ||
        (option == RING + 2 && !is_seconds(value, true)) ||
        (option == RING + 3 && (!is_range(value) || getenv(name)))) {
        return false;
    }
    if (before) {
        char *both = NULL;
        if (asprintf(&both, "%s,%s", before, value) < 0) {
            abort();
        }
        setenv(name, both, 1);
        free(both);
    } else {
        setenv(name, value, 1);
    }
    return true;
}

static void started(void *arg)
{
    target_keep(arg);
}

static bool is_plain(const char *path)
{
    return path[strspn(path,
                       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-:@%")] ==
           0;
}

static void report(const struct target *t, const char *program)
{
    struct recording r;
    struct span_totals totals;
    const char *quote = is_plain(t->path) ? "" : "'";

    if (!cli_open(&r, t->absolute)) {
        return;
    }
    totals_count(&r, &totals);
    if (r.process_count == 0 && r.header.complained) {
        losses_print_stopped(&r, stderr);
    } else if (r.process_count == 0) {
        fprintf(stderr,
                "nvtxh: %s made no NVTX call, %s is empty (is it built with NVTX_DISABLE, or does "
                "it run "
                "with other rights than yours?)\n",
                program, t->path);
    } else if (totals.events || totals.dropped || !explain_nothing(&r, t->path)) {
        fprintf(stderr, "nvtxh: %llu %s, %llu %s", (unsigned long long)totals.events,
                PLURAL(totals.events, "event", "events"), (unsigned long long)totals.threads,
                PLURAL(totals.threads, "thread", "threads"));
        if (r.process_count > 1) {
            fprintf(stderr, ", %zu processes", r.process_count);
        }
        fprintf(stderr, ", %llu dropped, in %s; next: nvtxh stats %s%s%s\n",
                (unsigned long long)totals.dropped, t->path, quote, t->path, quote);
        losses_print_unknown(&totals, stderr);
    }
    cli_close(&r, t->path);
}

int cmd_record(int argc, char **argv)
{
    static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                            {"force", no_argument, NULL, 'f'},
                                            {"help", no_argument, NULL, 'h'},
                                            {"ring", required_argument, NULL, RING},
                                            {"delay", required_argument, NULL, RING + 1},
                                            {"duration", required_argument, NULL, RING + 2},
                                            {"capture-range", required_argument, NULL, RING + 3},
                                            {"domain-include", required_argument, NULL, RING + 4},
                                            {"domain-exclude", required_argument, NULL, RING + 5},
                                            {NULL, 0, NULL, 0}};
    const char *output = NULL, *wanted;
    bool force = false;
    int option;
    struct target target;
    char library[PATH_MAX];
    char tried[4 * PATH_MAX];
    int status = 0;

    for (int i = 0; i < VARIABLES; i++) {
        unsetenv(variables[i]); /* what is meant is said here */
    }
    while ((option = cli_getopt(argc, argv, "+o:fh", options)) != -1) {
        switch (option) {
        case 'o':
            output = optarg;
            break;
        case 'f':
            force = true;
            break;
        case 'h':
            fputs(usage, stdout);
            return EXIT_DONE;
        case '?':
            return cli_bad_option("record", argc, argv);
        default:
            if (!set_option(option, optarg, &wanted)) {
                return cli_usage("record", "--%s wants %s, not '%s'", cli_option_name(option),
                                 wanted, optarg);
            }
        }
    }
    if (getenv(REC_ENV_INCLUDE) && getenv(REC_ENV_EXCLUDE)) {
        return cli_usage("record", "either --domain-include or --domain-exclude");
    }
    if (optind >= argc) {
        return cli_usage("record", "record what? A program is missing");
    }
    if (output && !*output) {
        return cli_usage("record", "-o wants the name of a file");
    }
    argv += optind;
    if (!library_find(library, tried, sizeof(tried))) {
        return cli_fail("libnvtxh-record.so is not where it belongs:%s", tried);
    }
    /* A limit on file sizes is answered with a signal; here it shall be an error like any other. */
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    int problem = target_create(&target, output, force, argv);
    if (problem) {
        return problem;
    }
    signal(SIGXFSZ, before);
    if (target.made) {
        set_environment(&target, library);
    }
    int error = launch(argv, started, &target, &status);
    signal(SIGXFSZ, SIG_IGN);
    if (error) {
        target_undo(&target);
        cli_fail("cannot run %s: %s", argv[0], strerror(error));
        return error == ENOENT ? 127 : 126;
    }
    if (target.made) {
        target_close(&target, status);
        report(&target, argv[0]);
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
