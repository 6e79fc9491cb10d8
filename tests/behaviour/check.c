/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define NVTXH_CHECK
#include "check.h"

#include <pthread.h>
#include <sys/wait.h>

NVTX_DOMAIN(train, "train");
NVTX_DOMAIN(load, "load");
static const unsigned gemm_line __attribute__((unused)) = __LINE__ + 1;
NVTX_CATEGORY(gemm, &train, "gemm");
NVTX_CATEGORY(plain, NULL, "plain");

/* --- mistakes --------------------------------------------------------------------------------- */

/* A category used in a domain not its own, with each macro; a plain one in a domain too. */
static void foreign_category(void **state) {
    static const char in_train[] =
        "'%s' in domain '%s' uses category 'gemm' (%s:%u), which belongs to domain 'train'";
    struct nvtxh_range range;
    unsigned line = 0;
    int i;

    (void)state;
    BEGIN;
    for (i = 0; i < 2; i++) {
        line = __LINE__ + 1;
        NVTX_SCOPE("a", .domain = &load, .category = &gemm);
        NVTX_MARK("b", .category = &gemm);
        NVTX_PUSH("c", .domain = &load, .category = &gemm);
        NVTX_POP(.domain = &load);
        range = NVTX_START("d", .domain = &load, .category = &gemm);
        nvtxh_end(range);
        NVTX_MARK("e", .domain = &train, .category = &plain);
    }
    expect(line, in_train, "a", "load", __FILE__, gemm_line);
    expect(line + 1, in_train, "b", "(default)", __FILE__, gemm_line);
    expect(line + 2, in_train, "c", "load", __FILE__, gemm_line);
    expect(line + 4, in_train, "d", "load", __FILE__, gemm_line);
    expect(line + 6,
           "'e' in domain 'train' uses category 'plain' (%s:%u), which belongs to domain "
           "'(default)'",
           __FILE__, gemm_line + 1);
    END;
}

/* A child is not checked for its parent's ranges. */
static void parents_range(void **state) {
    struct nvtxh_range range = NVTX_START("of the parent");
    int status;
    pid_t child;

    (void)state;
    BEGIN;
    fflush(NULL);
    child = fork();
    if (!child)
        exit(0);
    assert_int_equal(waitpid(child, &status, 0), child);
    END;
    nvtxh_end(range);
    log_reset();
}

static pid_t fork_child(void) {
    pid_t child;

    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    return child;
}

/* It ends by exit(3). */
static void wait_for(pid_t child) {
    int status;

    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 3);
}

static void *push_there(void *unused) {
    NVTX_PUSH("left by a thread");
    NVTX_PUSH("popped there");
    NVTX_POP();
    return unused;
}

/* Pushes that are never popped: by the thread that exits, and by one that has ended. */
static void never_popped(void **state) {
    const unsigned line = __LINE__ + 11, there = __LINE__ - 8;
    int i;
    pthread_t thread;
    pid_t child;

    (void)state;
    BEGIN;
    child = fork_child();
    if (!child) {
        NVTX_PUSH("popped");
        for (i = 0; i < 2; i++) {
            NVTX_PUSH("left", .domain = &train);
        }
        NVTX_POP();
        pthread_create(&thread, NULL, push_there, NULL);
        pthread_join(thread, NULL);
        exit(3);
    }
    wait_for(child);
    expect(there, "'left by a thread' was pushed, and has not been popped at exit");
    expect(line, "'left' was pushed, and has not been popped at exit");
    END;
}

static void *leave_scope(void *unused) {
    NVTX_SCOPE("left");
    pthread_exit(unused);
}

static void *stay_in_scope(void *is_there) {
    NVTX_SCOPE("stays");
    __atomic_store_n((int *)is_there, 1, __ATOMIC_RELEASE);
    while (pause()) {
    }
    return NULL;
}

