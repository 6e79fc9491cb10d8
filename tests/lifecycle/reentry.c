/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A tool that calls annotated code, in its own domain, does not hang, and its events arrive
 * complete. Needs the logging tool. */
#include "nvtxh.h"
#include "check.h"

NVTX_DOMAIN(train, "train");
NVTX_DOMAIN(tool, "tool");
NVTX_CATEGORY(gemm, &train, "gemm");

static int calls, within;

static void hook(enum log_kind kind) {
    (void)kind;
    if (within++ == 0) {
        NVTX_SCOPE("in the tool", .domain = &tool);
        NVTX_MARK("in the tool");
        NVTX_MARKF("call %d", calls++);
        nvtxh_end(NVTX_START("range"));
        nvtxh_thread_name("tool");
        nvtxh_enable(true);
    }
    within--;
}

int main(void) {
    alarm(20);
    log_set_hook(hook);
    {
        NVTX_SCOPE("first", .domain = &train, .category = &gemm);
        NVTX_MARK("second", .domain = &train);
        NVTX_MARK("third");
    }
    log_set_hook(NULL);
    check(calls > 3);
    { NVTX_SCOPE("after", .domain = &tool); }
    /* What the tool itself does: all of it, each time. */
    check(log_count(LOG_PUSH, "tool", "in the tool") == (size_t)calls);
    check(log_count(LOG_MARK, NULL, "in the tool") == (size_t)calls);
    check(log_count(LOG_MARK, NULL, "call 3") == 1);
    check(log_count(LOG_START, NULL, "range") == (size_t)calls);
    check(log_count(LOG_THREAD, NULL, "tool") == (size_t)calls);
    check(log_count(LOG_PUSH, "train", "first") == 1);
    check(log_count(LOG_MARK, "train", "second") == 1);
    check(log_count(LOG_PUSH, "tool", "after") == 1);
    check_balance();
    return 0;
}
