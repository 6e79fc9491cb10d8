/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "../analysis/name.h"
#include "options.h"
#include "stats_tables.h"
#include "../util/memory.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>

static const char *const examples[] = {"nvtxh tree app.nvtxh",
                                       "nvtxh tree --depth 3 --min 1 app.nvtxh",
                                       "nvtxh tree --threads each app.nvtxh"};
static const char about[] =
    "Shows how the push/pop ranges of each thread were nested, over all domains. Ranges with the "
    "same name and the same parents are one row. The table also merges threads of one program "
    "whose names differ only in numbers. Self is the total without nested ranges. Share is the "
    "total's part of the time in which threads had any range open, as in nvtxh stats. Process "
    "ranges belong to no thread: see nvtxh stats. With --gpu, the tree shows the GPU operations "
    "that were launched in the ranges, and process ranges, too.";

enum {
    TOTAL,
    SELF,
    SHARE,
    INSTANCES,
    THREAD,
    DEPTH,
    RANGE,
    USUAL, /* how many columns there are without context switches */
    CPU = USUAL,
    BLOCKED,
    PREEMPTED,
    CPU_SHARE, /* CSV and JSON have it only with --columns */
    COLUMNS
};

static const struct report_column columns[COLUMNS] = {
    [TOTAL] = {"Total (ns)", "total", REPORT_NS, 0, 0, "Total", 2},
    [SELF] = {"Self (ns)", "self", REPORT_NS, 0, 0, "Self", 4},
    [SHARE] = {"Time (%)", "share", REPORT_SHARE, -1, 1, "Share", 3},
    [INSTANCES] = {"Instances", "instances", REPORT_NUMBER, 0, 0, "Count", 5},
    [THREAD] = {"Thread", "thread", REPORT_TEXT, 0, 0, "Thread", 0},
    /* people see the depth by indentation */
    [DEPTH] = {"Depth", "depth", REPORT_NUMBER, 0, 0, "Depth", 0},
    [RANGE] = {"Range", "range", REPORT_TEXT, 0, 0, "Range", 1},
    [CPU] = {"CPU (ns)", "cpu", REPORT_NS, 0, 0, "CPU", 0},
    [BLOCKED] = {"Blocked (ns)", "blocked", REPORT_NS, 0, 0, "Blocked", 0},
    [PREEMPTED] = {"Preempted (ns)", "preempted", REPORT_NS, 0, 0, "Preempted", 0},
    [CPU_SHARE] = {"CPU (%)", "cpu_share", REPORT_PERCENT, -1, 1, "CPU", 6},
};

struct printing {
    const struct tree *tree;
    const struct gpu *gpu; /* with --gpu; else NULL */
    struct report report;
    size_t columns; /* without --gpu */
    bool table;     /* for people */
    double least;   /* --min, in percent */
    bool hidden;    /* --min has left out a range */
    uint32_t depth; /* --depth */
    char *thread;   /* the name of the thread that is printed */
    size_t size;    /* bytes of `thread` */
};

/* Sets p->thread to the name of the node's thread. If the node stands for several threads (see
 * tree_make), sets it to their shared name and their number. */
static void name_threads(struct printing *p, const struct tree_node *node) {
    free(p->thread);
    /* the node of process ranges, or of operations without a range, has none */
    p->thread = !node->process ? must_copy("", p->size = 0)
                               : name_of_threads(p->tree->source, node->process, node->tid,
                                                 node->text, node->threads, &p->size);
}

static bool line(void *arg, const struct tree_node *node) {
    struct printing *p = arg;
    bool is_none = node == p->tree->nodes, is_thread = !is_none && node->level == 0;
    const struct gpu_row *row = p->gpu ? &p->gpu->rows[node - p->tree->nodes] : NULL;

    if (node->level == 0) {
        name_threads(p, node);
        if (is_thread && !p->table) {
            return true;
        }
    }
    double all = row ? p->gpu->busy.total : p->tree->busy;
    double share = all > 0 ? 100 * (row ? row->busy.total : node->total) / all : 0;
    bool is_short = !is_thread && share < p->least;
    p->hidden |= is_short;
    if (is_short || (!is_thread && node->level > p->depth)) {
        return false;
    }
    if (row) {
        gpu_cells(&p->report, p->gpu, row, is_thread);
    } else {
        report_number(&p->report, node->total);
        report_number(&p->report, is_thread ? NAN : node->self);
        report_number(&p->report, share);
        report_number(&p->report, is_thread ? NAN : (double)node->instances);
    }
    report_text(&p->report, p->thread, p->size);
    report_number(&p->report, is_none ? 0 : node->level - 1.0);
    if (row) {
        report_string(&p->report, is_none ? "None" : is_thread ? "" : span_style_names[row->style]);
    }
    if (node->level == 0) {
        const char *thread = p->size ? p->thread : "(process ranges)";
        report_string(&p->report, is_none ? "(no range)" : thread);
    } else {
        report_range(&p->report, p->tree->source, node->domain_name, node->text, node->color,
                     p->table ? 2 * (size_t)node->level : 0, p->table);
    }
    for (size_t i = CPU; !row && i < p->columns; i++) {
        report_number(&p->report, spans_time(node->off, node->total, (int)(i - CPU)));
    }
    return true;
}

