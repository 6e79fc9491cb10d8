/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_FUZZ_TARGETS_H
#define NVTXH_TEST_FUZZ_TARGETS_H
/* What is done to a recording, by name. */
#include "../../recorder/derive/derive.h"
#include "../../recorder/export/export.h"
#include "../../recorder/sums/compare.h"
#include "../../recorder/live/follow_rows.h"
#include "../../recorder/report/report.h"
#include "../../recorder/spans/recording_source.h"
#include "../../recorder/sums/tree.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static FILE *nowhere(void)
{
    FILE *out = fopen("/dev/null", "w");
    if (!out) {
        abort();
    }
    return out;
}

/* Gives the exporter a place of every kind. */
static void export_as(const struct export_format *format, struct recording *r)
{
    struct error error;
    struct export_folder folder = {.path = "nowhere"};
    struct export_job job = {.source = &r->source, .out = nowhere(), .path = ":memory:", .folder = &folder};

    export_write(format, &job, &error);
    fclose(job.out);
    export_folder_free(&folder);
}

static void run_stats(struct recording *r)
{
    struct span_totals totals;

    totals_count(r, &totals);
    for (int by = BY_RANGE; by <= BY_THREAD; by++) {
        struct summary s;
        summary_make(&s, &r->source, (enum summary_by)by);
        for (size_t i = 0; i < s.count; i++) {
            size_t size;
            free(summary_name(&s, &s.rows[i], true, &size));
        }
        summary_free(&s);
    }
    struct summary runs[6];
    for (size_t i = 0; i < 6; i++) {
        summary_make_with_drift(&runs[i], &r->source, 6);
    }
    for (size_t a_count = 1; a_count <= 3; a_count += 2) {
        struct comparison c;
        compare(&c, runs, a_count, a_count, 0.01);
        comparison_free(&c);
    }
    for (size_t i = 0; i < 6; i++) {
        summary_free(&runs[i]);
    }
}

static bool visit(void *arg, const struct tree_node *node)
{
    (void)arg;
    return node->level < 1000;
}

static void run_tree(struct recording *r)
{
    struct tree t;

    tree_make(&t, &r->source);
    tree_walk(&t, visit, NULL);
    tree_free(&t);
}

/* Two looks: the second finds nothing new. */
static void run_top(struct recording *r)
{
    char path[64];
    struct error error;
    struct follow_rows t;

    snprintf(path, sizeof(path), "/proc/self/fd/%d", r->fd);
    follow_rows_begin(&t, path, 1000000000);
    follow_rows_read(&t, &error);
    follow_rows_read(&t, &error);
    follow_rows_end(&t);
}

static void run_merge(struct recording *r)
{
    struct error error;
    struct source *part = &r->source;
    int fd = memfd_create("merged", MFD_CLOEXEC);

    if (fd < 0 || ftruncate(fd, REC_HEADER_SIZE) < 0) {
        abort();
    }
    merge_recordings(&part, NULL, 1, fd, &error);
    close(fd);
}

/* The other targets are the formats. */
static const struct {
    const char *name;
    void (*run)(struct recording *r);
} targets[] = {{"stats", run_stats}, {"tree", run_tree}, {"top", run_top}, {"merge", run_merge}};

#endif /* NVTXH_TEST_FUZZ_TARGETS_H */
