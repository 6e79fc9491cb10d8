/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test.h"

#include <errno.h>
#include <wchar.h>

NVTX_DOMAIN(train, "train");

/* Messages may have commas and percent signs, and any number of arguments. */
static void conversions(void **state) {
    (void)state;
    {
        NVTXH_MARKF_WITH(("no arguments"), .domain = &train);
        NVTX_SCOPEF("plain");
        NVTX_SCOPEF("%d %u %ld %lld %zu", -1, 2u, 3L, 4LL, sizeof(char));
        NVTX_SCOPEF("%5.2f|%-4s|%04x|%c|%%", 3.14159, "ab", 0xbeu, 'z');
        NVTX_SCOPEF("%.*s, %s", 3, "abcdef", "x, y");
        NVTX_SCOPEF("%p", (void *)NULL);
        NVTX_SCOPEF("%d %d %d %d %d %d %d %d %d %d", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
    }
    logged("train mark 'no arguments'; push 'plain'; push '-1 2 3 4 1'; push ' 3.14|ab  "
           "|00be|z|%'; push 'abc, x, y'; "
           "push '(nil)'; push '1 2 3 4 5 6 7 8 9 10'; pop; pop; pop; pop; pop; pop");
}

/* The tool copies the text during the call: the arguments may change right after it. */
static void not_kept(void **state) {
    char name[] = "first";

    (void)state;
    NVTX_MARKF("%s", name);
    memcpy(name, "SECON", 5);
    NVTX_MARKF("%s", name);
    logged("mark 'first'; mark 'SECON'");
}

/* The memory of a long message of a process range is freed, too: all/sanitized finds leaks. */
static void given_back(void **state) {
    char text[1000];

    (void)state;
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = 0;
    nvtxh_end(NVTXH_STARTF("%s", text));
    nvtxh_end(NVTXH_STARTF_WITH(("%s", text), .domain = &train));
    log_reset();
}

/* What was formatted for the last event; NULL without a tool. */
static const char *last(void) {
    return tool() ? log_at(log_size() - 1)->text : NULL;
}

static char *repeated(char c, size_t n) {
    char *text = (char *)malloc(n + 1);

    assert_non_null(text);
    memset(text, c, n);
    text[n] = 0;
    return text;
}

/* The cut is never within a character. */
static void cut_characters(void **state) {
    char *text = (char *)malloc(100001);
    size_t shift, i, n;

    (void)state;
    assert_non_null(text);
    for (shift = 0; shift < 3; shift++) {
        memset(text, 'x', shift);
        for (i = shift; i + 3 < 100000; i += 3)
            memcpy(text + i, "\xe2\x82\xac", 3); /* the euro sign */
        text[i] = 0;
        NVTX_MARKF("%s", text);
        if (!tool())
            continue;
        n = strlen(last());
        while (n && (unsigned char)last()[n - 1] < 0x80)
            n--;
        assert_int_equal((n - shift) % 3, 0);
    }
    free(text);
}

/* A message may print errno, and errno does not change. */
static void keeps_errno(void **state) {
    char *text = repeated('x', 60000);

    (void)state;
    errno = ENOENT;
    NVTX_MARKF("%m");
    assert_int_equal(errno, ENOENT);
    logged("mark 'No such file or directory'");
    errno = EINVAL;
    NVTX_MARKF("%s %m", text);
    assert_int_equal(errno, EINVAL);
    if (tool())
        assert_string_equal(last() + 60000, " Invalid argument");
    errno = ERANGE;
    {
        NVTX_SCOPE("first event of all in its place", .domain = &train);
        assert_int_equal(errno, ERANGE);
    }
    assert_int_equal(errno, ERANGE);
    nvtxh_end(NVTX_START("one"));
    NVTX_PUSH("two");
    NVTX_POP();
    assert_int_equal(errno, ERANGE);
    free(text);
}

/* A wide character that does not exist in the locale: there is no message, but there is an event.
 */
static void impossible(void **state) {
    size_t before = log_size();

    (void)state;
    errno = ERANGE;
    { NVTX_SCOPEF("%ls", L"\x20ac"); }
    assert_int_equal(errno, ERANGE);
    assert_int_equal(log_size() - before, 2 * tool());
    logged("push '%ls'; pop");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(conversions),    CASE(not_kept),    CASE(given_back),
        CASE(cut_characters), CASE(keeps_errno), CASE(impossible),
    };

    return RUN(tests);
}
