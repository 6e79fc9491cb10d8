/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test.h"

NVTX_DOMAIN(train, "train");
NVTX_DOMAIN(load, "load");

/* Must be the first test. Paused before anything else, the program does not even load the tool. */
static void paused_from_the_start(void **state) {
    (void)state;
    assert_int_equal(nvtxh_enabled(), compiled_in);
    nvtxh_enable(false);
    assert_false(nvtxh_enabled());
    {
        NVTX_SCOPE("a", .payload = nvtxh_payload(counted(1)));
        NVTX_MARK("b");
        nvtxh_end(NVTX_START("c"));
    }
    NVTX_PUSH("d");
    never_evaluated();
    assert_int_equal(log_count(LOG_INIT, NULL, NULL), 0);
    nvtxh_enable(true);
    assert_int_equal(NVTX_POP(), -2); /* its push was left out */
    assert_int_equal(nvtxh_enabled(), compiled_in);
    { NVTX_SCOPE("e"); }
    assert_int_equal(log_count(LOG_INIT, NULL, NULL), tool());
    logged("push [e]; pop");
}

static void listening(void **state) {
    (void)state;
    assert_int_equal(nvtxh_listening(), tool());
    nvtxh_enable(false);
    assert_int_equal(nvtxh_listening(), tool()); /* the listener is still there */
    assert_false(nvtxh_enabled());
    nvtxh_enable(true);
    assert_int_equal(nvtxh_listening(), tool());
    assert_int_equal(nvtxh_enabled(), compiled_in);
}

/* While paused, nobody sees what begins, and nothing is evaluated, except thread names. */
static void paused(void **state) {
    (void)state;
    nvtxh_enable(false);
    {
        NVTX_SCOPE("a", .payload = nvtxh_payload(counted(1)));
        NVTX_SCOPEF("b %d", counted(1));
        NVTXH_SCOPE_IF(counted(1), "c");
        NVTX_MARK("d", .payload = nvtxh_payload(counted(1)));
        NVTX_MARKF("e %d", counted(1));
        nvtxh_end(NVTX_START("f", .payload = nvtxh_payload(counted(1))));
        nvtxh_end(NVTXH_STARTF("g %d", counted(1)));
    }
    never_evaluated();
    assert_int_equal(NVTX_PUSH("h"), -2);
    assert_int_equal(NVTXH_PUSHF("i %d", 1), -2);
    assert_int_equal(NVTX_POP(), -2);
    assert_int_equal(NVTX_POP(), -2);
    logged("");
    nvtxh_thread_name("named");
    nvtxh_enable(true);
    logged("thread 'named'");
}

/* A pop ends the push it belongs to, or is left out with it. */
static void pushes_across(void **state) {
    (void)state;
    NVTX_PUSH("a");
    nvtxh_enable(false);
    NVTX_PUSH("b");
    NVTX_PUSH("c");
    nvtxh_enable(true);
    NVTX_PUSH("d");
    NVTX_PUSH("e");
    nvtxh_enable(false);
    NVTX_PUSH("f");
    assert_int_equal(NVTX_POP(), -2);              /* f */
    assert_int_equal(NVTX_POP(), tool() ? 2 : -2); /* e */
    nvtxh_enable(true);
    assert_int_equal(NVTX_POP(), tool() ? 1 : -2); /* d */
    assert_int_equal(NVTX_POP(), -2);              /* c */
    NVTX_MARK("between");
    assert_int_equal(NVTX_POP(), -2);              /* b */
    assert_int_equal(NVTX_POP(), tool() ? 0 : -2); /* a */
    logged("push [a]; push [d]; push [e]; pop; pop; mark [between]; pop");
}

/* Each domain on its own, in any order. */
static void pushes_across_domains(void **state) {
    (void)state;
    NVTX_PUSH("a", .domain = &train);
    nvtxh_enable(false);
    NVTX_PUSH("b", .domain = &train);
    NVTX_PUSH("c", .domain = &load);
    NVTX_PUSH("d");
    nvtxh_enable(true);
    NVTX_PUSH("e", .domain = &load);
    NVTX_POP(.domain = &train); /* b */
    NVTX_POP(.domain = &train); /* a */
    NVTX_POP(.domain = &load);  /* e */
    NVTX_PUSH("f", .domain = &train);
    NVTX_POP();                 /* d */
    NVTX_POP(.domain = &load);  /* c */
    NVTX_POP(.domain = &train); /* f */
    logged("train push [a]; load push [e]; train pop; load pop; train push [f]; train pop");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(paused_from_the_start), CASE(listening), CASE(paused), CASE(pushes_across),
        CASE(pushes_across_domains),
    };

    return RUN(tests);
}
