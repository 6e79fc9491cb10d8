/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test.h"

#include <sys/wait.h>

NVTX_DOMAIN(train, "train");
NVTX_DOMAIN(odd, "do\"main', @ with\n\t\x7f, \xff and \xc3\xa9");
NVTX_DOMAIN(empty, "");
NVTX_CATEGORY(gemm, &train, "gemm");
NVTX_CATEGORY(nameless, &train, "");

static void null_message(void **state) {
    (void)state;
    {
        NVTX_SCOPE(NULL);
        NVTX_SCOPE(NULL, .domain = &train, .payload = nvtxh_payload(1));
        NVTX_MARK(NULL);
        NVTX_PUSH(NULL);
        NVTX_POP();
        nvtxh_end(NVTX_START(NULL));
    }
    logged("push -; train push - i32=1; mark -; push -; pop; start - #1; end #1; train pop; pop");
}

static void empty_message(void **state) {
    (void)state;
    {
        NVTX_SCOPE("");
        NVTX_SCOPEF("%s", "");
        NVTX_MARK("", .domain = &empty, .color = 0);
    }
    logged("push []; push ''; (empty) mark []; pop; pop");
}

/* The tool gets the bytes that were given. */
static void odd_bytes(void **state) {
    (void)state;
    NVTX_MARK("\xff\xfe\xc3(");
    NVTX_MARK("a \"quoted\", 'odd'\nmessage\\\t%s%d%n\x01");
    NVTX_MARK("in an odd domain", .domain = &odd, .category = NVTXH_CATEGORY_ID(1));
    NVTX_MARK("nameless", .domain = &train, .category = &nameless);
    NVTX_MARKF("%s", "\xed\xa0\x80");
    if (tool()) {
        size_t n = log_count(LOG_MARK, NULL, "\xff\xfe\xc3(");

        assert_int_equal(n, 1);
        assert_int_equal(log_count(LOG_MARK, NULL, "a \"quoted\", 'odd'\nmessage\\\t%s%d%n\x01"),
                         1);
        assert_int_equal(
            log_count(LOG_MARK, "do\"main', @ with\n\t\x7f, \xff and \xc3\xa9", "in an odd domain"),
            1);
        assert_int_equal(log_count(LOG_MARK, "train", "nameless"), 1);
        assert_int_equal(log_count(LOG_MARK, "", "\xed\xa0\x80"), 1);
    }
}

/* A literal of a mebibyte arrives whole; so does the first use of a domain with it. */
#pragma GCC diagnostic ignored "-Woverlength-strings"
#define X16(x) x x x x x x x x x x x x x x x x
#define X256                                                                                       \
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"                             \
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"                             \
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"                             \
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define MEBIBYTE X16(X16(X16(X256)))

static void mebibyte(void **state) {
    (void)state;
    { NVTX_SCOPE(MEBIBYTE); }
    NVTX_MARK(MEBIBYTE, .domain = &train);
    if (tool()) {
        const char *text = log_at(log_size() - 1)->text;

        assert_int_equal(strlen(text), 1 << 20);
        assert_int_equal(strspn(text, "x"), 1 << 20);
        assert_true(log_at(log_size() - 1)->registered);
        assert_int_equal(log_count(LOG_PUSH, NULL, text), 1);
    }
}

static void nest(int depth) {
    NVTX_SCOPE("deep", .payload = nvtxh_payload(depth));

    if (depth < 10000)
        nest(depth + 1);
}

/* Ten thousand deep. */
static void deep(void **state) {
    size_t pushes = log_count(LOG_PUSH, NULL, NULL), pops = log_count(LOG_POP, NULL, NULL);
    int i;

    (void)state;
    nest(1);
    for (i = 0; i < 10000; i++)
        assert_int_equal(NVTX_PUSH("deep"), tool() ? i : -2);
    for (i = 10000; i--;)
        assert_int_equal(NVTX_POP(), tool() ? i : -2);
    assert_int_equal(log_count(LOG_PUSH, NULL, NULL) - pushes, tool() ? 20000 : 0);
    assert_int_equal(log_count(LOG_POP, NULL, NULL) - pops, tool() ? 20000 : 0);
    if (tool())
        assert_int_equal(log_at(log_size() - 1)->result, 0);
}

/* A domain, a category, a string and an open range, all made before the fork, used after it. */
static void forked(void **state) {
    struct nvtxh_range range = NVTX_START("before", .domain = &train, .category = &gemm);
    int status;
    pid_t child;
    NVTX_SCOPE("around", .domain = &train);

    (void)state;
    child = fork();
    assert_true(child >= 0);
    if (!child) {
        char *text;

        log_reset();
        {
            NVTX_SCOPE("in the child", .domain = &train, .category = &gemm);
            NVTX_MARK("new in the child", .domain = &odd, .category = NVTXH_CATEGORY_ID(4));
            NVTX_MARKF("child %d", 1);
        }
        text = log_text(0);
        _exit(strncmp(text, tool() ? "train push [in the child] cat=gemm; do\"main" : "",
                      tool() ? 40 : 1) != 0 ||
              (tool() && !strstr(text, "mark 'child 1'; train pop")) ||
              log_count(LOG_DOMAIN, NULL, "train") != (size_t)tool());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    nvtxh_end(range);
    NVTX_MARK("after", .domain = &train);
    if (tool())
        assert_int_equal(log_count(LOG_DOMAIN, NULL, "train"), 1);
}

/* The child ends what the parent began, and exits through the scope's function. */
static int in_scope_of_parent(void) {
    NVTX_SCOPE("returned from twice");

    return fork();
}

static void forked_in_scope(void **state) {
    int status, child = in_scope_of_parent();

    (void)state;
    assert_true(child >= 0);
    if (!child) {
        char *text = log_text(0);

        _exit(strcmp(text, tool() ? "push [returned from twice]; pop" : "") != 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    logged("push [returned from twice]; pop");
}

static void thread_names(void **state) {
    (void)state;
    nvtxh_thread_name("");
    nvtxh_thread_name(NULL);
    nvtxh_thread_name("a \"name\", \xff");
    logged("thread ''; thread -; thread 'a \"name\", \\xff'");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(null_message), CASE(empty_message), CASE(odd_bytes),       CASE(mebibyte),
        CASE(deep),         CASE(forked),        CASE(forked_in_scope), CASE(thread_names),
    };

    return RUN(tests);
}
