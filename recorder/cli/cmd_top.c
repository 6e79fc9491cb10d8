/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "options.h"
#include "top.h"
#include "../output/report.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <string.h>
#include <time.h>

static const char *const examples[] = {"nvtxh top app.nvtxh", "nvtxh top --once app.nvtxh",
                                       "nvtxh top --once -- ./app"};
static const char about[] =
    "Shows the activity of a running program from its recording, updated every second. For each "
    "range: its share of the last second and of all time since the recording began (100 %: one "
    "thread was in it all the time); how often it ended in the last second, and the average and "
    "99th percentile of these durations; how long it has been open. A recording that has ended is "
    "shown once, as it was in its last second. A PROGRAM is run and recorded to a temporary file; "
    "the exit status is the program's. While this command uses the whole terminal, the program's "
    "output is held back until the end.";
static const char more[] =
    "The file is only read, so the program never waits. Recordings with --ring can be shown, too. "
    "On a terminal: q quits, the space bar freezes the screen, s sorts by the next column, n "
    "shows the open ranges, / asks for a pattern of names.";

static bool show(const struct top *t, bool once) {
    if (t->style.form == REPORT_TABLE && !once && terminal_of(stdout, REPORT_COLOR_NEVER).is_one) {
        fputs("\033[H\033[2J", stdout);
    }
    top_print(t, stdout);
    if (fflush(stdout) != 0 && errno == EPIPE) {
        return false; /* the program that read our output has closed it */
    }
    return cli_finish(EXIT_DONE) == EXIT_DONE;
}

/* Reads and shows the recording every `seconds` until it ends. */
static int follow_until_end(struct top *t, const char *rec, double seconds, bool once, bool screen,
                            struct top_program *program) {
    struct error error;
    bool done = true;

    follow_rows_begin(&t->rows, rec, (int64_t)(seconds * 1e9));
    if (screen && !top_screen(t, seconds, &error)) {
        done = cli_fail("%s: %s", rec, error.text) == EXIT_DONE;
    }
    while (done && !screen) {
        struct timespec pause = {(time_t)seconds, (long)(fmod(seconds, 1) * 1e9)};
        bool over = program && top_program_has_ended(program);
        if (t->rows.follow.now || (program && !over)) {
            nanosleep(&pause, NULL);
        }
        if (!follow_rows_read(&t->rows, &error)) {
            if (program && top_program_has_ended(program)) {
                break; /* the program could not be run, which was reported */
            }
            done = cli_fail("%s: %s", rec, error.text) == EXIT_DONE;
        } else {
            done = show(t, once);
        }
        if (once || over || t->rows.follow.ended || top_program_is_told()) {
            break;
        }
    }
    int status = !done ? EXIT_FAILED : screen ? EXIT_DONE : top_no_match(t);
    follow_rows_end(&t->rows);
    return status;
}

/* Whether a program follows "--". The options after its name are the program's. */
static bool is_program(int argc, char **argv) {
    return optind < argc && optind > 1 && !strcmp(argv[optind - 1], "--");
}

int cmd_top(int argc, char **argv) {
    struct report_keys names = report_keys(top_columns, TOP_COLUMNS);
    struct report_style style = REPORT_USUAL;
    struct top t = {.sort = TOP_NOW, .filter = FILTER_ALL};
    double seconds = 1;
    struct top_program program;
    bool once = false;
    const struct cli_option all[] = {
        {"once", 0, NULL, "show the recording once and exit", .flag = &once},
        {"nest", 0, NULL, "show which ranges are open, how they are nested, and for how long",
         .flag = &t.nest},
        {"interval", 'i', "S",
         "show the recording every S seconds, with the figures of these S seconds (1 if not given)",
         .number = {&seconds, 0.01, 86400, "a number of seconds from 0.01 on"}},
        {"sort", 0, "COLUMN", "the column to sort by (now if not given)",
         .choice =
             {.ret = &t.sort, .words = names.keys, .titles = names.titles, .count = names.count}},
        {"name", 0, "REGEX", "only names (domain:message) that REGEX matches",
         .text = &t.filter.name},
        OPTIONS_REPORT(style, names),
        {.name = NULL}};
    struct options o = {
        "top",   "[OPTION...] REC | -- PROGRAM [ARGUMENT...]", about, more, all, RECORDINGS,
        examples};

    options_parse(&o, argc, argv);
    options_filter("top", &t.filter);
    if (t.nest && style.column_count) {
        return cli_usage("top", "--columns cannot be used with --nest");
    }
    if (optind != argc - 1 && !is_program(argc, argv)) {
        return cli_usage("top", optind < argc ? "one recording at a time, or -- and a program"
                                              : "no recording given, or -- and a program");
    }
    t.style = style;
    bool screen =
        !once && style.form == REPORT_TABLE && top_screen_is_possible && top_screen_is_possible();
    int status = EXIT_DONE;
    if (!is_program(argc, argv)) {
        status = follow_until_end(&t, argv[optind], seconds, once, screen, NULL);
    } else {
        if (top_program_begin(&program, argv + optind, screen)) {
            follow_until_end(&t, program.rec, seconds, once, screen, &program);
        }
        if (ferror(stdout)) { /* reported already; now cli_finish returns the program's status */
            (void)!freopen("/dev/null", "we", stdout);
        }
        status = top_program_end(&program);
    }
    filter_end(&t.filter);
    return status;
}
