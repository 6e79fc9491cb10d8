/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "apart.h"
#include "beside.h"
#include "cli.h"
#include "commands.h"
#include "installed.h"
#include "launch.h"
#include "nothing_recorded.h"
#include "options.h"
#include "recording_file.h"
#include "watch.h"
#include "words.h"
#include "../format/clock.h"
#include "../format/create.h"
#include "../format/environment.h"
#include "../format/identity.h"
#include "../read/totals.h"
#include "../report/losses.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static const char about[] = "Runs PROGRAM and writes its NVTX ranges, marks, counters and names, "
                            "and those of every process it starts, to a file. The exit status is "
                            "the program's; 128 and the signal's number if a signal ended it.";
static const char more[] =
    "Without this command: NVTX_INJECTION64_PATH=/path/to/libnvtxh-record.so, and for the options "
    "NVTXH_RECORD_FILE, _RING, _DOMAIN_INCLUDE, _DOMAIN_EXCLUDE, _CAPTURE, _DELAY, _DURATION, "
    "_RANK, _JOB, _MODE and _THREAD.";

static void set_environment(const struct recording_file *t)
{
    char session[33];

    rec_session_text(t->session, session);
    setenv(REC_ENV_FILE, t->absolute, 1);
    if (t->apart) {
        unsetenv(REC_ENV_SESSION);
    } else {
        setenv(REC_ENV_SESSION, session, 1);
    }
}

static bool is_duration(const char *value, uint64_t *ret_ns)
{
    return rec_parse_seconds(value, ret_ns) && *ret_ns;
}

/* The last '@' comes before the domain. */
static bool is_range(const char *value, uint64_t *ret)
{
    (void)ret;
    const char *at = strrchr(value, '@');
    return *value && at != value && (!at || at[1]);
}

static bool is_name(const char *value, uint64_t *ret)
{
    (void)ret;
    return *value;
}

static bool is_rank(const char *value, uint64_t *ret)
{
    uint32_t rank, world;

    (void)ret;
    return identity_parse_rank(value, &rank, &world);
}

/* The options that are handed on as they are. */
static const struct handed {
    const char *name, *variable, *argument, *help;
    bool (*is_right)(const char *value, uint64_t *ret_number);
    const char *wanted;                /* what is right */
    enum { LAST, ONCE, LIST } repeats; /* what it means to give it again */
} handed[] = {
    {"ring", REC_ENV_RING, "SIZE", "keep the last SIZE bytes of each process (64M; 256k to 64G)",
     rec_parse_size, "a size from 256k to 64G, such as 64M", LAST},
    {"delay", REC_ENV_DELAY, "S", "begin after S seconds", rec_parse_seconds, "a number of seconds",
     LAST},
    {"duration", REC_ENV_DURATION, "S", "stop recording after S seconds; the program runs on",
     is_duration, "a number of seconds above 0", LAST},
    {"capture-range", REC_ENV_CAPTURE, "R",
     "record only while the range R is open: MESSAGE@DOMAIN, or MESSAGE for one of the default "
     "domain or of nvtxh_capture_start",
     is_range, "MESSAGE or MESSAGE@DOMAIN, and once", ONCE},
    {"domain-include", REC_ENV_INCLUDE, "D",
     "record only these domains (names with commas between, or several times; 'default' is the "
     "default domain)",
     is_name, "a name", LIST},
    {"domain-exclude", REC_ENV_EXCLUDE, "D", "record all domains but these", is_name, "a name",
     LIST},
    {"rank", REC_ENV_RANK, "R[/N]",
     "the program is rank R, of N (if not given, what torchrun, Open MPI, MPICH, PMIx or SLURM "
     "say)",
     is_rank, "a rank, such as 3 or 3/8", LAST},
    {"job", REC_ENV_JOB, "JOB", "the name of the job (if not given, what the scheduler says)",
     is_name, "a name", LAST},
    {"mode", REC_ENV_MODE, "MODE", "permissions of the recording, such as 640 (600 if not given)",
     rec_parse_mode, "octal permissions with which its owner may read and write", LAST},
};
enum { HANDED = sizeof(handed) / sizeof(handed[0]) };

static int hand_on(const struct cli_option *option, const char *value)
{
    const struct handed *h = handed;
    char *both = NULL;
    uint64_t number;

    while (strcmp(h->name, option->name) != 0) {
        h++;
    }
    const char *before = getenv(h->variable);
    if (!h->is_right(value, &number) || (before && h->repeats == ONCE)) {
        return cli_usage("record", "--%s wants %s, not '%s'", h->name, h->wanted, value);
    }
    if (before && h->repeats == LIST && asprintf(&both, "%s,%s", before, value) < 0) {
        abort();
    }
    setenv(h->variable, both ? both : value, 1);
    free(both);
    return EXIT_DONE;
}

/* What `started` is called with. */
struct run {
    struct recording_file *target;
    const char *program;
    bool quiet;
};

static void started(void *arg, pid_t pid)
{
    const struct run *run = arg;

    recording_file_keep(run->target);
    if (!run->quiet && run->target->made) {
        watch_begin(pid, run->program, run->target->path);
    }
}

