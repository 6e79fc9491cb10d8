/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whichever macro runs first in the process, it finds out who listens before it evaluates arguments.
 * Each is tried in a child of its own; the parent runs no annotation. */
#include "test.h"

#include <sys/wait.h>

NVTX_DOMAIN(train, "train");

static void scope(void) {
    NVTX_SCOPE("scope", .payload = nvtxh_payload(counted(1)));
}

static void scope_if(void) {
    NVTXH_SCOPE_IF(counted(1), "scope if");
}

static void func(void) {
    NVTX_FUNC(.color = counted(1) ? NVTXH_RED : 0u);
}

static void func_if(void) {
    NVTXH_FUNC_IF(counted(1));
}

static void scope_as(void) {
    NVTXH_SCOPE_AS(named, "scope as", .payload = nvtxh_payload(counted(1)));
    nvtxh_scope_end(&named);
}

static void block(void) {
    NVTXH_BLOCK("block", .payload = nvtxh_payload(counted(1))) {
    }
}

static void scopef(void) {
    NVTX_SCOPEF("scope %d", counted(1));
}

static void mark(void) {
    NVTX_MARK("mark", .domain = counted(1) ? &train : NULL);
}

static void markf(void) {
    NVTX_MARKF("mark %d", counted(1));
}

static void push(void) {
    NVTX_PUSH("push", .payload = nvtxh_payload(counted(1)));
}

static void pushf(void) {
    NVTXH_PUSHF("push %d", counted(1));
}

static void pop(void) {
    NVTX_POP(.domain = counted(1) ? &train : NULL);
}

static void start(void) {
    nvtxh_end(NVTX_START("start", .payload = nvtxh_payload(counted(1))));
}

static void startf(void) {
    nvtxh_end(NVTXH_STARTF("start %d", counted(1)));
}

static void ends_nothing(void) {
    struct nvtxh_range none;

    memset((void *)&none, 0, sizeof(none));
    nvtxh_end(none);
    assert_int_equal(log_size(), 0); /* and nobody has looked for a tool */
    mark();
}

static void asks(void) {
    evaluated = nvtxh_listening();
}

static void each(void **state) {
    static void (*const macros[])(void) = {scope,  scope_if, func,         func_if, scope_as, block,
                                           scopef, mark,     markf,        push,    pushf,    pop,
                                           start,  startf,   ends_nothing, asks};
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(macros) / sizeof(macros[0]); i++) {
        int status;
        pid_t child = fork();

        assert_true(child >= 0);
        if (!child) {
            macros[i]();
            _exit(evaluated);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        if (WEXITSTATUS(status) != tool())
            print_error("macro %zu\n", i);
        assert_int_equal(WEXITSTATUS(status), tool());
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {CASE(each)};

    return RUN(tests);
}
