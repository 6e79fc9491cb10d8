/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "launch.h"
#include "library.h"
#include "../format/clock.h"
#include "../format/create.h"
#include "../format/environment.h"
#include "../read/losses.h"
#include "../read/spans.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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
    "      --ring SIZE         keep the last SIZE bytes of each process (64M; at least 256k)\n"
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

struct target {
    char path[PATH_MAX];     /* as it was given */
    char absolute[PATH_MAX]; /* as the program must see it, wherever it goes */
    uint8_t session[16];
    int fd; /* -1: the program runs unrecorded */
};

static bool make_absolute(struct target *t)
{
    char directory[PATH_MAX] = "";
    bool relative = t->path[0] != '/';

    if (relative && !getcwd(directory, sizeof(directory))) {
        return false;
    }
    return snprintf(t->absolute, PATH_MAX, "%s%s%s", directory, relative ? "/" : "", t->path) <
           PATH_MAX;
}

/* What may be wrong with the name that was given, as against what may be wrong with the disk. */
static bool is_mistake(int error)
{
    return error == EEXIST || error == ELOOP || error == ENOENT || error == ENOTDIR ||
           error == EISDIR || error == ENAMETOOLONG || error == EINVAL;
}

static bool is_directory(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int create(struct target *t, const char *output, bool force, char **argv)
{
    char command[1024] = "";
    size_t used = 0;
    const char *name = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
    const char *directory = output && is_directory(output) ? output : NULL;
    const char *slash = directory ? "/" : "";

    output = directory ? NULL : output;
    directory = directory ? directory : "";

    for (char **a = argv; *a && used < sizeof(command); a++) {
        used +=
            (size_t)snprintf(command + used, sizeof(command) - used, "%s%s", used ? " " : "", *a);
    }
    for (int i = 1; i < 10000; i++) {
        int n = output ? snprintf(t->path, PATH_MAX, "%s", output)
                : i == 1
                    ? snprintf(t->path, PATH_MAX, "%s%s%s.nvtxh", directory, slash, name)
                    : snprintf(t->path, PATH_MAX, "%s%s%s.%d.nvtxh", directory, slash, name, i);
        if (n >= PATH_MAX || !make_absolute(t)) {
            errno = ENAMETOOLONG;
            break;
        }
        t->fd = rec_create(t->absolute, force, command, t->session);
        if (t->fd >= 0 || output || errno != EEXIST) {
            break;
        }
    }
    if (t->fd >= 0) {
        return EXIT_DONE;
    }
    if (errno == EEXIST) {
        cli_fail("%s exists; give --force to replace it, or another name", t->path);
        return EXIT_USAGE;
    }
    if (is_mistake(errno)) {
        cli_fail("cannot create %s: %s", t->path, strerror(errno));
        return EXIT_USAGE;
    }
    cli_fail("cannot create %s: %s; %s runs unrecorded", t->path, strerror(errno), argv[0]);
    return EXIT_DONE;
}

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

/* One of the options that are handed on as they are; false: it makes no sense. */
static bool set_option(int option, const char *value, const char **ret_wanted)
{
    const char *name = variables[option - RING];
    const char *before = option == RING + 4 || option == RING + 5 ? getenv(name) : NULL;
    uint64_t number;

    *ret_wanted = option == RING       ? "a size of at least 256k, such as 64M"
                  : option <= RING + 2 ? "a number of seconds"
                                       : "a name";
    if (!*value || (option == RING && !rec_parse_size(value, &number)) ||
        ((option == RING + 1 || option == RING + 2) && !rec_parse_seconds(value, &number))) {
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

/* The recording's last words: when it ended, and how. */
static void close_recording(struct target *t, int status)
{
    struct rec_sample end = clock_sample(clock_choose());
    int32_t status32 = status;

    if (pwrite(t->fd, &status32, sizeof(status32), offsetof(struct rec_header, status)) < 0 ||
        pwrite(t->fd, &end, sizeof(end), offsetof(struct rec_header, end)) < 0) {
        cli_fail("%s: %s", t->path, strerror(errno));
    }
    close(t->fd);
}

static void nothing(void *arg, const struct span *span)
{
    (void)arg;
    (void)span;
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
    spans_each(&r, nothing, NULL, &totals);
    if (r.process_count == 0) {
        fprintf(stderr,
                "nvtxh: %s made no NVTX call, %s is empty (is it built with NVTX_DISABLE, or does "
                "it run "
                "with other rights than yours?)\n",
                program, t->path);
    } else {
        fprintf(stderr, "nvtxh: %llu events, %llu threads", (unsigned long long)totals.events,
                (unsigned long long)totals.threads);
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
    struct target target = {.fd = -1};
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
    int problem = create(&target, output, force, argv);
    if (problem) {
        return problem;
    }
    signal(SIGXFSZ, before);
    if (target.fd >= 0) {
        set_environment(&target, library);
    }
    int error = launch(argv, &status);
    signal(SIGXFSZ, SIG_IGN);
    if (error) {
        if (target.fd >= 0) {
            unlink(target.absolute);
        }
        cli_fail("cannot run %s: %s", argv[0], strerror(error));
        return error == ENOENT ? 127 : 126;
    }
    if (target.fd >= 0) {
        close_recording(&target, status);
        report(&target, argv[0]);
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
