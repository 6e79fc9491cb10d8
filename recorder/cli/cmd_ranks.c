/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "options.h"
#include "../util/memory.h"
#include "../analysis/findings.h"
#include "../analysis/ranks.h"
#include "../output/report.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const examples[] = {"nvtxh ranks run", "nvtxh ranks --by rank run",
                                       "nvtxh ranks --fail-above 20 run"};
static const char about[] =
    "Compares the ranks of a job: for each range the slowest rank, by how much it is above the "
    "median rank, and how far the middle half of the ranks is spread. Ranks whose median instance "
    "is far longer than that of the others, or that start much later, are reported. Inside a "
    "barrier or collective, ranks wait for each other, so the rank that comes last has the "
    "shortest duration. For ranges that all ranks leave together, a row also shows which rank "
    "most often comes last, and how late. The clocks of several hosts are aligned by the ends of "
    "such a range; Error is the remaining uncertainty. A directory stands for all *.nvtxh in it "
    "and below.";

static void complain(const char *path, const char *what, uint32_t number) {
    char text[256];

    snprintf(text, sizeof(text), what, number); /* NOLINT(clang-diagnostic-format-nonliteral) */
    cli_fail("%s: %s", path, text);
}

static void say_missing(const struct ranks *all) {
    char list[256] = "";
    size_t missing = 0, next = 0;

    for (uint32_t number = 0; number < all->world; number++) {
        if (next < all->count && all->all[next].number == number) {
            next++;
        } else if (missing++ < 16) {
            text_append(list, sizeof(list), ", ", "%u", number);
        }
    }
    if (missing) {
        cli_say("%s %s%s of %u %s missing", PLURAL(missing, "rank", "ranks"), list,
                missing > 16 ? ", ..." : "", all->world, PLURAL(missing, "is", "are"));
    }
}

static void say_clocks(const struct ranks *all, bool fitted) {
    double error = 0;
    size_t left = 0;
    char text[64];

    for (size_t i = 0; i < all->host_count; i++) {
        error = fmax(error, all->hosts[i].error);
        left += !all->hosts[i].fitted;
    }
    figure_time(error, 0, 0, false, text);
    if (!fitted) {
        cli_say("there are %zu hosts, but no range was found that all ranks leave together at "
                "least three times, so the rows do not show which rank comes last; if there is "
                "such a range, name it by --align",
                all->host_count);
    } else if (all->host_count > 1) {
        cli_say("%zu clocks were aligned by %zu ends of %s; 95 %% of these ends now differ by at "
                "most %s",
                all->host_count, all->aligned_moments,
                string_table_get(&all->names, all->aligned_by), text);
    } else if (!all->aligned_by) {
        cli_say("no range was found that all ranks leave together; if there is one, name it by "
                "--align");
    }
    if (fitted && left) {
        cli_say(
            "%zu %s too few of these ends, so arrivals of their ranks are not compared with others",
            left, PLURAL(left, "host has", "hosts have"));
    }
}

enum { RANK_RANGE_COLUMNS = 20, RANK_COLUMNS = 12 };
static const struct report_column rank_range_columns[RANK_RANGE_COLUMNS] = {
    {"Range", "range", REPORT_TEXT, 0, 0, "Range", 1},
    {"Ranks", "ranks", REPORT_NUMBER, 0, 0, "Ranks", 11},
    {"Instances", "instances", REPORT_NUMBER, 1, 0, "Count", 12},
    {"Total Med (ns)", "total_med", REPORT_NS, 1, 0, "Total", 4},
    {"Total Min (ns)", "total_min", REPORT_NS, 0, 0, "Least", 14},
    {"Total Max (ns)", "total_max", REPORT_NS, 0, 0, "Most", 13},
    {"Spread (ns)", "spread", REPORT_NS, 1, 0, "Spread", 10},
    {"Imbalance (%)", "imbalance", REPORT_CHANGE, 2, 1, "Imbalance", 2},
    {"Slowest", "slowest", REPORT_NUMBER, 0, 0, "Slowest", 5},
    {"Slowest Host", "slowest_host", REPORT_TEXT, 0, 0, "Slowest on", 0},
    {"Outliers", "outliers", REPORT_NUMBER, 0, 0, "Outliers", 15},
    {"Last", "last", REPORT_NUMBER, 0, 0, "Last", 6},
    {"Last Host", "last_host", REPORT_TEXT, 0, 0, "Last on", 0},
    {"Last (%)", "last_share", REPORT_NUMBER, 1, 0, "Last %", 16},
    {"Late (ns)", "late", REPORT_NS, 1, 0, "Late", 7},
    {"Error (ns)", "error", REPORT_NS, 1, 0, "Error", 8},
    {"Median (ns)", "median", REPORT_NS, 1, 0, "Median", 9},
    {"Median Imbalance (%)", "median_imbalance", REPORT_CHANGE, 2, 1, "By median", 3},
    {"Straggler", "straggler", REPORT_NUMBER, 0, 0, "Straggler", 17},
    {"Stragglers", "stragglers", REPORT_NUMBER, 0, 0, "Stragglers", 18},
};

