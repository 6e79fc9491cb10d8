/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Scopes of other forms, conditional ones and blocks; and marks within expressions. */
#include "test.h"

/* The condition is evaluated once, at the start. If it is false, attributes are not evaluated. */
static void conditional(void **state) {
    bool wanted = true;

    (void)state;
    {
        NVTXH_SCOPE_IF(counted(wanted), "first", .payload = nvtxh_payload(counted(1)));
        wanted = false;
        NVTXH_SCOPE_IF(wanted, "second", .payload = nvtxh_payload(counted(1)));
        wanted = true;
    }
    evaluated_times(2);
    logged("push [first] i32=1; pop");
    { NVTXH_SCOPE_IF(counted(0), "third"); }
    evaluated_times(1);
    logged("");
}

/* A bare condition that is a pointer or a double will do, as in any `if`. */
static void condition_types(void **state) {
    const char *pointer = "x";

    (void)state;
    {
        NVTXH_SCOPE_IF(pointer != NULL, "pointer");
        NVTXH_SCOPE_IF(1 && pointer, "and");
        NVTXH_SCOPE_IF(pointer ? true : false, "choice");
    }
    logged("push [pointer]; push [and]; push [choice]; pop; pop; pop");
}

static int in_block(int way) {
    int i, n = 0;

    for (i = 0; i < 2; i++) {
        NVTXH_BLOCK("block", .payload = nvtxh_payload(counted(i))) {
            if (way == 1)
                break;
            if (way == 2)
                continue;
            if (way == 3)
                return 100;
            NVTX_MARK("whole");
        }
        n++;
    }
    return n;
}

/* break and continue leave the block, not the loop around it. */
static void block_form(void **state) {
    (void)state;
    assert_int_equal(in_block(0), 2);
    logged("push [block] i32=0; mark [whole]; pop; push [block] i32=1; mark [whole]; pop");
    evaluated_times(2);
    assert_int_equal(in_block(1), 2);
    logged("push [block] i32=0; pop; push [block] i32=1; pop");
    assert_int_equal(in_block(2), 2);
    logged("push [block] i32=0; pop; push [block] i32=1; pop");
    evaluated = 0;
    assert_int_equal(in_block(3), 100);
    logged("push [block] i32=0; pop");
    evaluated_times(1);
}

/* The block may be one statement, may be nested, and may be the body of an `if` with an `else`. */
static void block_bodies(void **state) {
    int i, turns = 0, elses = 0;

    (void)state;
    for (i = 0; i < 2; i++)
        if (i)
            NVTXH_BLOCK("outer")
                NVTXH_BLOCK("inner")
                    turns++;
        else
            elses++;
    assert_int_equal(turns, 1);
    assert_int_equal(elses, 1);
    logged("push [outer]; push [inner]; pop; pop");
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

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(conditional),  CASE(condition_types), CASE(block_form),
        CASE(block_bodies), CASE(expression),
    };

    return RUN(tests);
}
