/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * pthread_exit() and pthread_cancel() in scopes end them, innermost first, where the file is
 * compiled with -fexceptions. Needs the logging tool.
 */
#include "nvtxh.h"
#include "check.h"

#include <pthread.h>

NVTX_DOMAIN(train, "train");
NVTX_DOMAIN(slow, "slow");
NVTX_CATEGORY(slow_category, &slow, "slow category");

static void leave(int way) {
    NVTX_SCOPE("innermost", .domain = &train);

    if (way)
        for (;;)
            pause(); /* until it is cancelled */
    pthread_exit(NULL);
}

static void *run(void *way) {
    NVTX_SCOPE("outer");

    NVTXH_BLOCK("block") {
        NVTXH_SCOPE_AS(ended, "ended early");

        nvtxh_scope_end(&ended);
        leave(way != NULL);
    }
    NVTX_MARK("not reached");
    return NULL;
}

#define EXPECTED                                                                                   \
    "push [outer]; push [block]; push [ended early]; pop; train push [innermost]; train pop; "     \
    "pop; pop"

/* To be cancelled while it makes the first events of a domain, with a slow tool. */
static void *first_events(void *unused) {
    NVTX_SCOPE("first", .domain = &slow, .category = &slow_category);
    NVTX_SCOPE("second", .domain = &slow);
    NVTX_SCOPE("third", .domain = &slow);

    pause();
    return unused;
}

static void cancel_in_tool(void) {
    pthread_t thread;

    alarm(30);
    check(!pthread_create(&thread, NULL, first_events, NULL));
    while (!log_count(LOG_DOMAIN, NULL, "slow"))
        usleep(100);
    check(!pthread_cancel(thread));
    check(!pthread_join(thread, NULL));
    check_balance();
    { NVTX_SCOPE("others go on", .domain = &slow, .category = &slow_category); }
    check(log_count(LOG_PUSH, "slow", "others go on") == 1);
    check(log_count(LOG_DOMAIN, NULL, "slow") == 1);
}

int main(int argc, char **argv) {
    static char cancelled;
    pthread_t thread;

    (void)argv;
    if (argc > 1) {
        cancel_in_tool();
        return 0;
    }
    check(!pthread_create(&thread, NULL, run, NULL));
    check(!pthread_join(thread, NULL));
    logged(EXPECTED);

    check(!pthread_create(&thread, NULL, run, &cancelled));
    while (!log_count(LOG_PUSH, "train", "innermost") ||
           log_at(log_size() - 1)->kind != LOG_PUSH) /* until it is in there */
        usleep(1000);
    check(!pthread_cancel(thread));
    check(!pthread_join(thread, NULL));
    logged(EXPECTED);
    check_balance();
    return 0;
}