static const struct report_column rank_columns[RANK_COLUMNS] = {
    {"Rank", "rank", REPORT_NUMBER, 0, 0, "Rank", 1},
    {"Host", "host", REPORT_TEXT, 0, 0, "Host", 2},
    {"Last", "lasts", REPORT_NUMBER, 0, 0, "Was last", 3},
    {"Of", "of", REPORT_NUMBER, 0, 0, "Of", 8},
    {"Late (ns)", "late", REPORT_NS, 1, 0, "Late", 4},
    {"Error (ns)", "error", REPORT_NS, 1, 0, "Error", 5},
    {"Clock Ahead (ns)", "clock_ahead", REPORT_NS, 1, 0, "Clock ahead", 9},
    {"Clock Drift (ppm)", "clock_drift", REPORT_NUMBER, 4, 3, "Drift ppm", 10},
    {"Recording", "recording", REPORT_TEXT, 0, 0, "Recording", 12},
    {"Begins (ns)", "begins", REPORT_NS, 1, 0, "Begins", 11},
    {"GPU Busy (ns)", "gpu_busy", REPORT_NS, 0, 0, "GPU Busy", 6},
    {"GPU Idle (ns)", "gpu_idle", REPORT_NS, 0, 0, "GPU Idle", 7},
};

static const char *host_of(const struct ranks *all, const struct rank *rank) {
    return rank ? string_table_get(&all->names, all->hosts[rank->host].name) : "";
}

static double number_of_rank(const struct rank *rank) {
    return rank ? (double)rank->number : NAN;
}

static void rank_ranges_print(const struct ranks *all, const struct report_style *style,
                              FILE *out) {
    struct report r;

    report_begin(&r, rank_range_columns, RANK_RANGE_COLUMNS);
    report_stream(&r, style, out);
    for (size_t i = 0; i < all->row_count; i++) {
        const struct rank_row *row = &all->rows[i];
        const struct str *name = style->form == REPORT_TABLE
                                     ? rank_short_name(all, row->range)
                                     : string_table_at(&all->names, row->range);
        report_text(&r, name->bytes, name->size);
        report_number(&r, (double)row->ranks);
        report_number(&r, row->instances);
        report_number(&r, row->median);
        report_number(&r, row->least);
        report_number(&r, row->most);
        report_number(&r, row->spread);
        report_number(&r, row->imbalance);
        report_better(&r, row->outliers && !row->last ? -1 : 0);
        report_number(&r, number_of_rank(row->slowest));
        report_string(&r, host_of(all, row->slowest));
        report_number(&r, (double)row->outliers);
        report_number(&r, number_of_rank(row->last));
        report_string(&r, host_of(all, row->last));
        report_number(&r, row->last ? row->last_share : NAN);
        report_number(&r, row->last ? row->late : NAN);
        report_number(&r, row->last ? row->error : NAN);
        report_number(&r, row->typical);
        report_number(&r, row->typical_imbalance);
        report_number(&r, number_of_rank(row->straggler));
        report_number(&r, (double)row->stragglers);
    }
    report_print(&r, style, out);
    report_free(&r);
}

