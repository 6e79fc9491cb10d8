/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "apart.h"
#include "beside.h"
#include "cli.h"
#include "commands.h"
#include "installed.h"
#include "launch.h"
#include "nothing_recorded.h"
#include "record_options.h"
#include "recording_file.h"
#include "stats_only.h"
#include "trigger.h"
#include "watch.h"
#include "words.h"
#include "../base/memory.h"
#include "../format/clock.h"
#include "../format/create.h"
#include "../format/environment.h"
#include "../format/identity.h"
#include "../report/losses.h"
#include "../spans/recording_notes.h"
#include "../spans/recording_source.h"
#include "../spans/totals.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static const char about[] = "Runs PROGRAM and writes its NVTX ranges, marks, counters and names, "
                            "and those of every process it starts, to a file. The exit status is "
                            "the program's, or 128 plus the signal's number if a signal ended it.";
static const char more[] =
    "To record without this command, set NVTX_INJECTION64_PATH=/path/to/libnvtxh-record.so. "
    "NVTXH_RECORD_FILE, _RING, _DOMAIN_INCLUDE, _DOMAIN_EXCLUDE, _CAPTURE, _DELAY, _DURATION, "
    "_MIN_DURATION, _RANK, _JOB, _MODE, _THREAD and _PAUSED then stand for the options.";

static void set_environment(const struct recording_file *t)
{
    char session[33];

    rec_session_text(t->session, session);
    setenv(REC_ENV_FILE, t->absolute, 1);
    if (cli_is_silent()) {
        setenv(REC_ENV_SILENT, "1", 1);
    } else {
        unsetenv(REC_ENV_SILENT);
    }
    if (t->apart) {
        unsetenv(REC_ENV_SESSION);
    } else {
        setenv(REC_ENV_SESSION, session, 1);
    }
}

/* The argument of `started`, which launch() calls when the program has been started. */
struct run {
    struct recording_file *target, *ring; /* ring: with --stats-only, else NULL */
    const char *program;
    bool quiet;
    struct trigger_options *triggers;
};

static void started(void *arg, pid_t pid)
{
    const struct run *run = arg;

    recording_file_keep(run->target);
    if (run->triggers->count && run->target->made) {
        trigger_begin(run->triggers, run->target->path);
    }
    if (run->ring) {
        stats_only_begin(run->target, run->ring);
    }
    if (!run->quiet && run->target->made) {
        watch_begin(pid, run->program, run->target->path);
    }
}

/* "ended by SIGKILL: " if a signal ended the program, else "". */
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
    struct source *source = cli_open_recording(t->absolute);
    struct span_totals totals;
    char buffer[64], short_ranges[RECORDING_LEFT_OUT];
    const char *ended = by_signal(status, buffer);

    if (!source) {
        return;
    }
    struct recording *r = recording_of(source);
    unsigned long long count = recording_processes(r);
    totals_count(r, &totals);
    if (!cli_was_read(source, t->path)) {
        cli_close(source, t->path);
        return;
    }
    const char *left_out = recording_left_out(r, &totals, short_ranges);
    if (count == 0 && r->header.complained && !totals.dropped) {
        recording_print_stopped(r, stderr);
    } else if (count == 0 && r->header.refused) {
        /* the process has reported why */
    } else if (count == 0 && !totals.dropped) {
        nothing_loaded(program, t->path, ended);
    } else if (quiet && totals.events && !totals.dropped) {
        losses_print_unknown(&totals, stderr);
    } else if (totals.events || totals.dropped || left_out || !nothing_recorded(r, t->path)) {
        char *file = words_quoted(t->path), processes[40] = "";
        if (count > 1) {
            snprintf(processes, sizeof(processes), ", %llu processes", count);
        }
        cli_say("%s%llu %s, %llu %s%s, %llu dropped%s%s, in %s; next: nvtxh stats %s%s", ended,
                (unsigned long long)totals.events, PLURAL(totals.events, "event", "events"),
                (unsigned long long)totals.threads, PLURAL(totals.threads, "thread", "threads"),
                processes, (unsigned long long)totals.dropped, left_out ? ", " : "",
                left_out ? left_out : "", t->path, *file == '-' ? "-- " : "", file);
        free(file);
        losses_print_unknown(&totals, stderr);
    }
    cli_close(source, t->path);
}

static struct trigger_options triggers = TRIGGER_USUAL;

static int add_trigger(const struct cli_option *option, const char *value)
{
    (void)option;
    return trigger_add(&triggers, value);
}