/* Prints the tree. Returns the number of rows. */
static size_t print_tree(struct printing *p, const struct report_style *style) {
    p->table = style->form == REPORT_TABLE;
    p->columns = p->table || style->column_count        ? COLUMNS
                 : source_has_switches(p->tree->source) ? CPU_SHARE
                                                        : USUAL;
    report_begin(&p->report, p->gpu ? gpu_tree_columns : columns,
                 p->gpu ? GPU_TREE_COLUMNS : p->columns);
    report_stream(&p->report, style, stdout);
    tree_walk(p->tree, line, p);
    if (p->gpu && p->gpu->rows[0].ops) {
        line(p, p->tree->nodes);
    }
    size_t rows = p->report.rows;
    if (rows || !p->table) {
        report_print(&p->report, style, stdout);
        fflush(stdout);
    }
    free(p->thread);
    report_free(&p->report);
    return rows;
}

/* Returns an exit status. */
static int print_all(struct printing *p, const char *path, struct source *source,
                     const struct report_style *style) {
    size_t rows = print_tree(p, style);
    int status = EXIT_DONE;

    if (!rows && p->hidden) {
        cli_say("%s: every range has a share of less than %g %%", path, p->least);
    } else if (!rows && source->filter && source->filter->is_given) {
        status = options_no_match(p->gpu ? "no operation of a GPU" : "no push/pop range",
                                  source->filter, &source, 1, path);
    } else if (!rows && p->gpu) {
        cli_no_operations(path);
    } else if (!rows && !source->is_empty) {
        char *file = shell_file(path);
        cli_say("there are no push/pop ranges; nvtxh stats %s shows the rest", file);
        free(file);
    }
    losses_print_all(source, &p->tree->totals, stderr);
    return status;
}

/* Makes the tree. Without `gpu`, only g->tree is used. */
static bool make(struct gpu *g, struct source *source, bool gpu, bool merged, struct fold *fold,
                 struct error *ret_error) {
    enum gpu_by by = merged ? GPU_BY_MERGED_PATH : GPU_BY_PATH;
    bool is_made = true;

    fold_use(fold, &source, 1);
    do {
        gpu_free(g);
        if (gpu) {
            is_made = gpu_make(g, source, by, 1, ret_error);
        } else {
            tree_make(&g->tree, source, merged);
        }
        if (!source->fold) {
            tree_count_names(&g->tree, fold);
        }
    } while (is_made && !source->fold && fold_use(fold, &source, 1));
    cli_progress_done();
    return is_made;
}

int cmd_tree(int argc, char **argv) {
    static const char *const threads_words[] = {"merged", "each"};
    size_t threads = SIZE_MAX, which = SIZE_MAX;
    double depth = UINT32_MAX, least = 0;
    bool gpu = false;
    struct report_keys names = report_keys(columns, COLUMNS);
    report_keys_add(&names, gpu_tree_columns, GPU_TREE_COLUMNS);
    struct report_style style = REPORT_USUAL;
    struct filter filter = FILTER_ALL;
    const struct cli_option all[] = {
        {"depth", 0, "N", "no deeper than N ranges",
         .number = {&depth, 1, UINT32_MAX, "a number from 1 on"}},
        {"min", 0, "PERCENT",
         "leave out ranges whose share is less than PERCENT, and all ranges in them",
         .number = {&least, 0, 100, "a number from 0 to 100"}},
        {"threads", 0, "WHICH",
         "merge threads whose names differ only in numbers (the default of the table), or show "
         "each",
         .choice = {.ret = &threads, .words = threads_words, .count = 2}},
        {"gpu", 0, NULL, "the work of GPUs, by the ranges that launched it", .flag = &gpu},
        OPTIONS_NAMES(which),
        OPTIONS_FILTER(filter),
        OPTIONS_REPORT(style, names),
        {.name = NULL}};
    struct options o = {"tree", "[OPTION...] REC", about, NULL, all, ONE_TO_REPORT, examples};
    struct source *source;
    struct gpu g = {0};
    struct error error;

    options_parse(&o, argc, argv);
    const char *lacks =
        report_lacks(gpu ? gpu_tree_columns : columns, gpu ? GPU_TREE_COLUMNS : COLUMNS, &style);
    if (lacks) {
        return cli_usage("tree", "the table %s --gpu has no column %s", gpu ? "of" : "without",
                         lacks);
    }
    options_filter("tree", &filter);
    struct found_files found = options_recordings(&o, argv + optind, argc - optind);
    const char *path = found.paths[0];
    if (!(source = cli_open(found.paths, found.count))) {
        return EXIT_FAILED;
    }
    filter_use(&filter, source);
    bool merged = threads == SIZE_MAX ? style.form == REPORT_TABLE : threads == 0;
    struct fold fold = {.which = FOLD_OF(which, style)};
    bool is_made = make(&g, source, gpu, merged, &fold, &error);
    int status = is_made ? EXIT_FAILED : cli_fail("%s: %s", path, error.text);
    if (is_made && cli_was_read(source, path)) {
        struct printing p = {&g.tree, gpu ? &g : NULL, .least = least, .depth = (uint32_t)depth};
        status = print_all(&p, path, source, &style);
    }
    gpu_free(&g);
    filter_end(&filter);
    cli_close(source, path);
    found_files_free(&found);
    fold_free(&fold);
    return status;
}
