/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <sys/prctl.h>

/* The name goes with the operating system's number of the calling thread. */
static void own(void **state) {
    char name[] = "main \"thread\", renamed\n";

    (void)state;
    nvtxh_thread_name(counted(1) ? name : "");
    assert_int_equal(evaluated, compiled_in); /* functions evaluate their arguments */
    memset(name, 'x', 4);                     /* the tool has its copy */
    if (tool()) {
        const struct log_event *event = log_at(log_size() - 1);

        assert_int_equal(event->kind, LOG_THREAD);
        assert_int_equal(event->category, syscall(SYS_gettid));
    }
    logged("thread 'main \"thread\", renamed\\x0a'");
}

static void *there(void *name) {
    nvtxh_thread_name((const char *)name);
    return (void *)(uintptr_t)syscall(SYS_gettid);
}

static void others(void **state) {
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

/* The system's name is set, too, whoever listens: at most 15 bytes, and no part of a character. */
static void system_name(void **state) {
    char before[16], name[16];

    (void)state;
    prctl(PR_GET_NAME, before, 0, 0, 0);
    errno = ERANGE;
    nvtxh_thread_name_os("short");
    assert_int_equal(errno, ERANGE);
    prctl(PR_GET_NAME, name, 0, 0, 0);
    assert_string_equal(name, compiled_in ? "short" : before);
    nvtxh_thread_name_os("fourteen bytes\xc3\xa9 and more");
    prctl(PR_GET_NAME, name, 0, 0, 0);
    assert_string_equal(name, compiled_in ? "fourteen bytes" : before);
    logged("thread 'short'; thread 'fourteen bytes\\xc3\\xa9 and more'");
    prctl(PR_SET_NAME, before, 0, 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {CASE(own), CASE(others), CASE(system_name)};

    return RUN(tests);
}
