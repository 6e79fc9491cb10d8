/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test.h"

NVTX_DOMAIN(train, "train");
NVTX_CATEGORY(gemm, &train, "gemm");

static void attributes(void **state) {
    (void)state;
    NVTX_MARK("all", .domain = &train, .category = &gemm, .color = nvtxh_argb(0x80, 1, 2, 3),
              .payload = nvtxh_payload(counted(-1)));
    evaluated_times(1);
    NVTX_MARK("no domain", .category = NVTXH_CATEGORY_ID(counted(3)));
    evaluated_times(1);
    logged("train mark [all] cat=gemm color=80010203 i32=-1; mark [no domain] cat=3");
}

/* A mark is an expression of type void. */
static void expression(void **state) {
    int x = 1;

    (void)state;
    if (x)
        NVTX_MARK("if");
    else
        NVTX_MARK("else");
    x = (NVTX_MARK("comma"), 5);
    assert_int_equal(x, 5);
    x == 5 ? NVTX_MARK("yes") : NVTX_MARK("no");
    logged("mark [if]; mark [comma]; mark [yes]");
}

static void formatted(void **state) {
    (void)state;
    NVTX_MARKF("step %d of %s", counted(3), "ten");
    evaluated_times(1);
    NVTX_MARKF("no arguments");
    NVTX_MARKF("%d%%", 50);
    logged("mark 'step 3 of ten'; mark 'no arguments'; mark '50%'");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(attributes),
        CASE(expression),
        CASE(formatted),
    };

    return RUN(tests);
}
