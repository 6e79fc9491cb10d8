/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* What `nvtxh top` shows. */
#include "../analysis/filter.h"
#include "../decode/follow.h"
#include "../output/report.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

enum { TOP_NOW, TOP_COLUMNS = 12 };
extern const struct report_column top_columns[TOP_COLUMNS];

struct top {
    struct follow_rows rows;
    struct report_style style;
    size_t sort;          /* index in top_columns of the column to sort by */
    struct filter filter; /* only its `name` is used: the pattern of the names that are shown */
    char pattern[200];    /* which the user has typed: filter.name may be this */
    bool nest;            /* show which ranges are open now, in place of figures */
};

/* Prints the rows that `t` selects. For people, a line above the rows says how long the recording
 * has run, how many threads are busy and how many events were dropped. */
void top_print(const struct top *t, FILE *out);

/* If the filter matches no name, says so, and returns EXIT_FAILED; else EXIT_DONE. */
int top_no_match(const struct top *t);

/* Whether `nvtxh top` can use the whole terminal and react to keys. This needs ncurses, and a
 * terminal that ncurses knows. If nvtxh was built without ncurses, this function and
 * top_screen are NULL. */
__attribute__((weak)) bool top_screen_is_possible(void);

/* Shows the recording anew every `seconds` seconds until the user quits. False with a message. */
__attribute__((weak)) bool top_screen(struct top *t, double seconds, struct error *ret_error);

/* A program that `nvtxh top` runs and shows. `nvtxh record` records it, to a file that is removed
 * at the end. While `nvtxh top` uses the whole terminal, what the program prints is kept; it is
 * printed at the end. */
struct top_program {
    pid_t pid;   /* pid of nvtxh record; 0: it has ended */
    int status;  /* wait status of nvtxh record, when it has ended */
    bool screen; /* nvtxh top uses the whole terminal */
    int printed; /* if `screen`: descriptor of a nameless file with what the program prints */
    char folder[PATH_MAX - 16], rec[PATH_MAX]; /* a temporary folder, and in it the recording */
};

/* Runs the program, and returns when there is a recording to read. With `screen`, the program
 * does not get the terminal; without `screen`, its stdout goes to our stderr. False: there is no
 * recording, and a message says why. Then call only top_program_end. */
bool top_program_begin(struct top_program *p, char **argv, bool screen);

bool top_program_has_ended(struct top_program *p);

/* Whether SIGTERM or SIGHUP has arrived. nvtxh top then stops; the program gets the signal, too. */
bool top_program_is_told(void);

/* Waits for the program, prints the output that was kept, and removes the recording. Returns the
 * exit status of nvtxh record, normally that of the program. */
int top_program_end(struct top_program *p);
