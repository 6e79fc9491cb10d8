/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_FUZZ_TARGETS_H
#define NVTXH_TEST_FUZZ_TARGETS_H
/* What is done to a recording, by name. */
#include "../../recorder/export/export.h"
#include "../../recorder/export/parquet.h"
#include "../../recorder/live/follow.h"
#include "../../recorder/read/recording.h"
#include "../../recorder/report/losses.h"
#include "../../recorder/spans/totals.h"
#include "../../recorder/sums/compare.h"
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

#define FUZZ_EXPORT(name)                                                                          \
    static void run_##name(struct recording *r)                                                    \
    {                                                                                              \
        char error[256];                                                                           \
        FILE *out = nowhere();                                                                     \
        export_##name(r, out, error, sizeof(error));                                               \
        fclose(out);                                                                               \
    }
FUZZ_EXPORT(csv)
FUZZ_EXPORT(text)
FUZZ_EXPORT(chrome)
FUZZ_EXPORT(perfetto)
FUZZ_EXPORT(html)
FUZZ_EXPORT(speedscope)
FUZZ_EXPORT(firefox)
FUZZ_EXPORT(folded)

static void run_sqlite(struct recording *r)
{
    char error[256];
    export_sqlite(r, ":memory:", error, sizeof(error));
}

static void run_parquet(struct recording *r)
{
    char error[256];
    struct parquet_set set = {.directory = "nowhere"};

    export_parquet(r, &set, error, sizeof(error));
    parquet_set_free(&set);
}

static void run_stats(struct recording *r)
{
    struct span_totals totals;

    totals_count(r, &totals);
    for (int by = BY_RANGE; by <= BY_THREAD; by++) {
        struct summary s;
        summary_make(&s, r, (enum summary_by)by);
        for (size_t i = 0; i < s.count; i++) {
            size_t size;
            free(summary_name(&s, &s.rows[i], true, &size));
        }
        summary_free(&s);
    }
    struct summary runs[6];
    for (size_t i = 0; i < 6; i++) {
        summary_make_with_drift(&runs[i], r, 6);
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

    tree_make(&t, r);
    tree_walk(&t, visit, NULL);
    tree_free(&t);
}

/* Two looks: the second finds nothing new. */
static void run_top(struct recording *r)
{
    char path[64], error[256];
    struct follow f;

    snprintf(path, sizeof(path), "/proc/self/fd/%d", r->fd);
    follow_begin(&f, path, 1000000000);
    follow_read(&f, error, sizeof(error));
    follow_read(&f, error, sizeof(error));
    follow_busy(&f);
    follow_end(&f);
}

static void run_merge(struct recording *r)
{
    int fd = memfd_create("merged", MFD_CLOEXEC);

    if (fd < 0 || ftruncate(fd, REC_HEADER_SIZE) < 0) {
        abort();
    }
    merge_recordings(r, NULL, 1, fd);
    close(fd);
}

static const struct {
    const char *name;
    void (*run)(struct recording *r);
} targets[] = {{"csv", run_csv},           {"text", run_text},     {"chrome", run_chrome},
               {"perfetto", run_perfetto}, {"html", run_html},     {"speedscope", run_speedscope},
               {"firefox", run_firefox},   {"folded", run_folded}, {"sqlite", run_sqlite},
               {"parquet", run_parquet},   {"stats", run_stats},   {"tree", run_tree},
               {"top", run_top},           {"merge", run_merge}};

#endif /* NVTXH_TEST_FUZZ_TARGETS_H */
