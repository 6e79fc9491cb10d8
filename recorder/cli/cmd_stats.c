/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "../text/csv.h"
#include "../text/table.h"
#include "../text/utf8.h"
#include "../read/losses.h"
#include "../read/summary.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: nvtxh stats [--csv] REC\n\n"
    "For each range, over all threads and processes of the recording: its share of the time of "
    "all\n"
    "ranges, total, number, average, median, shortest, longest, standard deviation, in "
    "nanoseconds. Nested\n"
    "ranges count in each other. Marks are counted below. A range in a domain is named "
    "domain:message.\n\n"
    "      --csv   the same as comma-separated values, marks as rows without times\n";

static const char *const columns[] = {
    "Time (%)", "Total Time (ns)", "Instances",   "Avg (ns)", "Med (ns)",
    "Min (ns)", "Max (ns)",        "StdDev (ns)", "Style",    "Range"};
#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static const char *const styles[] = {"PushPop", "StartEnd", "Mark"};

/* domain:message, or the bare message in the default domain. Free it. */
static char *range_name(const struct recording *r, const struct summary_row *row, size_t *ret_size)
{
    const struct text empty = {.bytes = (char *)""};
    const struct text *domain = row->domain_name ? &r->texts.all[row->domain_name] : &empty;
    const struct text *text = row->text ? &r->texts.all[row->text] : &empty;
    size_t colon = row->domain_name ? 1 : 0;
    char *name = must_alloc(NULL, domain->size + colon + text->size + 1, 1);

    memcpy(name, domain->bytes, domain->size);
    if (colon) {
        name[domain->size] = ':';
    }
    memcpy(name + domain->size + colon, text->bytes, text->size);
    *ret_size = domain->size + colon + text->size;
    name[*ret_size] = 0;
    return name;
}

static void print_csv(const struct recording *r, const struct summary *s)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        printf("%s%s", i ? "," : "", columns[i]);
    }
    putchar('\n');
    for (size_t i = 0; i < s->count; i++) {
        const struct summary_row *row = &s->rows[i];
        size_t size;
        char *name = range_name(r, row, &size);
        if (row->style == SPAN_MARK) {
            printf(",,%llu,,,,,,Mark,", (unsigned long long)row->instances);
        } else {
            printf("%.1f,%.0f,%llu,%.1f,%.1f,%llu,%llu,%.1f,%s,",
                   s->total > 0 ? 100 * row->total / s->total : 0.0, row->total,
                   (unsigned long long)row->instances, row->average, row->median,
                   (unsigned long long)row->min, (unsigned long long)row->max, row->deviation,
                   styles[row->style]);
        }
        csv_field(stdout, name, size);
        putchar('\n');
        free(name);
    }
}

static void number_cell(struct table *t, double number)
{
    char buffer[32];
    table_cell(t, with_commas((unsigned long long)(number + 0.5), buffer));
}

static void name_cell(struct table *t, const struct recording *r, const struct summary_row *row)
{
    size_t size;
    char *name = range_name(r, row, &size);
    char *shown = printable(name, size, 120);

    table_cell(t, shown);
    free(shown);
    free(name);
}

static void print_ranges(const struct recording *r, const struct summary *s)
{
    struct table t;
    char share[32];

    table_begin(&t, COLUMNS);
    t.left[COLUMNS - 2] = t.left[COLUMNS - 1] = true;
    for (size_t i = 0; i < COLUMNS; i++) {
        table_cell(&t, columns[i]);
    }
    for (size_t i = 0; i < s->count && s->rows[i].style != SPAN_MARK; i++) {
        const struct summary_row *row = &s->rows[i];
        snprintf(share, sizeof(share), "%.1f", s->total > 0 ? 100 * row->total / s->total : 0.0);
        table_cell(&t, share);
        number_cell(&t, row->total);
        number_cell(&t, (double)row->instances);
        number_cell(&t, row->average);
        number_cell(&t, row->median);
        number_cell(&t, (double)row->min);
        number_cell(&t, (double)row->max);
        number_cell(&t, row->deviation);
        table_cell(&t, styles[row->style]);
        name_cell(&t, r, row);
    }
    table_print(&t, stdout);
}

static void print_marks(const struct recording *r, const struct summary *s)
{
    struct table t;

    table_begin(&t, 2);
    t.left[1] = true;
    table_cell(&t, "Instances");
    table_cell(&t, "Mark");
    for (size_t i = 0; i < s->count; i++) {
        if (s->rows[i].style == SPAN_MARK) {
            number_cell(&t, (double)s->rows[i].instances);
            name_cell(&t, r, &s->rows[i]);
        }
    }
    table_print(&t, stdout);
}

/* What the numbers do not contain, one line each, so that nobody takes them for more than they are.
 */
static void print_notes(const struct recording *r, const struct span_totals *t)
{
    if (t->dropped) {
        fprintf(stderr, "nvtxh: %llu events were dropped: the recording is not complete\n",
                (unsigned long long)t->dropped);
    }
    if (t->open) {
        fprintf(stderr, "nvtxh: %llu ranges had no end and were given that of their process\n",
                (unsigned long long)t->open);
    }
    if (t->pops + t->lost[REC_LOSS_POP] + t->ends) {
        fprintf(stderr, "nvtxh: %llu pops and %llu ends of process ranges had no beginning\n",
                (unsigned long long)t->pops + t->lost[REC_LOSS_POP], (unsigned long long)t->ends);
    }
    losses_print(t, stderr);
    losses_print_unknown(t, stderr);
    if (r->process_count == 0) {
        fprintf(stderr, "nvtxh: the recording is empty: the program made no NVTX call\n");
    }
}

int cmd_stats(int argc, char **argv)
{
    static const struct option options[] = {
        {"csv", no_argument, NULL, 'c'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    bool csv = false;
    int option;
    struct recording r;
    struct summary s;

    opterr = 0;
    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        switch (option) {
        case 'c':
            csv = true;
            break;
        case 'h':
            fputs(usage, stdout);
            return EXIT_DONE;
        default:
            return cli_bad_option("stats", argc, argv);
        }
    }
    if (optind != argc - 1) {
        return cli_usage("stats", optind < argc ? "one recording at a time" : "which recording?");
    }
    if (!cli_open(&r, argv[optind])) {
        return EXIT_FAILED;
    }
    summary_make(&s, &r);
    if (csv) {
        print_csv(&r, &s);
    } else {
        print_ranges(&r, &s);
        if (s.count && s.rows[s.count - 1].style == SPAN_MARK) {
            putchar('\n');
            print_marks(&r, &s);
        }
    }
    fflush(stdout);
    print_notes(&r, &s.totals);
    summary_free(&s);
    cli_close(&r, argv[optind]);
    return EXIT_DONE;
}
