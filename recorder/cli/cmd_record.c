/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "record.h"
#include "../util/memory.h"
#include "../format/clock.h"
#include "../output/report.h"
#include "../decode/recording_source.h"
#include "../format/create.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <glob.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct run {
    struct record_options *options;
    char **argv; /* the program and its arguments */
    struct recording_file target;
    struct rec_sample begun; /* a clock sample from before the file was created */
    struct rec_usage usage;  /* of the program, once it has ended */
};

/* Returns, for example, "ended by SIGKILL: " if a signal ended the program, else "". */
static const char *by_signal(int status, char buffer[64]) {
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

/* Turns the name of a file into a pattern for glob() and the shell. A field such as %p becomes '*';
 * characters that are special to glob() or the shell are escaped. */
static void pattern_of(const char *name, char ret_pattern[2 * PATH_MAX]) {
    char *to = ret_pattern;

    for (; *name; name++) {
        if (*name == '%' && name[1] && name[1] != '%') {
            *to++ = '*';
            name++;
        } else {
            name += *name == '%' && name[1];
            to = stpcpy(to, strchr("*?[\\ '\"$&();<>|`#!~{}", *name) ? "\\" : "");
            *to++ = *name;
        }
    }
    *to = 0;
}

static bool is_new(const char *path, const struct rec_sample *begun) {
    struct rec_header head;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool is = fd >= 0 && pread(fd, &head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
              !memcmp(head.magic, REC_MAGIC, 8) && head.start.realtime >= begun->realtime;

    if (fd >= 0) {
        close(fd);
    }
    return is;
}

/* Reports the recordings made since `begun`, and what to do next. Called if each process makes its
 * own recording, because the file's name has fields that differ between processes, such as %p.
 * `ended` begins the report: see by_signal. */
static void report_all(const struct run *run, const char *ended) {
    const char *name = run->target.path, *program = run->argv[0];
    char pattern[2 * PATH_MAX], buffer[FIGURE_USAGE];
    uint64_t elapsed = clock_sample(clock_choose()).monotonic - run->begun.monotonic;
    const char *usage = figure_usage(&run->usage, elapsed, buffer);
    glob_t found = {0};
    const char *first = NULL;
    size_t count = 0;

    pattern_of(run->target.absolute, pattern);
    if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            if (is_new(found.gl_pathv[i], &run->begun)) {
                first = found.gl_pathv[i];
                count++;
            }
        }
    }
    pattern_of(name, pattern);
    char *rest =
        first ? shell_quoted(first) : nothing_because(program, "", run->options->functions);
    if (!count) {
        cli_say("%sno process of %s made a recording %s%s", ended, program, pattern, rest);
    } else if (count == 1) {
        cli_say("%s1 recording, %s%s; next: nvtxh stats %s", ended, first, usage, rest);
    } else {
        bool ranks = output_name_has(name, 'r');
        cli_say("%s%zu recordings, %s%s; next: nvtxh %s %s%s", ended, count, pattern, usage,
                ranks ? "ranks" : "merge -o all.nvtxh", *pattern == '-' ? "-- " : "", pattern);
    }
    free(rest);
    globfree(&found);
}

static void report(const struct run *run, int status) {
    const struct recording_file *t = &run->target;
    bool quiet = run->options->quiet;
    struct source *source = cli_open_recording(t->absolute);
    struct span_totals totals;
    char buffer[64], usage[FIGURE_USAGE];
    const char *ended = by_signal(status, buffer);

    if (!source) {
        return;
    }
    struct recording *r = recording_of(source);
    size_t count = source->process_count;
    totals_count(r, &totals);
    if (!cli_was_read(source, t->path)) {
        cli_close(source, t->path);
        return;
    }
    if (count == 0 && r->header.stopped && !totals.dropped) {
        recording_print_stopped(r, stderr);
    } else if (count == 0 && r->header.refused) {
        /* the process has reported why */
    } else if (count == 0 && !totals.dropped) {
        nothing_loaded(run->argv[0], t->path, ended, run->options->functions);
    } else if (quiet && totals.events && !totals.dropped) {
        losses_print_unknown(&totals, stderr);
    } else if (totals.events || totals.dropped || !nothing_recorded(r, t->path, run->options)) {
        char *file = shell_file(t->path), processes[40] = "";
        if (count > 1) {
            snprintf(processes, sizeof(processes), ", %zu processes", count);
        }
        cli_say("%s%llu %s, %llu %s%s, %llu dropped, in %s%s; next: nvtxh stats %s", ended,
                (unsigned long long)totals.events, PLURAL(totals.events, "event", "events"),
                (unsigned long long)totals.threads, PLURAL(totals.threads, "thread", "threads"),
                processes, (unsigned long long)totals.dropped, t->path,
                figure_usage(&source->usage, source->elapsed, usage), file);
        free(file);
        losses_print_unknown(&totals, stderr);
        switches_print_limit(run->begun.monotonic);
    }
    cli_close(source, t->path);
}

