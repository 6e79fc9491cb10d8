/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Statistics across pauses and threads, and printing them. */
#include "counted.h"

#include <pthread.h>

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
        COUNTED(pauses),
        COUNTED(threads),
        COUNTED(printed),
    };

    return RUN(tests);
}