/* "ended by SIGKILL: ", if a signal ended the program. */
static const char *by_signal(int status, char buffer[64])
{
    const char *name = NULL;

    buffer[0] = 0;
    if (!WIFSIGNALED(status)) {
        return buffer;
    }
#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 32)
    name = sigabbrev_np(WTERMSIG(status));
#endif
#endif
    if (name) {
        snprintf(buffer, 64, "ended by SIG%s: ", name);
    } else {
        snprintf(buffer, 64, "ended by signal %d: ", WTERMSIG(status));
    }
    return buffer;
}

static void report(const struct recording_file *t, const char *program, int status, bool quiet)
{
    struct recording r;
    struct span_totals totals;
    char buffer[64];
    const char *ended = by_signal(status, buffer);

    if (!cli_open(&r, t->absolute)) {
        return;
    }
    totals_count(&r, &totals);
    if (r.process_count == 0 && r.header.complained && !totals.dropped) {
        losses_print_stopped(&r, stderr);
    } else if (r.process_count == 0 && r.header.refused) {
        /* it has said so */
    } else if (r.process_count == 0 && !totals.dropped) {
        nothing_loaded(program, t->path, ended);
    } else if (quiet && totals.events && !totals.dropped) {
        losses_print_unknown(&totals, stderr);
    } else if (totals.events || totals.dropped || !nothing_recorded(&r, t->path)) {
        char *file = words_quoted(t->path), processes[40] = "";
        if (r.process_count > 1) {
            snprintf(processes, sizeof(processes), ", %zu processes", r.process_count);
        }
        cli_say("%s%llu %s, %llu %s%s, %llu dropped, in %s; next: nvtxh stats %s%s", ended,
                (unsigned long long)totals.events, PLURAL(totals.events, "event", "events"),
                (unsigned long long)totals.threads, PLURAL(totals.threads, "thread", "threads"),
                processes, (unsigned long long)totals.dropped, t->path, *file == '-' ? "-- " : "",
                file);
        free(file);
        losses_print_unknown(&totals, stderr);
    }
    cli_close(&r, t->path);
}

int cmd_record(int argc, char **argv)
{
    const char *output = NULL;
    bool force = false, quiet = false, no_thread = false, paused = false;
    enum { OWN = 5 }; /* where the options that are handed on begin */
    struct cli_option all[OWN + HANDED + 1] = {
        OPTIONS_FILE(output, force, "REC",
                     "the recording; a directory: a file in it (without it PROGRAM.nvtxh, or the "
                     "next free PROGRAM.N.nvtxh); %h in it is the host, %p the pid, %r the rank, "
                     "%j the job, %n the next free number: with %p or %r each process of PROGRAM "
                     "writes a file of its own, unless this command is started once for each rank"),
        {"quiet", 'q', NULL, "say only what went wrong", .flag = &quiet},
        {"no-thread", 0, NULL,
         "the recorder makes no thread of its own in the program; much-used threads then wait for "
         "the file now and then",
         .flag = &no_thread},
        {"paused", 0, NULL, "record nothing until nvtxh resume REC", .flag = &paused}};
    struct options o = {"record", "[OPTION...] [--] PROGRAM [ARGUMENT...]", about, more, all,
                        A_PROGRAM};
    struct recording_file target;
    char library[PATH_MAX];
    char tried[4 * PATH_MAX];

    for (int i = 0; i < HANDED; i++) {
        all[OWN + i] = (struct cli_option){handed[i].name, 0, handed[i].argument, handed[i].help,
                                           .take = hand_on};
        unsetenv(handed[i].variable); /* what is meant is said here */
    }
    unsetenv(REC_ENV_THREAD);
    options_parse(&o, argc, argv);
    if (no_thread) {
        setenv(REC_ENV_THREAD, "0", 1);
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
    if (!installed_find(INSTALLED_LIBRARY, library, tried, sizeof(tried))) {
        return cli_fail("libnvtxh-record.so is not where it belongs:%s", tried);
    }
    /* A limit on file sizes is answered with a signal; here it shall be an error like any other. */
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    uint64_t mode = REC_MODE;
    const char *mode_text = getenv(REC_ENV_MODE);
    if (mode_text) {
        rec_parse_mode(mode_text, &mode);
    }
    struct rec_sample begun = clock_sample(clock_choose());
    int problem = recording_file_create(&target, output, force, (mode_t)mode, argv);
    if (problem) {
        return problem;
    }
    signal(SIGXFSZ, before);
    if (paused && target.apart) {
        return cli_usage("record", "--paused is for one file; each process makes its own of %s",
                         target.path);
    }
    if (paused && target.made) {
        recording_file_pause(&target);
    }
    if (target.made || target.apart) {
        set_environment(&target);
        beside_set(library, argv[0]);
    }
    int status = 0;
    struct run run = {&target, argv[0], quiet};
    int error = launch(argv, started, &run, &status);
    watch_end();
    signal(SIGXFSZ, SIG_IGN);
    if (error) {
        recording_file_undo(&target);
        cli_fail("cannot run %s: %s", argv[0], strerror(error));
        return error == ENOENT ? 127 : 126;
    }
    if (target.made && recording_file_close(&target, status)) {
        report(&target, argv[0], status, quiet);
    }
    if (target.apart && !quiet) {
        char buffer[64];
        apart_report(target.path, target.absolute, &begun, argv[0], by_signal(status, buffer));
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
