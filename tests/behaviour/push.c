/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test.h"

#include <pthread.h>

NVTX_DOMAIN(train, "train");
NVTX_DOMAIN(load, "load");
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

/* Every domain has its own stack. */
static void domains(void **state) {
    (void)state;
    assert_int_equal(NVTX_PUSH("a"), depth(0));
    assert_int_equal(NVTX_PUSH("b", .domain = &train), depth(0));
    assert_int_equal(NVTX_PUSH("c", .domain = &load), depth(0));
    assert_int_equal(NVTX_PUSH("d", .domain = &train), depth(1));
    assert_int_equal(NVTX_POP(), depth(0));
    assert_int_equal(NVTX_POP(.domain = &train), depth(1));
    assert_int_equal(NVTX_POP(.domain = &load), depth(0));
    assert_int_equal(NVTX_POP(.domain = &train), depth(0));
    logged("push [a]; train push [b]; load push [c]; train push [d]; pop; train pop; load pop; "
           "train pop");
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

/* Scopes and pushes share the stack. */
static void with_scopes(void **state) {
    (void)state;
    {
        NVTX_SCOPE("scope");
        assert_int_equal(NVTX_PUSH("push"), depth(1));
        { NVTX_SCOPE("inner"); }
        assert_int_equal(NVTX_POP(), depth(1));
    }
    logged("push [scope]; push [push]; push [inner]; pop; pop; pop");
}

/* Pushed in one function, popped in another; values may be left alone without a warning. */
static void begin_phase(void) {
    NVTX_PUSH("phase");
}

static void end_phase(void) {
    NVTX_POP();
}

static void across_functions(void **state) {
    (void)state;
    begin_phase();
    NVTX_MARK("in");
    end_phase();
    logged("push [phase]; mark [in]; pop");
}

/* Every thread has its own stack. */
static void *on_thread(void *depth_there) {
    *(int *)depth_there = NVTX_PUSH("other");
    NVTX_POP();
    return NULL;
}

static void threads(void **state) {
    pthread_t thread;
    int there = 99;

    (void)state;
    assert_int_equal(NVTX_PUSH("mine"), depth(0));
    assert_int_equal(pthread_create(&thread, NULL, on_thread, &there), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(there, depth(0));
    assert_int_equal(NVTX_POP(), depth(0));
    logged("push [mine]; push [other]; pop; pop");
}

NVTX_DOMAIN(unused, "unused");

/* A pop without a push may be the first event of its domain. */
static void first_of_domain(void **state) {
    (void)state;
    NVTX_PUSH("in the default domain");
    NVTX_POP(.domain = &unused);
    NVTX_POP();
    logged("push [in the default domain]; unused pop!; pop");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(first_of_domain), CASE(depths),      CASE(domains),          CASE(attributes),
        CASE(formatted),       CASE(with_scopes), CASE(across_functions), CASE(threads),
    };

    return RUN(tests);
}