/* pthread_exit ends scopes where code is compiled with -fexceptions. The scopes of the thread that
 * exits, and those of a thread that runs, are right. */
static void left_by_thread(void **state) {
    const unsigned there = __LINE__ - 15;
    int is_there = 0;
    pthread_t thread;
    pid_t child;

    (void)state;
    BEGIN;
    child = fork_child();
    if (!child) {
        NVTX_SCOPE("of main");
        pthread_create(&thread, NULL, leave_scope, NULL);
        pthread_join(thread, NULL);
        pthread_create(&thread, NULL, stay_in_scope, &is_there);
        while (!__atomic_load_n(&is_there, __ATOMIC_ACQUIRE))
            usleep(100);
        exit(3);
    }
    wait_for(child);
#ifndef __EXCEPTIONS
    expect(there, "scope 'left' had not ended when its thread did; compile C with -fexceptions, so "
                  "that pthread_exit and pthread_cancel end scopes; in coroutines use "
                  "NVTXH_RANGE_SCOPE");
#endif
    (void)there;
    END;
}

/* --- right programs: nothing is reported ------------------------------------------------------ */

__attribute__((unused)) static int evaluate(int x) {
    NVTX_SCOPE("in an attribute");
    return x;
}

static void *end_range(void *range) {
    NVTX_SCOPE("there");
    nvtxh_end(*(struct nvtxh_range *)range);
    return NULL;
}

static void deep(int n) {
    NVTX_SCOPE("deep");
    NVTX_PUSH("pushed", .domain = &train);
    if (n)
        deep(n - 1);
    NVTX_POP(.domain = &train);
}

static int ways_out(int way) {
    NVTX_FUNC(.payload = nvtxh_payload(evaluate(way)));
    NVTXH_SCOPE_IF(way == 1, "conditional");

    NVTXH_BLOCK("block", .domain = &train, .category = &gemm) {
        if (way == 2)
            break;
        if (way == 3)
            return 1;
    }
    if (way == 4)
        goto out;
    {
        NVTX_SCOPEF("formatted %d", way);
        NVTX_MARKF("mark");
    }
out:
    return 0;
}

static void right(void **state) {
    struct nvtxh_range range, copy;
    pthread_t thread;
    int i;

    (void)state;
    BEGIN;
    for (i = 0; i < 5; i++)
        ways_out(i);
    deep(1000);
    NVTXH_PUSHF("f %d", 1);
    NVTX_MARK("a", .domain = &train, .category = &gemm);
    NVTX_MARK("a", .category = &plain);
    NVTX_MARK("a", .domain = &load, .category = NVTXH_CATEGORY_ID(4));
    NVTX_PUSH("a", .domain = &train);
    NVTX_POP();
    NVTX_POP(.domain = &train);
    range = NVTX_START("range", .domain = &train, .category = &gemm);
    copy = range;
    assert_int_equal(pthread_create(&thread, NULL, end_range, &range), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    nvtxh_end(copy);
    nvtxh_end(range);
    {
        NVTXH_SCOPE_AS(first, "first");
        nvtxh_scope_end(&first);
        nvtxh_scope_end(&first);
        NVTX_SCOPE("second");
    }
    END;
}

/* Also across a pause, on whichever side of it things begin and end. */
static void right_in_pauses(void **state) {
    struct nvtxh_range range;

    (void)state;
    BEGIN;
    {
        NVTX_SCOPE("outer");
        NVTX_PUSH("before");
        nvtxh_enable(false);
        {
            NVTX_SCOPE("inner");
            NVTX_PUSH("within");
            range = NVTX_START("range");
            nvtxh_enable(true);
            NVTX_POP();
        }
        NVTX_POP();
        nvtxh_end(range);
    }
    END;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(foreign_category), CASE(never_popped), CASE(left_by_thread),
        CASE(parents_range),    CASE(right),        CASE(right_in_pauses),
    };

    return RUN(tests);
}