int cmd_record(int argc, char **argv)
{
    const char *output = NULL;
    bool force = false, quiet = false, no_thread = false, paused = false, stats_only = false;
    enum { OWN = 12 }; /* the options of this file; those of record_options.c come after them */
    struct cli_option all[OWN + RECORD_OPTIONS + 1] = {
        OPTIONS_FILE(output, force, "REC",
                     "the recording, or a directory for it (PROGRAM.nvtxh if not given, or the "
                     "next free PROGRAM.N.nvtxh). In the name %h stands for the host, %p for the "
                     "pid, %r for the rank, %j for the job, %n for the next free number. With %p "
                     "each process of PROGRAM writes its own file; with %r too, unless this "
                     "command is started once for each rank"),
        {"quiet", 'q', NULL, "say only what went wrong", .flag = &quiet},
        {"no-thread", 0, NULL,
         "the recorder makes no thread of its own in the program; busy threads then sometimes wait "
         "for the file",
         .flag = &no_thread},
        {"also", 0, "TOOL",
         "pass the calls to another NVTX tool, too: the path of its library, or usdt for static "
         "probes (nvtxh:push, pop, start, end and mark) for debuggers, perf and bpftrace",
         .take = beside_also},
        {"paused", 0, NULL, "record nothing until nvtxh resume REC", .flag = &paused},
        {"stats-only", 0, NULL,
         "keep no events, only a count, sums and a histogram of the durations for each range, so "
         "that REC stays small for days; the program writes to a ring file beside REC (--ring 16M "
         "if not given)",
         .flag = &stats_only},
        {"snapshot-when", 0, "CONDITION",
         "with --ring: take a snapshot when CONDITION holds, under REC's name with .snap1, "
         ".snap2, ... before .nvtxh; may be given several times: " CONDITION_GRAMMAR,
         .take = add_trigger},
        {"before", 0, "TIME", "a snapshot begins this long before its cause (2s if not given)",
         .time = &triggers.before},
        {"after", 0, "TIME", "a snapshot ends this long after its cause (1s if not given)",
         .time = &triggers.after},
        {"max-snapshots", 0, "N", "take at most N snapshots (10 if not given)",
         .number = {&triggers.most, 0, 1e9, "a number of snapshots"}},
        {"min-interval", 0, "TIME",
         "at least this much time between two snapshots (10s if not given)",
         .time = &triggers.interval}};
    struct options o = {"record", "[OPTION...] [--] PROGRAM [ARGUMENT...]", about, more, all,
                        A_PROGRAM};
    struct recording_file target, ring;
    char library[PATH_MAX];
    char tried[4 * PATH_MAX];

    record_options_fill(all + OWN);
    unsetenv(REC_ENV_THREAD);
    unsetenv(REC_ENV_PAUSED);
    options_parse(&o, argc, argv);
    if (no_thread) {
        setenv(REC_ENV_THREAD, "0", 1);
    }
    if (getenv(REC_ENV_INCLUDE) && getenv(REC_ENV_EXCLUDE)) {
        return cli_usage("record", "give --domain-include or --domain-exclude, not both");
    }
    if (optind >= argc) {
        return cli_usage("record", "record what? A program is missing");
    }
    if (output && !*output) {
        return cli_usage("record", "-o wants the name of a file");
    }
    if (triggers.count && !getenv(REC_ENV_RING)) {
        return cli_usage("record", "--snapshot-when goes with --ring SIZE, such as --ring 64M");
    }
    if (stats_only && (triggers.count || paused)) {
        return cli_usage("record", "--stats-only keeps no events: it does not go with %s",
                         paused ? "--paused" : "--snapshot-when");
    }
    argv += optind;
    if (!installed_find(INSTALLED_LIBRARY, library, tried, sizeof(tried))) {
        return cli_fail("libnvtxh-record.so was not found; looked for:%s", tried);
    }
    launch_ignore(SIGXFSZ); /* beyond a limit of file sizes, and where */
    launch_ignore(SIGPIPE); /* nobody reads our messages, writing fails with an errno instead */
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
    if ((triggers.count || stats_only) && target.apart) {
        return cli_usage("record", "%s is for one file, but with -o %s each process makes its own",
                         stats_only ? "--stats-only" : "--snapshot-when", target.path);
    }
    if (paused && target.apart) {
        setenv(REC_ENV_PAUSED, "1", 1);
    }
    stats_only = stats_only && target.made;
    if (stats_only && !stats_only_make(&target, (mode_t)mode, &ring)) {
        recording_file_undo(&target);
        return cli_fail("cannot create %s: %s", ring.absolute, strerror(errno));
    }
    if (stats_only) {
        setenv(REC_ENV_RING, "16M", 0);
    }
    if (target.made) {
        recording_file_control(&target, paused, trigger_waits_for_calls(&triggers));
    }
    if (target.made || target.apart) {
        set_environment(stats_only ? &ring : &target);
        beside_set(library, argv[0]);
    }
    int status = 0;
    struct run run = {&target, stats_only ? &ring : NULL, argv[0], quiet, &triggers};
    triggers.quiet = quiet;
    launch_keep(trigger_signals(&triggers), trigger_signal);
    int error = launch(argv, started, &run, &status);
    watch_end();
    trigger_end(status);
    stats_only_end();
    if (error) {
        recording_file_undo(&target);
        if (stats_only) {
            recording_file_undo(&ring);
        }
        cli_fail("cannot run %s: %s", argv[0], strerror(error));
        return error == ENOENT ? 127 : 126;
    }
    fatal_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (target.made && recording_file_close(&target, status)) {
        report(&target, argv[0], status, quiet);
    }
    if (target.apart && !quiet) {
        char buffer[64];
        apart_report(target.path, target.absolute, &begun, argv[0], by_signal(status, buffer));
    }
    return fatal_status;
}
