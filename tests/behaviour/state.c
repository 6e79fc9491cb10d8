/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test.h"

static struct nvtxh_range never_started __attribute__((unused));

/* Must be the first test. Neither the end of no range nor what is in a pause loads the tool. */
static void paused_from_the_start(void **state) {
    (void)state;
    nvtxh_end(never_started);
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
    nvtxh_thread_name("named");                  /* a command, not an event */
    logged("thread 'named'");
    assert_false(nvtxh_enabled());
    nvtxh_enable(true);
    assert_int_equal(nvtxh_listening(), tool());
    assert_int_equal(nvtxh_enabled(), compiled_in);
}

int main(void) {
    const struct CMUnitTest tests[] = {CASE(paused_from_the_start), CASE(listening)};

    return RUN(tests);
}
