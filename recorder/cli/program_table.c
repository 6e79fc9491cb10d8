/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* nvtxh stats --program: what the whole program took. */
#include "cli.h"
#include "stats_tables.h"

static const struct report_column columns[] = {
    {"CPU (ns)", "cpu", REPORT_NS, 0, 0, "CPU", 2},
    {"User (ns)", "user", REPORT_NS, 0, 0, "User", 3},
    {"System (ns)", "system", REPORT_NS, 0, 0, "System", 4},
    {"Elapsed (ns)", "elapsed", REPORT_NS, 0, 0, "Elapsed", 5},
    {"Voluntary Switches", "voluntary", REPORT_NUMBER, 0, 0, "Waits", 6},
    {"Involuntary Switches", "preempted", REPORT_NUMBER, 0, 0, "Preempted", 7},
    {"Command", "command", REPORT_TEXT, 0, 0, NULL, 1},
};

static int print(const struct stats_table *table, struct source *source, const char *path,
                 const char *sort, const struct report_style *style) {
    const struct rec_usage *u = &source->usage;
    struct report report;
    (void)sort;

    if (!(u->user + u->system)) {
        return cli_fail("%s: the CPU time of its program is not known: only nvtxh record writes "
                        "it, when the program has ended; snapshots have none",
                        path);
    }
    report_begin(&report, columns, table->count);
    report_number(&report, (double)(u->user + u->system));
    report_number(&report, (double)u->user);
    report_number(&report, (double)u->system);
    report_number(&report, source->elapsed ? (double)source->elapsed : NAN);
    report_number(&report, (double)u->voluntary);
    report_number(&report, (double)u->preempted);
    report_string(&report, source->command);
    report_print(&report, style, stdout);
    report_free(&report);
    return EXIT_DONE;
}

const struct stats_table program_table = {"program", columns, sizeof(columns) / sizeof(columns[0]),
                                          false, print};
