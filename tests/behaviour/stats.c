/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test.h"
#include "nvtxh/stats.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

NVTX_DOMAIN(train, "train");

/* The tool logs every event and so takes its time: what is counted within is not exact then. */
__attribute__((unused)) static uint64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t spin(uint64_t ns)
{
    uint64_t begin = now(), end;

    do
        end = now();
    while (end - begin < ns);
    return end - begin;
}

static int begin(void **state)
{
    nvtxh_stats_enable(true);
    nvtxh_stats_reset();
    return test_begin(state);
}

static int end(void **state)
{
    (void)state;
    nvtxh_stats_enable(false);
    return 0;
}

/* Counted N times where annotations are compiled in, with or without a tool. */
static void counted_at(const char *message, uint64_t n, const char *file, int line)
{
    _assert_int_equal(nvtxh_stats_find(message).count, compiled_in ? n : 0, file, line);
}
#define counts(message, n) counted_at(message, n, __FILE__, __LINE__)

/* At least that, and not much more: time may pass outside of this program at any place. */
#define near(ns, expected)                                                                         \
    do {                                                                                           \
        assert_true((ns) + (ns) / 100 + 2000 >= (expected));                                       \
        assert_true((ns) <= (expected) + (expected) / 100 + 20000000);                             \
    } while (0)

/* Off, nothing is counted; what begins while on is, also if it ends after. */
static void on_and_off(void **state)
{
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
    {
        NVTX_SCOPE("on again");
    }
    counts("on again", 0);
}

