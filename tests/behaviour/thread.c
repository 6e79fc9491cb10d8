/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test.h"

#include <pthread.h>

/* The name goes with the operating system's number of the calling thread. */
static void own(void **state)
{
    char name[] = "main \"thread\", renamed\n";

    (void)state;
    nvtxh_thread_name(counted(1) ? name : "");
    assert_int_equal(evaluated, compiled_in); /* a function, not a verb */
    memset(name, 'x', 4);                     /* the tool has its copy */
    if (tool()) {
        const struct log_event *event = log_at(log_size() - 1);

        assert_int_equal(event->kind, LOG_THREAD);
        assert_int_equal(event->category, syscall(SYS_gettid));
    }
    logged("thread 'main \"thread\", renamed\\x0a'");
}

static void *there(void *name)
{
    nvtxh_thread_name((const char *)name);
    return (void *)(uintptr_t)syscall(SYS_gettid);
}

static void others(void **state)
{
    static char name[] = "io";
    pthread_t thread;
    void *tid;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, there, name), 0);
    assert_int_equal(pthread_join(thread, &tid), 0);
    if (tool())
        assert_int_equal(log_at(log_size() - 1)->category, (uintptr_t)tid);
    logged("thread 'io'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {CASE(own), CASE(others)};

    return RUN(tests);
}
