/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Domains, categories and messages whose names are known at run time. */
#include "test.h"

#include <pthread.h>
#include "nvtxh/stats.h"

NVTX_DOMAIN(train, "train");
NVTX_CATEGORY(gemm, &train, "gemm");

#if defined(NVTX_DISABLE) || defined(NVTXH_DISABLE)
#define named_differs(a, b) ((void)(a), (void)(b))
#else
#define named_differs(a, b) (assert_true((a) != (b)))
#endif

static void domains(void **state) {
    char name[] = "plugin";
    struct nvtxh_domain *plugin = nvtxh_domain_named(name), *same;

    (void)state;
    assert_int_equal(plugin != NULL, compiled_in);
    memset(name, '-', sizeof(name) - 1); /* the text was copied */
    same = nvtxh_domain_named("plugin");
    assert_ptr_equal(plugin, same);
    named_differs(plugin, nvtxh_domain_named("plugi"));
    named_differs(plugin, nvtxh_domain_named(""));
    assert_null(nvtxh_domain_named(NULL));
    {
        NVTX_SCOPE("scope", .domain = plugin);
        NVTX_MARKF("mark %d", 1);
        NVTXH_MARKF_WITH(("mark %d", 2), .domain = plugin);
    }
    nvtxh_end(NVTX_START("start", .domain = same));
    logged("plugin push [scope]; mark 'mark 1'; plugin mark 'mark 2'; plugin pop; plugin start "
           "[start] #1; "
           "plugin end #1");
    assert_int_equal(log_count(LOG_DOMAIN, NULL, "plugin"), tool());
    assert_int_equal(log_count(LOG_DOMAIN, NULL, "plugi"), 0); /* not used */
}

NVTX_DOMAIN(nameless, "");
NVTX_CATEGORY(nameless_category, &nameless, "");

/* Nsight Systems loses its report to a domain or category without a name. */
static void empty_names(void **state) {
    struct nvtxh_domain *domain = nvtxh_domain_named("");

    (void)state;
    NVTX_MARK("a", .domain = domain, .category = nvtxh_category_named(domain, ""));
    NVTX_MARK("b", .domain = &nameless, .category = &nameless_category);
    NVTX_MARK("c", .category = nvtxh_category_named(NULL, ""));
    nvtxh_stats_enable(true);
    NVTX_MARK("d", .domain = domain);
    nvtxh_stats_enable(false);
    assert_int_equal(nvtxh_stats_find("(empty):d").count, compiled_in);
    logged("(empty) mark [a] cat=(empty); (empty) mark [b] cat=(empty); mark [c] cat=(empty); "
           "(empty) mark [d]");
    assert_int_equal(log_count(LOG_DOMAIN, NULL, ""), 0);
    assert_int_equal(log_count(LOG_CATEGORY, NULL, ""), 0);
}

static void categories(void **state) {
    struct nvtxh_domain *plugin = nvtxh_domain_named("plugin");
    struct nvtxh_category *io = nvtxh_category_named(plugin, "io");

    (void)state;
    assert_int_equal(io != NULL, compiled_in);
    assert_ptr_equal(io, nvtxh_category_named(plugin, "io"));
    named_differs(io, nvtxh_category_named(NULL, "io"));
    named_differs((void *)nvtxh_domain_named("io"), (void *)nvtxh_category_named(NULL, "io"));
    assert_ptr_equal(nvtxh_category_named(NULL, "io"),
                     nvtxh_category_named(NVTXH_DOMAIN_DEFAULT, "io"));
    assert_null(nvtxh_category_named(plugin, NULL));
    NVTX_MARK("a", .domain = plugin, .category = io);
    NVTX_MARK("b", .category = nvtxh_category_named(NULL, "io"));
    NVTX_MARK("c", .domain = &train, .category = nvtxh_category_named(&train, "gemm"));
    NVTX_MARK("d", .domain = &train, .category = &gemm);
    logged("plugin mark [a] cat=io; mark [b] cat=io; train mark [c] cat=gemm; train mark [d] "
           "cat=gemm");
}

/* Strings of every length, which differ in one character, at the place where it is easy to miss. */
static void lengths(void **state) {
    enum { longest = 70 };
    const struct nvtxh_string *kept[longest + 1][2];
    char text[longest + 1];
    int n, k;

    (void)state;
    for (k = 0; k < 2; k++)
        for (n = 0; n <= longest; n++) {
            memset(text, 'x', sizeof(text));
            text[n] = 0;
            if (n)
                text[k ? n - 1 : 0] = 'y';
            kept[n][k] = nvtxh_string_named(NULL, text);
            assert_ptr_equal(kept[n][k], nvtxh_string_named(NULL, text));
        }
    for (n = 2; n <= longest; n++) {
        named_differs(kept[n][0], kept[n][1]);
        named_differs(kept[n][0], kept[n - 1][0]);
    }
}

enum { names = 3000, threads = 4 };
static const struct nvtxh_string *of_threads[threads][names];

static void *look_up(void *number) {
    const struct nvtxh_string **mine = of_threads[*(int *)number];
    char text[32];
    int i;

    for (i = 0; i < names; i++) {
        snprintf(text, sizeof(text), "name %d", i);
        mine[i] = nvtxh_string_named(NULL, text);
    }
    return NULL;
}

/* Threads that ask for the same new names get the same objects, while the table grows. */
static void race(void **state) {
    pthread_t thread[threads];
    int number[threads], i, k;

    (void)state;
    for (i = 0; i < threads; i++) {
        number[i] = i;
        assert_int_equal(pthread_create(&thread[i], NULL, look_up, &number[i]), 0);
    }
    for (i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    for (k = 0; k < names; k++)
        for (i = 1; i < threads; i++)
            assert_ptr_equal(of_threads[i][k], of_threads[0][k]);
    { NVTXH_SCOPE_STRING(of_threads[0][names - 1]); }
    logged("push [name 2999]; pop");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(domains), CASE(empty_names), CASE(categories), CASE(lengths), CASE(race),
    };

    return RUN(tests);
}
