/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "commands.h"
#include "options.h"
#include "top_screen.h"
#include "../report/terminal.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

static const char about[] =
    "What a recording under way is doing, again and again until it ends. For each range: its share "
    "of the last second, where 100 % is one thread all the time, and of all time since the "
    "recording began; "
    "how often it ended, its average and 99th percentile in that second; for how long it has been "
    "open. A recording that has "
    "ended is shown once, as it was in its last second.";
static const char more[] =
    "The file is only read, and what was read is not read again: the program never waits for this. "
    "Recordings with --ring can be looked at, too. On a terminal: q ends it, the space bar "
    "freezes the picture, s sorts by the next column, n shows what is open as it is nested, / "
    "asks for a pattern of names.";

static bool show(const struct top *t, bool once)
{
    if (t->style.form == REPORT_TABLE) {
        if (!once && terminal_of(stdout, REPORT_COLOR_NEVER).is_one) {
            fputs("\033[H\033[2J", stdout);
        }
        top_print_head(t, stdout);
    }
    bool done = top_print(t, stdout);
    return fflush(stdout) == 0 && done;
}

int cmd_top(int argc, char **argv)
{
    const char *keys[TOP_COLUMNS];
    struct report_style style = REPORT_USUAL;
    struct top t = {.sort = TOP_NOW};
    double seconds = 1;
    char error[256];
    bool done = true, once = false;
    const struct cli_option all[] = {
        {"once", 0, NULL, "show it once and end", .flag = &once},
        {"nest", 0, NULL, "show what is open now as it is nested, and for how long",
         .flag = &t.nest},
        {"interval", 'i', "S", "look every S seconds (1 if not given); the window is as long",
         .number = {&seconds, 0.01, 86400, "a number of seconds from 0.01 on"}},
        {"sort", 0, "COLUMN", "the column to sort by (now if not given)",
         .choice = {.ret = &t.sort, .words = keys, .count = TOP_COLUMNS}},
        {"name", 0, "REGEX", "only what has a domain:message that it matches", .text = &t.name},
        OPTIONS_REPORT(style, keys, TOP_COLUMNS),
        {.name = NULL}};
    struct options o = {"top", "[OPTION...] REC", about, more, all, ONE_RECORDING};

    report_keys(top_columns, TOP_COLUMNS, keys);
    options_parse(&o, argc, argv);
    int bad = t.name ? regcomp(&t.regex, t.name, REG_EXTENDED | REG_NOSUB) : 0;
    if (bad) {
        regerror(bad, &t.regex, error, sizeof(error));
        return cli_usage("top", "--name %s: %s", t.name, error);
    }
    if (t.nest && style.column_count) {
        return cli_usage("top", "--columns are those of ranges, not of --nest");
    }
    t.style = style;
    follow_begin(&t.follow, argv[optind], (int64_t)(seconds * 1e9));
    bool screen = !once && style.form == REPORT_TABLE && top_screen_is_possible();
    if (screen && !top_screen(&t, seconds, error, sizeof(error))) {
        done = cli_fail("%s: %s", argv[optind], error) == EXIT_DONE;
    }
    while (done && !screen) {
        struct timespec pause = {(time_t)seconds, (long)(fmod(seconds, 1) * 1e9)};
        if (t.follow.now) {
            nanosleep(&pause, NULL);
        }
        if (!follow_read(&t.follow, error, sizeof(error))) {
            done = cli_fail("%s: %s", argv[optind], error) == EXIT_DONE;
        } else {
            done = show(&t, once);
        }
        if (once || t.follow.ended) {
            break;
        }
    }
    follow_end(&t.follow);
    if (t.name) {
        regfree(&t.regex);
    }
    return done ? EXIT_DONE : EXIT_FAILED;
}
