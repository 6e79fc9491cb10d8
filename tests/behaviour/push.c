/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test.h"

NVTX_DOMAIN(train, "train");
NVTX_CATEGORY(gemm, &train, "gemm");

/* The depth where there is a tool that counts, and else what NVTX calls "no tracking". */
static int depth(int n) {
    return tool() ? n : -2;
}

static void depths(void **state) {
    (void)state;
    assert_int_equal(NVTXH_NO_DEPTH, -2);
    assert_int_equal(NVTX_PUSH("a"), depth(0));
    assert_int_equal(NVTX_PUSH("b"), depth(1));
    assert_int_equal(NVTX_PUSH("c"), depth(2));
    assert_int_equal(NVTX_POP(), depth(2));
    assert_int_equal(NVTX_POP(), depth(1));
    assert_int_equal(NVTX_PUSH("d"), depth(1));
    assert_int_equal(NVTX_POP(), depth(1));
    assert_int_equal(NVTX_POP(), depth(0));
    logged("push [a]; push [b]; push [c]; pop; pop; push [d]; pop; pop");
}

static void attributes(void **state) {
    (void)state;
    NVTX_PUSH("all", .domain = counted(1) ? &train : NULL, .category = counted(1) ? &gemm : NULL,
              .color = counted(1) ? NVTXH_TOMATO : 0u, .payload = nvtxh_payload(counted(4)));
    evaluated_times(4);
    NVTX_POP(.domain = counted(1) ? &train : NULL);
    evaluated_times(1);
    logged("train push [all] cat=gemm color=ffff6347 i32=4; train pop");
}

static void formatted(void **state) {
    (void)state;
    assert_int_equal(NVTXH_PUSHF("batch %d", counted(7)), depth(0));
    assert_int_equal(NVTXH_PUSHF("%s", "inner"), depth(1));
    evaluated_times(1);
    assert_int_equal(NVTX_POP(), depth(1));
    assert_int_equal(NVTX_POP(), depth(0));
    logged("push 'batch 7'; push 'inner'; pop; pop");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(depths),
        CASE(attributes),
        CASE(formatted),
    };

    return RUN(tests);
}