/* `minor`: the table follows another table, so it shows fewer rows. */
static void rank_ranks_print(const struct ranks *all, const struct rank_arrivals *a,
                             const struct report_style *style, bool minor, FILE *out) {
    struct report r;

    report_begin(&r, rank_columns, RANK_COLUMNS);
    r.minor = minor;
    for (size_t i = 0; i < all->count; i++) {
        const struct rank *rank = &all->all[i];
        const struct rank_host *h = &all->hosts[rank->host];
        bool known = a && h->fitted;
        report_number(&r, rank->number);
        report_string(&r, host_of(all, rank));
        report_number(&r, known ? (double)a->lasts[i] : NAN);
        report_number(&r, known ? (double)a->count : NAN);
        report_number(&r, known ? rank_late(all, a, rank) : NAN);
        report_number(&r, known ? rank_error(all, rank) : NAN);
        report_number(&r, h->fitted ? h->ahead : NAN);
        report_number(&r, h->fitted ? h->drift * 1e6 : NAN);
        report_string(&r, rank->path);
        report_number(&r, rank->after);
        bool used_gpu = rank->gpu_end > INT64_MIN;
        report_number(&r, used_gpu ? rank->gpu_busy.total : NAN);
        report_number(
            &r, used_gpu ? (double)(rank->gpu_end - rank->gpu_begin) - rank->gpu_busy.total : NAN);
    }
    report_sort(&r, a ? "lasts" : NULL);
    report_print(&r, style, out);
    report_free(&r);
}

enum { LINES_MOST = 24, LABEL = 16, SHADES = 5 }; /* LABEL: width of labels */

/* For people, prints how late ranks come to a range, over time. Darker is later. */
static void print_heat_map(const struct ranks *all, const struct rank_arrivals *a,
                           const struct report_style *style, FILE *out) {
    static const char *const blocks[] = {" ", "░", "▒", "▓", "█"};
    static const char *const letters[] = {" ", ".", ":", "+", "#"};
    struct terminal t = terminal_of(out, (enum report_color)style->color);
    size_t width = t.width ? t.width : 80;
    struct rank_map m =
        rank_map_make(all, a, LINES_MOST, width > LABEL + 10 ? width - LABEL - 1 : 10);
    char time[64];

    figure_time(m.most, 0, 0, t.utf8, time);
    fprintf(out, "\nHow late ranks come to %s, over time; %s: %s or more\n",
            string_table_get(&all->names, all->aligned_by), t.utf8 ? blocks[4] : letters[4], time);
    for (size_t l = 0; l < m.lines; l++) {
        size_t from = rank_map_at(&m, l), to = rank_map_at(&m, l + 1) - 1;
        char label[64];
        if (from == to) {
            snprintf(label, sizeof(label), "rank %u", all->all[from].number);
        } else {
            snprintf(label, sizeof(label), "%u to %u", all->all[from].number, all->all[to].number);
        }
        fprintf(out, "%-*.*s ", LABEL, LABEL, label);
        for (size_t c = 0; c < m.columns; c++) {
            double late = m.late[l * m.columns + c];
            double part = late > 0 && m.most > 0 ? late / m.most : 0;
            size_t shade = (size_t)(fmin(part, 1) * (SHADES - 1) + 0.5);
            fputs(isnan(late) ? "?" : t.utf8 ? blocks[shade] : letters[shade], out);
        }
        fputc('\n', out);
    }
    free(m.late);
}

static void print_ranks(const struct ranks *all, bool by_rank, const struct report_style *style) {
    bool people = style->form == REPORT_TABLE && !style->column_count;
    bool is_aligned = all->aligned_by != 0;
    struct rank_arrivals a = {0};

    if (is_aligned) {
        a = rank_arrivals_make(all, all->aligned_by);
    }
    if (!by_rank) {
        rank_ranges_print(all, style, stdout);
    }
    if (by_rank || (people && is_aligned)) {
        struct report_style own = *style;
        if (!by_rank) { /* only a few ranks follow the table of ranges */
            putchar('\n');
            own.limit = isnan(style->limit) ? 5 : style->limit;
        }
        rank_ranks_print(all, is_aligned ? &a : NULL, &own, !by_rank, stdout);
    }
    if (people && a.count) {
        print_heat_map(all, &a, style, stdout);
    }
    fflush(stdout);
    rank_arrivals_free(&a);
}

