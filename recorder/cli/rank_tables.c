/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rank_tables.h"

const struct report_column rank_range_columns[RANK_RANGE_COLUMNS] = {
    {"Range", "range", REPORT_TEXT, 0, 0, "Range", 1},
    {"Ranks", "ranks", REPORT_NUMBER, 0, 0, "Ranks", 9},
    {"Instances", "instances", REPORT_NUMBER, 1, 0, "Count", 10},
    {"Total Med (ns)", "total_med", REPORT_NS, 1, 0, "Total", 3},
    {"Total Min (ns)", "total_min", REPORT_NS, 0, 0, "Least", 12},
    {"Total Max (ns)", "total_max", REPORT_NS, 0, 0, "Most", 11},
    {"Spread (ns)", "spread", REPORT_NS, 1, 0, "Spread", 8},
    {"Imbalance (%)", "imbalance", REPORT_CHANGE, 2, 1, "Imbalance", 2},
    {"Slowest", "slowest", REPORT_NUMBER, 0, 0, "Slowest", 4},
    {"Slowest Host", "slowest_host", REPORT_TEXT, 0, 0, "Slowest on", 0},
    {"Outliers", "outliers", REPORT_NUMBER, 0, 0, "Outliers", 13},
    {"Last", "last", REPORT_NUMBER, 0, 0, "Last", 5},
    {"Last Host", "last_host", REPORT_TEXT, 0, 0, "Last on", 0},
    {"Last (%)", "last_share", REPORT_NUMBER, 1, 0, "Last %", 14},
    {"Late (ns)", "late", REPORT_NS, 1, 0, "Late", 6},
    {"Error (ns)", "error", REPORT_NS, 1, 0, "Error", 7},
};

const struct report_column rank_columns[RANK_COLUMNS] = {
    {"Rank", "rank", REPORT_NUMBER, 0, 0, "Rank", 1},
    {"Host", "host", REPORT_TEXT, 0, 0, "Host", 2},
    {"Last", "lasts", REPORT_NUMBER, 0, 0, "Last", 3},
    {"Of", "of", REPORT_NUMBER, 0, 0, "Of", 6},
    {"Late (ns)", "late", REPORT_NS, 1, 0, "Late", 4},
    {"Error (ns)", "error", REPORT_NS, 1, 0, "Error", 5},
    {"Clock Ahead (ns)", "clock_ahead", REPORT_NS, 1, 0, "Clock ahead", 7},
    {"Clock Drift (ppm)", "clock_drift", REPORT_NUMBER, 4, 3, "Drift ppm", 8},
    {"Recording", "recording", REPORT_TEXT, 0, 0, "Recording", 9},
};

static const char *host_of(const struct ranks *all, const struct rank *rank)
{
    return rank ? texts_get(&all->names, all->hosts[rank->host].name) : "";
}

static double number_of(const struct rank *rank)
{
    return rank ? (double)rank->number : NAN;
}

void rank_ranges_print(const struct ranks *all, const struct rank_row *rows, size_t count,
                       const struct report_style *style, FILE *out)
{
    struct report r;

    report_begin(&r, rank_range_columns, RANK_RANGE_COLUMNS);
    report_stream(&r, style, out);
    for (size_t i = 0; i < count; i++) {
        const struct rank_row *row = &rows[i];
        const struct text *name = texts_at(&all->names, row->range);
        report_text(&r, name->bytes, name->size);
        report_number(&r, (double)row->ranks);
        report_number(&r, row->instances);
        report_number(&r, row->median);
        report_number(&r, row->least);
        report_number(&r, row->most);
        report_number(&r, row->spread);
        report_number(&r, row->imbalance);
        report_tone(&r, row->outliers && !row->last ? -1 : 0);
        report_number(&r, number_of(row->slowest));
        report_string(&r, host_of(all, row->slowest));
        report_number(&r, (double)row->outliers);
        report_number(&r, number_of(row->last));
        report_string(&r, host_of(all, row->last));
        report_number(&r, row->last ? row->last_share : NAN);
        report_number(&r, row->last ? row->late : NAN);
        report_number(&r, row->last ? row->error : NAN);
    }
    report_print(&r, style, out);
    report_free(&r);
}

void rank_ranks_print(const struct ranks *all, const struct rank_arrivals *a,
                      const struct report_style *style, bool minor, FILE *out)
{
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
    }
    if (a) {
        report_sort(&r, 2);
    }
    report_print(&r, style, out);
    report_free(&r);
}
