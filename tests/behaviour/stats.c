/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "counted.h"

#include <time.h>

NVTX_DOMAIN(train, "train");

/* While statistics are off, nothing is counted. What begins while they are on is counted, even if
 * it ends later. */
static void on_and_off(void **state) {
    (void)state;
    assert_int_equal(nvtxh_stats_enabled(), compiled_in);
    nvtxh_stats_enable(false);
    assert_false(nvtxh_stats_enabled());
    {
        NVTX_SCOPE("off");
        nvtxh_stats_enable(true);
    }
    counts("off", 0);
    {
        NVTX_SCOPE("on");
        nvtxh_stats_enable(false);
    }
    counts("on", 1);
    { NVTX_SCOPE("on again"); }
    counts("on again", 0);
}

/* Every macro is counted at its place, except those for tools alone. */
static void macros(void **state) {
    struct nvtxh_stats rows[16];
    const unsigned line = __LINE__ + 7; /* of the first scope */
    size_t n = 77;
    int i;

    (void)state;
    (void)line;
    for (i = 0; i < 3; i++) {
        NVTX_SCOPE("scope", .payload = nvtxh_payload(counted(i)));
        NVTX_SCOPEF("formatted %d", counted(i));
        NVTX_FUNC(.domain = &train);
        NVTXH_SCOPE_NVTX_ONLY("tools only", .color = NVTXH_RED);
        NVTX_MARK("mark");
        NVTX_MARKF("mark %d", i);
        NVTX_PUSH("push", .domain = &train);
        NVTXH_PUSHF("push %d", i);
        NVTX_POP();
        NVTX_POP(.domain = &train);
        NVTX_END(NVTX_START("start"));
        nvtxh_end(NVTXH_STARTF("start %d", i));
    }
    assert_int_equal(evaluated, compiled_in ? 6 : 0);
    counts("scope", 3);
    counts("formatted %d", 3);
    counts("macros", 3);
    counts("train:macros", 3);
    counts("other:macros", 0);
    counts("tools only", 0);
    counts("mark", 3);
    counts("mark %d", 3);
    counts("push", 3);
    counts("push %d", 3);
    counts("start", 3);
    counts("start %d", 3);
    assert_true(nvtxh_stats_read(rows, 16, &n));
    assert_int_equal(n, compiled_in ? 9 : 0);
    assert_true(nvtxh_stats_read(rows, n, &n)); /* as many as there are */
    if (compiled_in) {
        assert_string_equal(rows[0].message, "scope");
        assert_null(rows[0].domain);
        assert_string_equal(rows[0].function, "macros");
        assert_string_equal(rows[0].file, __FILE__);
        assert_int_equal(rows[0].line, line);
        assert_int_equal(rows[0].kind, NVTXH_STATS_SCOPE);
        assert_string_equal(rows[2].domain, "train");
        assert_int_equal(rows[3].kind, NVTXH_STATS_MARK);
        assert_int_equal(rows[3].total_ns + rows[3].max_ns + rows[3].median_ns, 0);
        assert_int_equal(rows[5].kind, NVTXH_STATS_PUSH);
        assert_int_equal(rows[8].kind, NVTXH_STATS_RANGE);
        assert_false(nvtxh_stats_read(rows, 2, &n));
        assert_int_equal(n, 9);
    }
}

/* All on one line, where it stands. */
#define ALL_ROWS(function)                                                                         \
    static void function(void) {                                                                   \
        NVTX_SCOPE("row");                                                                         \
        NVTX_SCOPE("other row");                                                                   \
        NVTX_SCOPE("row", .domain = &train);                                                       \
        NVTX_MARK("row");                                                                          \
        NVTX_PUSH("row");                                                                          \
        NVTX_POP();                                                                                \
        NVTX_END(NVTX_START("row"));                                                               \
    }
#define ROWS_TWICE(first, second) ALL_ROWS(first) ALL_ROWS(second)
ROWS_TWICE(passed_once, passed_twice)

/* Annotations of one line are one row if message, domain, kind and function are the same. */
static void one_line(void **state) {
    struct nvtxh_stats rows[16];
    size_t n, i;

    (void)state;
    passed_once();
    passed_twice();
    passed_twice();
    assert_true(nvtxh_stats_read(rows, 16, &n));
    assert_int_equal(n, compiled_in ? 12 : 0);
    for (i = 0; i < n; i++) {
        assert_int_equal(rows[i].count, i < 6 ? 1 : 2);
        assert_string_equal(rows[i].function, i < 6 ? "passed_once" : "passed_twice");
        assert_int_equal(rows[i].line, rows[0].line);
    }
}

/* The tool is slow, because it logs every event. So times that include its calls are not exact. */
static uint64_t now(void) {
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t spin(uint64_t ns) {
    uint64_t begin = now(), end;

    do
        end = now();
    while (end - begin < ns);
    return end - begin;
}

/* At least `expected`, and at most the time since `began`, because the system may stop the
 * program at any place. */
#define near(ns, expected)                                                                         \
    do {                                                                                           \
        assert_true((ns) + (ns) / 100 + 2000 >= (expected));                                       \
        assert_true((ns) <= now() - began + (ns) / 100 + 2000);                                    \
    } while (0)

/* Equal but for the clock, whose rate is known better at each reading. */
static void is_nearly(uint64_t ns, uint64_t other_ns) {
    uint64_t least = other_ns - other_ns / 100000;

    assert_in_range(ns + 5, least, least + other_ns / 50000 + 10);
}

/* Self time excludes nested scopes and pushes of the same thread. */
static void nesting(void **state) {
    const uint64_t began = now();
    uint64_t outer, inner, pushed;

    (void)state;
    (void)began;
    {
        NVTX_SCOPE("outer");
        outer = spin(3000000);
        {
            NVTX_SCOPE("inner");
            inner = spin(2000000);
            NVTX_PUSH("pushed");
            pushed = spin(1000000);
            NVTX_POP();
        }
    }
    if (compiled_in) {
        struct nvtxh_stats stats = nvtxh_stats_find("outer");

        near(stats.total_ns, outer + inner + pushed);
        near(stats.self_ns, outer);
        assert_int_equal(stats.min_ns, stats.total_ns);
        assert_int_equal(stats.max_ns, stats.total_ns);
        assert_int_equal(stats.median_ns, stats.total_ns);
        /* Exact, apart from the clock: total minus self is the total of the inner scope. */
        is_nearly(stats.total_ns - stats.self_ns, nvtxh_stats_find("inner").total_ns);
        stats = nvtxh_stats_find("inner");
        is_nearly(stats.total_ns - stats.self_ns, nvtxh_stats_find("pushed").total_ns);
        near(stats.total_ns, inner + pushed);
        near(stats.self_ns, inner);
        near(nvtxh_stats_find("pushed").total_ns, pushed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        COUNTED(on_and_off),
        COUNTED(macros),
        COUNTED(one_line),
        COUNTED(nesting),
    };

    return RUN(tests);
}
