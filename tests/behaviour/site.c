/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages are registered before the first event, also those of annotations that never run. */
#include "test.h"

NVTX_DOMAIN(train, "train");
NVTX_CATEGORY(gemm, NULL, "gemm");

#if defined(__cplusplus) && !defined(__clang__)
#define AHEAD 0 /* g++: with its first event */
#else
#define AHEAD 1
#endif

static volatile bool do_not;

static void annotated(void) {
    NVTX_SCOPE("plain");
    NVTX_SCOPE("coloured", .color = NVTXH_RED);
    NVTX_MARK("with a category", .category = &gemm);
    NVTX_PUSH("with a payload", .payload = nvtxh_payload(1));
    NVTX_POP();
    nvtxh_end(NVTX_START("range", .category = NVTXH_CATEGORY_ID(7), .color = NVTXH_BLUE));
    NVTX_MARK("in a domain", .domain = &train, .color = NVTXH_RED);
    NVTX_MARKF("formatted %d", 1);
}

static const char *const messages[] = {"plain", "coloured", "with a category", "with a payload",
                                       "range"};

static void ahead(void **state) {
    size_t i;

    (void)state;
    assert_int_equal(log_count(LOG_STRING, NULL, NULL), 0);
    if (do_not)
        annotated();
    NVTX_MARK("the first to run");
    for (i = 0; i < sizeof(messages) / sizeof(*messages); i++)
        assert_int_equal(log_count(LOG_STRING, "", messages[i]), tool() ? AHEAD : 0);
    /* Which domain it goes to is not known before it runs. */
    assert_int_equal(log_count(LOG_STRING, NULL, "in a domain"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {CASE(ahead)};

    return RUN(tests);
}