/* Every verb is counted at its place; what is for tools alone is not. */
static void verbs(void **state)
{
    struct nvtxh_stats rows[16];
    size_t n = 77;
    int i;

    (void)state;
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
    counts("verbs", 3);
    counts("train:verbs", 3);
    counts("other:verbs", 0);
    counts("tools only", 0);
    counts("mark", 3);
    counts("mark %d", 3);
    counts("push", 3);
    counts("push %d", 3);
    counts("start", 3);
    counts("start %d", 3);
    assert_true(nvtxh_stats_read(rows, 16, &n));
    assert_int_equal(n, compiled_in ? 9 : 0);
    if (compiled_in) {
        assert_string_equal(rows[0].message, "scope");
        assert_null(rows[0].domain);
        assert_string_equal(rows[0].function, "verbs");
        assert_string_equal(rows[0].file, __FILE__);
        assert_true(rows[0].line > 70);
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

/* One call site in two domains is two rows. */
static void domains(void **state)
{
    int i;

    (void)state;
    for (i = 0; i < 5; i++) {
        NVTX_SCOPE("where", .domain = i % 2 ? &train : NVTXH_DOMAIN_DEFAULT);
    }
    counts("train:where", 2);
    counts(":where", 3);
    counts("where", 5);
    counts(":nowhere", 0);
}

/* Equal but for the clock, whose rate is known better at each reading. */
static void is_nearly(uint64_t ns, uint64_t other_ns)
{
    uint64_t least = other_ns - other_ns / 100000;

    assert_in_range(ns + 5, least, least + other_ns / 50000 + 10);
}

/* Self is without what is within, and a push, a range on the same thread, is within. */
static void nesting(void **state)
{
    uint64_t outer, inner, pushed;

    (void)state;
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
        /* Beside the clock, exact: what is not its own is the inner one's. */
        is_nearly(stats.total_ns - stats.self_ns, nvtxh_stats_find("inner").total_ns);
        stats = nvtxh_stats_find("inner");
        is_nearly(stats.total_ns - stats.self_ns, nvtxh_stats_find("pushed").total_ns);
        near(stats.total_ns, inner + pushed);
        near(stats.self_ns, inner);
        near(nvtxh_stats_find("pushed").total_ns, pushed);
    }
}

static uint64_t least;

static uint64_t recurse(int n)
{
    NVTX_SCOPE("recursion");
    uint64_t own = spin(1000000);

    least = n ? least : own;
    return own + (n ? recurse(n - 1) : 0);
}

/* Open within itself it counts once in the total, and each time in the count and all else. */
static void recursion(void **state)
{
    uint64_t total = recurse(4);

    (void)state;
    counts("recursion", 5);
    if (compiled_in) {
        struct nvtxh_stats stats = nvtxh_stats_find("recursion");

        near(stats.total_ns, total);
        assert_in_range(stats.self_ns, stats.total_ns - 5, stats.total_ns + 5);
        assert_in_range(stats.max_ns, stats.total_ns - 5, stats.total_ns + 5);
        near(stats.min_ns, least);
    }
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* Median and percentiles within 5 % of what the program finds itself, of 2 us to 2 ms. */
static void percentiles(void **state)
{
    static uint64_t took[1000];
    const int n = 1000;
    uint64_t total = 0;
    int i;

    (void)state;
    for (i = 0; i < n; i++) {
        uint64_t ns = (uint64_t)(2000 * exp((i * 7919 % n) / (double)n * log(1000.)));
        NVTX_SCOPE("spread");
        took[i] = spin(ns);
    }
    qsort(took, (size_t)n, sizeof(took[0]), compare);
    for (i = 0; i < n; i++)
        total += took[i];
    if (compiled_in) {
        const int shares[] = {500, 900, 990, 999};
        struct nvtxh_stats stats = nvtxh_stats_find("spread");
        const uint64_t found[] = {stats.median_ns, stats.p90_ns, stats.p99_ns, stats.p999_ns};

        for (i = 0; i < 4; i++) {
            /* A few of them may have been interrupted after the program looked at its clock. */
            double low = (double)took[shares[i] - 5],
                   high = (double)took[shares[i] < 994 ? shares[i] + 4 : 998];

            assert_true((double)found[i] > low * 0.95);
            assert_true((double)found[i] < high * 1.05 + 2000 || shares[i] > 989);
        }
        near(stats.total_ns, total);
        near(stats.average_ns, total / 1000);
        assert_true(stats.max_ns + 2000 >= took[n - 1] && stats.min_ns >= 1900);
        assert_true(stats.deviation_ns > 100000);
    }
}

/* Ended early, the scopes begun since go on. */
static void early(void **state)
{
    (void)state;
    {
        NVTXH_SCOPE_AS(first, "first");
        NVTX_SCOPE("second");
        NVTXH_SCOPE_AS(third, "third");

        nvtxh_scope_end(&first);
        nvtxh_scope_end(&first);
        spin(1000000);
        nvtxh_scope_end(&third);
        spin(1000000);
    }
    counts("first", 1);
    counts("second", 1);
    counts("third", 1);
    if (compiled_in) {
        assert_true(nvtxh_stats_find("second").total_ns >= 2000000);
        assert_true(nvtxh_stats_find("third").total_ns >= 1000000);
    }
}

static jmp_buf out;

static void jumps(void)
{
    NVTX_SCOPE("jumped out of");
    longjmp(out, 1);
}

/* What longjmp has skipped is not counted, and does not disturb what is around it. */
static void by_longjmp(void **state)
{
    static int i; /* longjmp leaves it alone */

    (void)state;
    for (i = 0; i < 100; i++) {
        NVTX_SCOPE("around");
        if (!setjmp(out))
            jumps();
    }
    {
        NVTX_SCOPE("afterwards");
        spin(1000000);
    }
    counts("around", 100);
    counts("jumped out of", 0);
    if (compiled_in)
        assert_true(nvtxh_stats_find("afterwards").self_ns >= 900000);
    log_reset(); /* to the tool they are still open */
}

/* A reset in the midst: what is open is not counted. */
static void reset(void **state)
{
    (void)state;
    {
        NVTX_SCOPE("before");
    }
    {
        struct nvtxh_range range = NVTX_START("range across");
        NVTX_SCOPE("across");

        nvtxh_stats_reset();
        counts("before", 0);
        {
            NVTX_SCOPE("after");
        }
        nvtxh_end(range);
    }
    counts("across", 0);
    counts("range across", 0);
    counts("after", 1);
}

/* Pauses leave out; pops whose pushes nobody has seen take nothing that is not theirs. */
static void pauses(void **state)
{
    (void)state;
    nvtxh_enable(false);
    {
        NVTX_SCOPE("paused");
        NVTX_PUSH("paused push");
    }
    nvtxh_enable(true);
    NVTX_PUSH("seen");
    NVTX_POP();
    NVTX_POP();
    counts("paused", 0);
    counts("paused push", 0);
    counts("seen", 1);
    NVTX_PUSH("popped while off");
    nvtxh_stats_enable(false);
    NVTX_POP();
    nvtxh_stats_enable(true);
    NVTX_PUSH("popped while on");
    NVTX_POP();
    NVTX_POP();
    counts("popped while off", 0);
    counts("popped while on", 1);
}

static void *works(void *arg)
{
    long i;

    for (i = 0; i < (long)(intptr_t)arg; i++) {
        NVTX_SCOPE("in threads");
        NVTX_SCOPE("within", .payload = nvtxh_payload(i));
        NVTX_MARK("mark in threads");
        nvtxh_end(NVTX_START("range in threads"));
    }
    return NULL;
}

/* Sixteen threads at once, again and again; read all the time. What ended threads did is kept. */
static void threads(void **state)
{
    const long n = tool() ? 20 : 2000;
    struct nvtxh_stats rows[8];
    pthread_t thread[16];
    int i, round;
    size_t found;

    (void)state;
    for (round = 1; round <= 4; round++) {
        for (i = 0; i < 16; i++)
            assert_int_equal(pthread_create(&thread[i], NULL, works, (void *)(intptr_t)n), 0);
        for (i = 0; i < 50; i++) {
            struct nvtxh_stats stats;

            assert_true(nvtxh_stats_read(rows, 8, &found));
            stats = nvtxh_stats_find("in threads");
            if (stats.count) /* one moment: they belong together */
                assert_true(stats.min_ns * stats.count <= stats.total_ns + stats.count &&
                            stats.max_ns * stats.count + stats.count >= stats.total_ns);
        }
        for (i = 0; i < 16; i++)
            pthread_join(thread[i], NULL);
        counts("in threads", (uint64_t)(16 * n * round));
        counts("within", (uint64_t)(16 * n * round));
        counts("mark in threads", (uint64_t)(16 * n * round));
        counts("range in threads", (uint64_t)(16 * n * round));
    }
    log_reset();
}

/* All three formats say it, and no message can break one. */
static void printed(void **state)
{
    const enum nvtxh_stats_format formats[] = {NVTXH_STATS_TABLE, NVTXH_STATS_CSV,
                                               NVTXH_STATS_JSON};
    const char *const expected[] = {"one \"two\", \\x1b[31m\xff",
                                    "\"one \"\"two\"\", \x1b[31m\xff\"",
                                    "\"message\": \"one \\\"two\\\", \\u001b[31m\\ufffd\""};
    size_t i;

    (void)state;
    for (i = 0; i < 3; i++) {
        NVTX_SCOPE("one \"two\", \x1b[31m\xff");
    }
    for (i = 0; i < 3; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *file = open_memstream(&text, &size);

        assert_true(nvtxh_stats_print(file, formats[i]));
        fclose(file);
        assert_int_equal(strstr(text, expected[i]) != NULL, compiled_in);
        assert_int_equal(strstr(text, "Instances") != NULL, compiled_in && i < 2);
        assert_int_equal(strstr(text, "\"count\": 3") != NULL, compiled_in && i == 2);
        free(text);
    }
    for (i = 0; i < 3 && compiled_in; i++) {
#ifdef __cplusplus /* which leaves undefined what an enum cannot be */
        const int unknown[] = {0, 0, 0};
#else
        const int unknown[] = {0, 4, 77};
#endif
        char *text = NULL;
        size_t size = 0;
        FILE *file = open_memstream(&text, &size);

        assert_false(nvtxh_stats_print(file, (enum nvtxh_stats_format)unknown[i]));
        fclose(file);
        assert_string_equal(text, "");
        free(text);
    }
    log_reset();
}

#define COUNTED(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        COUNTED(on_and_off), COUNTED(verbs),       COUNTED(domains), COUNTED(nesting),
        COUNTED(recursion),  COUNTED(percentiles), COUNTED(early),   COUNTED(by_longjmp),
        COUNTED(reset),      COUNTED(pauses),      COUNTED(threads), COUNTED(printed),
    };

    return RUN(tests);
}