/* Creates the file. Returns an exit status; errors have been reported. */
static int create(struct run *run) {
    const struct record_options *o = run->options;
    struct recording_file *target = &run->target;

    exec_ignore_signal(SIGXFSZ); /* writing beyond a limit of file sizes fails with errno instead */
    exec_ignore_signal(SIGPIPE); /* writing to a pipe that nobody reads fails with errno, too */
    run->begun = clock_sample(clock_choose());
    int problem = recording_file_create(target, o, run->argv);
    if (problem) {
        return problem;
    }
    if ((o->triggers.count || o->switches) && target->apart) {
        return cli_usage("record",
                         "--%s is for one file, but with -o %s each process makes its own",
                         o->switches ? "switches" : "snapshot-when", target->path);
    }
    if (target->made) {
        recording_file_control(target, o->paused, trigger_waits_for_calls(&o->triggers));
    }
    return EXIT_DONE;
}

/* Called by exec_program() when the program has been started. */
static void started(void *arg, pid_t pid) {
    struct run *run = arg;
    struct record_options *o = run->options;

    recording_file_keep(&run->target, pid);
    if (o->triggers.count && run->target.made) {
        trigger_begin(&o->triggers, run->target.path);
    }
}

static int record(struct record_options *o, char **argv) {
    struct run run = {.options = o, .argv = argv};
    char library[PATH_MAX], functions[PATH_MAX] = "", tried[4 * PATH_MAX], buffer[64];
    int status = 0;

    if (!installed_find(INSTALLED_LIBRARY, library, tried, sizeof(tried))) {
        return cli_fail("libnvtxh-record.so was not found; looked for:%s", tried);
    }
    if (o->functions && !installed_find(INSTALLED_FUNCTIONS, functions, tried, sizeof(tried))) {
        return cli_fail("libnvtxh-functions.so was not found; looked for:%s", tried);
    }
    if ((o->functions || other_tool_nsight(argv[0])) && strpbrk(library, ": ")) {
        return cli_fail("%s cannot be preloaded, because its path has a blank or colon, at which "
                        "LD_PRELOAD is split: install nvtxh in another folder",
                        library);
    }
    int problem = other_tool_inherit(library, &o->tool);
    if (!problem) {
        problem = create(&run);
    }
    if (problem) {
        return problem;
    }
    record_options_hand_over(o, &run.target, library, functions, argv[0]);
    switches_record_begin(&run.target, o);
    exec_keep_signals(trigger_signals(&o->triggers), trigger_signal);
    int error = exec_program(argv, started, &run, &status, &run.usage);
    switches_record_end();
    trigger_end(status);
    if (error) {
        recording_file_undo(&run.target);
        cli_fail("cannot run %s: %s%s", argv[0], strerror(error),
                 error == ENOENT ? path_hint(argv[0]) : "");
        return error == ENOENT ? 127 : 126;
    }
    fatal_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (run.target.made && recording_file_close(&run.target, status, &run.usage)) {
        report(&run, status);
    }
    if (run.target.apart && !o->quiet) {
        report_all(&run, by_signal(status, buffer));
    }
    return fatal_status;
}

int cmd_record(int argc, char **argv) {
    struct record_options o;
    int status = record_options_parse(&o, argc, argv);

    if (status == EXIT_DONE) {
        status = record(&o, argv + optind);
    }
    record_options_free(&o);
    return status;
}
