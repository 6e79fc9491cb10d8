/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_FUZZ_TARGETS_H
#define NVTXH_TEST_FUZZ_TARGETS_H
/* What is done to a recording, by name. */
#include "../../recorder/decode/merge.h"
#include "../../recorder/output/export.h"
#include "../../recorder/decode/follow.h"
#include "../../recorder/output/report.h"
#include "../../recorder/decode/recording_source.h"
#include "../../recorder/analysis/compare.h"
#include "../../recorder/analysis/gpu.h"
#include "../../recorder/analysis/name.h"
#include "../../recorder/analysis/ranks.h"
#include "../../recorder/analysis/tree.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static FILE *nowhere(void) {
    FILE *out = fopen("/dev/null", "w");
    if (!out) {
        abort();
    }
    return out;
}

/* Gives the exporter a place of every kind. A page compares the source with itself. */
static void export_as(const struct export_format *format, struct source *source) {
    struct error error;
    struct export_folder folder = {.path = "nowhere"};
    struct export_job job = {.source = source,
                             .against = source,
                             .against_name = "itself",
                             .out = nowhere(),
                             .path = ":memory:",
                             .folder = &folder};

    export_write(format, &job, &error);
    fclose(job.out);
    export_folder_free(&folder);
}

static void run_stats(struct recording *r) {
    struct span_totals totals;

    totals_count(r, &totals);
    for (int by = BY_RANGE; by <= BY_THREAD; by++) {
        struct summary s;
        summary_make(&s, &r->source, (enum summary_by)by);
        for (size_t i = 0; i < s.count; i++) {
            size_t size;
            free(name_of_row(&s, &s.rows[i], true, &size));
        }
        summary_free(&s);
    }
    struct summary runs[6];
    const struct gpu gpus[6] = {{0}};
    for (size_t i = 0; i < 6; i++) {
        summary_make_with_drift(&runs[i], &r->source, 6);
    }
    for (size_t a_count = 1; a_count <= 3; a_count += 2) {
        struct comparison c = {
            .alpha = 0.01, .lead = COMPARISON_MEDIAN, .tested = (1u << COMPARISON_SUM) - 1};
        compare(&c, runs, gpus, a_count, a_count);
        comparison_free(&c);
    }
    for (size_t i = 0; i < 6; i++) {
        summary_free(&runs[i]);
    }
}

static bool visit(void *arg, const struct tree_node *node) {
    (void)arg;
    return node->level < 1000;
}

static void run_tree(struct recording *r) {
    struct tree t;

    for (int merged = 0; merged < 2; merged++) {
        tree_make(&t, &r->source, merged);
        tree_walk(&t, visit, NULL);
        tree_free(&t);
    }
}

/* Two looks: the second finds nothing new. */
static void run_top(struct recording *r) {
    char path[64];
    struct error error;
    struct follow_rows t;

    snprintf(path, sizeof(path), "/proc/self/fd/%d", r->fd);
    follow_rows_begin(&t, path, 1000000000);
    follow_rows_read(&t, &error);
    follow_rows_read(&t, &error);
    follow_rows_end(&t);
}

static int new_file(void) {
    int fd = memfd_create("new", MFD_CLOEXEC);

    if (fd < 0 || ftruncate(fd, REC_HEADER_SIZE) < 0) {
        abort();
    }
    return fd;
}

static void run_merge(struct recording *r) {
    struct error error;
    struct source *part = &r->source;
    int fd = new_file();

    merge_recordings(&part, NULL, 1, fd, &error);
    close(fd);
}

static void run_snapshot(struct recording *r) {
    char path[64];
    struct error error;
    struct snapshot s = {.last = 1000000, .reason = "fuzz"};
    int fd = new_file();

    snprintf(path, sizeof(path), "/proc/self/fd/%d", r->fd);
    snapshot_write(&s, path, fd, &error);
    close(fd);
}

/* Each process is a rank, and two hosts have them in turn. */
static void run_ranks(struct recording *r) {
    struct ranks all = {0};

    for (uint32_t i = 0; i < r->source.process_count; i++) {
        r->source.processes[i].identity.rank = i;
        r->source.processes[i].host = i % 2 ? "b" : "a";
    }
    if (ranks_read(&all, &r->source) && all.row_count) {
        struct rank_arrivals a = rank_arrivals_make(&all, all.rows[0].range);
        free(rank_map_make(&all, &a, 3, 3).late);
        rank_arrivals_free(&a);
    }
    ranks_free(&all);
}

/* A recording has no work of a GPU, but all its ranges are entered and left. */
static void run_gpu(struct recording *r) {
    struct gpu work;
    struct error error;

    for (int by = 0; by <= GPU_BY_MERGED_PATH; by++) {
        gpu_make(&work, &r->source, (enum gpu_by)by, 1, &error);
        gpu_free(&work);
    }
}

/* The other targets are the formats. */
static const struct {
    const char *name;
    void (*run)(struct recording *r);
} targets[] = {{"stats", run_stats}, {"tree", run_tree},   {"gpu", run_gpu},
               {"top", run_top},     {"merge", run_merge}, {"snapshot", run_snapshot},
               {"ranks", run_ranks}};

#endif /* NVTXH_TEST_FUZZ_TARGETS_H */
