/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Statistics of scopes that end in unusual ways, across resets, pauses and threads; and printing
 * them. */
#include "counted.h"

#include <pthread.h>

NVTX_DOMAIN(train, "train");
NVTX_DOMAIN(load, "load");

/* A scope that ends early does not end the scopes that began after it. */
static void early(void **state) {
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

static void jumps(void) {
    NVTX_SCOPE("jumped out of");
    longjmp(out, 1);
}

/* What longjmp has skipped is not counted, and does not disturb what is around it. */
static void by_longjmp(void **state) {
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

/* After a reset, the counts have nothing from before it. */
static void reset_row(void **state) {
    int i;

    (void)state;
    for (i = 0; i < 3; i++) {
        NVTX_SCOPE("again");
        NVTX_MARK("marked again");
        if (i != 1)
            spin(i ? 1000000 : 3000000);
        if (i == 1)
            nvtxh_stats_reset();
    }
    counts("again", 1);
    counts("marked again", 1);
    if (compiled_in) {
        struct nvtxh_stats stats = nvtxh_stats_find("again");

        assert_true(stats.min_ns >= 900000);
        assert_int_equal(stats.max_ns, stats.min_ns);
    }
    log_reset();
}

/* What is open at a reset is not counted. */
static void reset(void **state) {
    (void)state;
    { NVTX_SCOPE("before"); }
    {
        struct nvtxh_range range = NVTX_START("range across");
        NVTX_SCOPE("across");

        nvtxh_stats_reset();
        counts("before", 0);
        { NVTX_SCOPE("after"); }
        nvtxh_end(range);
    }
    counts("across", 0);
    counts("range across", 0);
    counts("after", 1);
}

/* Nothing is counted in pauses. A pop whose push was left out ends no other push. */
static void pauses(void **state) {
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

/* A pop ends the innermost push of its own domain, whatever is open in others, and nothing if there
 * is none. */
static void pops_of_domains(void **state) {
    (void)state;
    NVTX_PUSH("outer");
    NVTX_PUSH("of train", .domain = &train);
    NVTX_PUSH("of load", .domain = &load);
    NVTX_POP(.domain = &train);
    counts("of train", 1);
    counts("of load", 0);
    counts("outer", 0);
    NVTX_POP(.domain = &train);
    counts("of load", 0);
    counts("outer", 0);
    NVTX_POP();
    counts("outer", 1);
    NVTX_POP();
    counts("of load", 0);
    {
        NVTX_SCOPE("scope", .domain = &load);
        NVTX_POP(.domain = &load);
        counts("scope", 0);
    }
    counts("of load", 1);
    counts("scope", 1);
    log_reset();
}

static void *works(void *arg) {
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
static void threads(void **state) {
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

/* What a thread has left open is not around what the next thread does, which takes over its
 * counts. */
static void *repeats(void *last) {
    NVTX_PUSH("repeated");
    spin(1000000);
    if (last)
        NVTX_POP();
    return NULL;
}

static void left_open(void **state) {
    pthread_t thread;
    int i;

    (void)state;
    for (i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&thread, NULL, repeats, i ? &thread : NULL), 0);
        pthread_join(thread, NULL);
    }
    counts("repeated", 1);
    if (compiled_in) {
        near(nvtxh_stats_find("repeated").total_ns, 1000000u);
        near(nvtxh_stats_find("repeated").self_ns, 1000000u);
    }
    log_reset();
}

static void *ends(void *scope) {
    nvtxh_scope_end((struct nvtxh_scope *)scope);
    return NULL;
}

/* A scope that another thread ends is not counted, and the scope around it is. */
static void ended_elsewhere(void **state) {
    pthread_t thread;

    (void)state;
    {
        NVTX_SCOPE("around it");
        NVTXH_SCOPE_AS(handed, "ended elsewhere");

        assert_int_equal(pthread_create(&thread, NULL, ends, &handed), 0);
        pthread_join(thread, NULL);
    }
    counts("ended elsewhere", 0);
    counts("around it", 1);
    log_reset();
}

/* All three formats print the same rows, and no message can break a format. */
static void printed(void **state) {
    const enum nvtxh_stats_format formats[] = {NVTXH_STATS_TABLE, NVTXH_STATS_CSV,
                                               NVTXH_STATS_JSON};
    const char *const expected[] = {"one \"two\", \\x1b[31m\xef\xbf\xbd",
                                    "\"one \"\"two\"\", \x1b[31m\xef\xbf\xbd\"",
                                    "\"message\": \"one \\\"two\\\", \\u001b[31m\xef\xbf\xbd\""};
    const char *const counted[] = {"Count ", "Instances,", "\"count\": 3"};
    size_t i;

    (void)state;
    for (i = 0; i < 3; i++) {
        NVTX_SCOPE("one \"two\", \x1b[31m\xff");
    }
    NVTX_MARK("back\\slash");
    for (i = 0; i < 3; i++)
        NVTX_MARK("marks come last");
    for (i = 0; i < 3; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *file = open_memstream(&text, &size);

        assert_true(nvtxh_stats_print(file, formats[i]));
        fclose(file);
        assert_int_equal(strstr(text, expected[i]) != NULL, compiled_in);
        assert_int_equal(strstr(text, counted[i]) != NULL, compiled_in);
        assert_int_equal(strstr(text, i == 2 ? "back\\\\slash" : "back\\slash") != NULL,
                         compiled_in);
        if (compiled_in) {
            assert_true(strstr(text, expected[i]) < strstr(text, "marks come last"));
            assert_true(strstr(text, "marks come last") < strstr(text, "back\\"));
        }
        free(text);
    }
    for (i = 0; i < 3 && compiled_in; i++) {
#ifdef __cplusplus /* where a value outside of the enum is undefined */
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

int main(void) {
    const struct CMUnitTest tests[] = {
        COUNTED(early),
        COUNTED(by_longjmp),
        COUNTED(reset),
        COUNTED(reset_row),
        /* before `threads`: the second thread takes over from the first */
        COUNTED(pauses),
        COUNTED(pops_of_domains),
        COUNTED(left_open),
        COUNTED(threads),
        COUNTED(ended_elsewhere),
        COUNTED(printed),
    };

    return RUN(tests);
}
