/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "commands.h"
#include "options.h"
#include "../read/registry.h"
#include "../read/tree.h"
#include "../report/losses.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char about[] =
    "The push/pop ranges of each thread as they were nested, over all domains; ranges of one name "
    "in one place are counted together. Total is their time, self the part of it that was not in "
    "ranges nested in them; percentages are of the thread's time in ranges. Process ranges "
    "belong to no thread: see nvtxh stats.";

enum { TOTAL, SELF, SHARE, INSTANCES, THREAD, DEPTH, RANGE, COLUMNS };

static const struct report_column columns[COLUMNS] = {
    [TOTAL] = {"Total (ns)", "total", REPORT_NUMBER, 0, 0},
    [SELF] = {"Self (ns)", "self", REPORT_NUMBER, 0, 0},
    [SHARE] = {"Time (%)", "share", REPORT_NUMBER, 1, 1},
    [INSTANCES] = {"Instances", "instances", REPORT_NUMBER, 0, 0},
    [THREAD] = {"Thread", "thread", REPORT_TEXT, 0, 0},
    [DEPTH] = {"Depth", "depth", REPORT_NUMBER, 0, 0},
    [RANGE] = {"Range", "range", REPORT_TEXT, 0, 0},
};

struct printing {
    const struct tree *tree;
    struct report report;
    bool table;
    double least, thread_total;
    uint32_t depth;
    char thread[256];
};

enum { DEEPEST = 40 }; /* levels that are shown by indentation */

static void name_cell(struct printing *p, const struct tree_node *node)
{
    const struct texts *texts = &p->tree->recording->texts;
    char spaces[2 * DEEPEST];
    struct text indent = {.bytes = spaces}, colon = {.bytes = (char *)":"};
    const struct text *text = texts_at(texts, node->text);
    size_t size;

    memset(spaces, ' ', sizeof(spaces));
    indent.size = p->table ? 2 * (node->level < DEEPEST ? node->level - 1 : DEEPEST - 1) : 0;
    colon.size = node->domain_name ? 1 : 0;
    text = node->text || !p->table ? text : &texts_no_message;
    char *name = texts_join(
        (const struct text *const[]){&indent, texts_at(texts, node->domain_name), &colon, text}, 4,
        &size);
    report_text(&p->report, name, size);
    free(name);
}

static void thread_cell(struct printing *p, const struct tree_node *node)
{
    const struct recording *r = p->tree->recording;
    const char *name = texts_get(&r->texts, registry_thread(node->process, node->tid));
    const char *exe = texts_get(&r->texts, node->process->exe);
    const char *slash = strrchr(exe, '/');
    const char *what = *name                                  ? name
                       : node->tid == node->process->info.pid ? (slash ? slash + 1 : exe)
                                                              : "";

    snprintf(p->thread, sizeof(p->thread), "%u%s%s", node->tid, *what ? " " : "", what);
    if (r->process_count > 1) {
        size_t used = strlen(p->thread);
        const char *host = recording_host(r, node->process);
        snprintf(p->thread + used, sizeof(p->thread) - used, " of process %u%s%s",
                 node->process->info.pid, *host ? " on " : "", host);
    }
}

static bool line(void *arg, const struct tree_node *node)
{
    struct printing *p = arg;
    bool is_thread = node->level == 0;

    if (is_thread) {
        p->thread_total = node->total;
        thread_cell(p, node);
        if (!p->table) {
            return true;
        }
    }
    double share = p->thread_total > 0 ? 100 * node->total / p->thread_total : 0;
    if (!is_thread && (share < p->least || node->level > p->depth)) {
        return false;
    }
    report_number(&p->report, node->total);
    report_number(&p->report, is_thread ? NAN : node->self);
    report_number(&p->report, share);
    report_number(&p->report, is_thread ? NAN : (double)node->instances);
    report_text(&p->report, p->thread, p->table && !is_thread ? 0 : strlen(p->thread));
    if (!p->table) {
        report_number(&p->report, node->level - 1);
    }
    if (is_thread) {
        report_number(&p->report, NAN);
    } else {
        name_cell(p, node);
    }
    return true;
}

static bool print(const struct tree *t, double least, uint32_t depth, enum report_form form)
{
    struct printing p = {.tree = t, .least = least, .depth = depth, .table = form == REPORT_TABLE};
    struct report_column shown[COLUMNS];
    size_t count = 0;

    for (size_t i = 0; i < COLUMNS; i++) {
        if (i != DEPTH || !p.table) { /* people see it by the indentation */
            shown[count++] = columns[i];
        }
    }
    report_begin(&p.report, shown, count);
    tree_walk(t, line, &p);
    bool done = report_print(&p.report, form, stdout);
    report_free(&p.report);
    return done;
}

int cmd_tree(int argc, char **argv)
{
    double depth = UINT32_MAX, least = 0;
    enum report_form form = REPORT_TABLE;
    const struct cli_option all[] = {
        {"depth", 0, "N", "no deeper than N ranges",
         .number = {&depth, 1, UINT32_MAX, "a number from 1 on"}},
        {"min", 0, "PERCENT", "leave out what has less of its thread's time, with all below it",
         .number = {&least, 0, 100, "a number from 0 to 100"}},
        OPTIONS_REPORT(form),
        {.name = NULL}};
    struct options o = {"tree", "[OPTION...] REC", about, NULL, all, ONE_RECORDING};
    struct recording r;
    struct tree t;

    options_parse(&o, argc, argv);
    if (!cli_open(&r, argv[optind])) {
        return EXIT_FAILED;
    }
    tree_make(&t, &r);
    cli_progress_done();
    bool done = print(&t, least, (uint32_t)depth, form);
    fflush(stdout);
    losses_print_all(&r, &t.totals, stderr);
    tree_free(&t);
    cli_close(&r, argv[optind]);
    return done ? EXIT_DONE : EXIT_FAILED;
}