/* Prints findings, and reports ranges whose imbalance is above `limit` percent. */
static int conclude(const struct ranks *all, double limit, const struct report_style *style) {
    struct findings f = findings_of_ranks(all);
    size_t over = 0;

    cli_findings(&f, style);
    fflush(stdout);
    for (size_t i = 0; i < all->row_count; i++) {
        const struct rank_row *row = &all->rows[i];
        if (row->is_worth && row->imbalance > limit) {
            cli_say("%s: rank %u is %.1f %% above the median rank",
                    rank_short_name(all, row->range)->bytes, row->slowest->number, row->imbalance);
            over++;
        }
    }
    return over ? EXIT_REGRESSION : EXIT_DONE;
}

static int compare_ranks(struct ranks *all, const char *align, bool by_rank, double limit,
                         const struct report_style *style) {
    uint32_t range = align ? string_table_add(&all->names, align, strlen(align)) : 0;

    if (align && !map_find(&all->ranges, range)) {
        struct known_names names = {0};
        struct map_slot *ranges = map_sorted(&all->ranges);
        for (size_t i = 0; i < all->ranges.count; i++) {
            uint32_t text = (uint32_t)ranges[i].key;
            known_names_add(&names, must_copy(string_table_get(&all->names, text), SIZE_MAX));
        }
        free(ranges);
        return known_names_lack(&names, "no range is named", align, false, "");
    }
    bool fitted = ranks_compare(all, range);
    say_missing(all);
    if (all->left_out) {
        cli_say("%llu %s of ranges %s left out: there are more than %d different names of ranges",
                (unsigned long long)all->left_out, PLURAL(all->left_out, "instance", "instances"),
                PLURAL(all->left_out, "is", "are"), RANKS_NAMES);
    }
    say_clocks(all, fitted);
    print_ranks(all, by_rank, style);
    return conclude(all, limit, style);
}

int cmd_ranks(int argc, char **argv) {
    static const char *const groups[] = {"range", "rank"};
    struct report_keys names = report_keys(rank_range_columns, RANK_RANGE_COLUMNS);
    report_keys_add(&names, rank_columns, RANK_COLUMNS);
    const char *align = NULL;
    size_t by = 0;
    double limit = INFINITY;
    struct report_style style = REPORT_USUAL;
    const struct cli_option options[] = {
        {"align", 0, "RANGE",
         "the barrier or collective (DOMAIN:MESSAGE) that all ranks leave at the same time; "
         "nvtxh looks for one if not given",
         .text = &align},
        {"by", 0, "WHAT", "one row for each WHAT (range if not given)",
         .choice = {.ret = &by, .words = groups, .count = 2}},
        {"fail-above", 0, "PERCENT",
         "exit status 3 if the slowest rank is above the median rank by more than PERCENT; short "
         "ranges, and those in which ranks wait for each other, do not count",
         .number = {&limit, 0, 1e9, "a percentage"}},
        OPTIONS_REPORT(style, names),
        {.name = NULL}};
    struct options o = {"ranks", "[OPTION...] DIR|REC...", about, NULL, options, RECORDINGS,
                        examples};
    struct ranks all = {.complain = complain};
    int status = EXIT_FAILED;

    options_parse(&o, argc, argv);
    if (optind >= argc) {
        return cli_usage("ranks", "no recordings given");
    }
    const char *lacks = by ? report_lacks(rank_columns, RANK_COLUMNS, &style)
                           : report_lacks(rank_range_columns, RANK_RANGE_COLUMNS, &style);
    if (lacks) {
        return cli_usage("ranks", "--columns: the table by %s has no column %s", groups[by], lacks);
    }
    struct found_files found = found_files(argv + optind, (size_t)(argc - optind));
    struct error error;
    bool was_read = true;
    size_t opened = 0;
    for (size_t i = 0; was_read && i < found.count; i++) {
        struct source *s = cli_open(&found.paths[i], 1);
        if (s) {
            opened++;
            bool is_added = ranks_add(&all, s, found.paths[i], &error);
            was_read = cli_was_read(s, found.paths[i]) &&
                       (is_added || cli_fail("%s", error.text) == EXIT_DONE);
            cli_close(s, found.paths[i]);
        }
    }
    if (all.count && was_read) {
        status = compare_ranks(&all, align, by == 1, limit, &style);
    } else if (was_read && (opened || !found.count)) {
        cli_fail(opened ? "there is no rank in these recordings; nvtxh tree and nvtxh stats "
                          "--by thread show each process"
                        : "there is no rank in any file");
    }
    ranks_free(&all);
    found_files_free(&found);
    return status;
}
