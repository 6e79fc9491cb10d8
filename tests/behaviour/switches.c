/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the environment and nvtxh_domain_enable() switch off. The environment is read at the first
 * annotation, so each case runs in a child of its own, and the parent has no annotation. */
#include "test.h"

#include "nvtxh/capture.h"
#include "nvtxh/counter.h"
#include "nvtxh/stats.h"
#include <sys/wait.h>

NVTX_DOMAIN(train, "train");
NVTX_DOMAIN(load, "load");
NVTXH_COUNTER(tokens, &train, "tokens");

/* In both domains and the default one. */
static void everything(void) {
    struct nvtxh_domain *in[] = {NULL, &train, &load};
    int i;

    for (i = 0; i < 3; i++) {
        NVTX_SCOPE("scope", .domain = in[counted(i)]);
    }
    nvtxh_counter_set(&tokens, counted(3));
}

/* Runs CASE in a child, with these variables. */
static void in_child(void (*run)(void), const char *name, const char *value) {
    int status;
    pid_t child;

    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (!child) {
        if (name)
            setenv(name, value, 1);
        log_reset();
        run();
        fflush(NULL);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void nothing(void) {
    nvtxh_stats_enable(true);
    everything();
    never_evaluated();
    assert_false(nvtxh_listening());
    nvtxh_thread_name("io");
    assert_false(nvtxh_capture_enabled());
    assert_false(nvtxh_capture_start("capture", NVTXH_CAPTURE_PROFILER));
    assert_int_equal(nvtxh_stats_find("scope").count, 0);
    logged("");
    assert_int_equal(log_count(LOG_INIT, NULL, NULL), 0); /* no tool has been loaded */
}

/* The first call of a process looks for a tool. */
static void asks(void) {
    assert_int_equal(nvtxh_listening(), tool());
}

static void all(void) {
    everything();
    logged(
        EXTENDED("push [scope]; pop; train push [scope]; train pop; load push [scope]; load pop; "
                 "train counter 'tokens' 3",
                 "push [scope]; pop; train push [scope]; train pop; load push [scope]; load pop; "
                 "train mark 'tokens' i32=3"));
}

static void without_train(void) {
    everything();
    evaluated_times(4);
    logged("push [scope]; pop; load push [scope]; load pop");
    nvtxh_domain_enable(&train, true); /* the program has the last word */
    all();
    nvtxh_domain_enable(&train, false);
    everything();
    logged("push [scope]; pop; load push [scope]; load pop");
}

static void by_environment(void **state) {
    (void)state;
    in_child(nothing, "NVTXH_DISABLE", "1");
    in_child(nothing, "NVTX_DISABLE", "anything");
    in_child(asks, NULL, NULL);
    in_child(all, NULL, NULL);
    in_child(without_train, "NVTXH_DOMAIN_EXCLUDE", "x, train");
    in_child(without_train, "NVTXH_DOMAIN_INCLUDE", "trai,load,default,trainx");
}

/* Before the first annotation, and for statistics. */
static void first(void) {
    nvtxh_domain_enable(&train, false);
    nvtxh_stats_enable(true);
    everything();
    assert_true(nvtxh_listening() == compiled_in);
    logged("push [scope]; pop; load push [scope]; load pop");
    assert_int_equal(nvtxh_stats_find("load:scope").count, compiled_in);
    assert_int_equal(nvtxh_stats_find("train:scope").count, 0);
    nvtxh_domain_enable(&train, true);
    everything();
    assert_int_equal(nvtxh_stats_find("train:scope").count, compiled_in);
    assert_int_equal(nvtxh_stats_find(":scope").count, 2 * compiled_in);
}

/* A name is switched, whatever the domain object, also one that is made later. */
NVTXH_DOMAIN(train_too, "train");
NVTXH_DOMAIN_INLINE(default_too, "default");

static void by_name(void) {
    nvtxh_domain_enable(&train_too, false);
    nvtxh_domain_enable(&default_too, false);
    NVTX_MARK("one", .domain = &train);
    NVTX_MARK("two", .domain = nvtxh_domain_named("train"));
    NVTX_MARK("three");
    NVTX_MARK("four", .domain = &load);
    nvtxh_domain_enable(nvtxh_domain_named("train"), true);
    NVTX_MARK("five", .domain = &train_too);
    NVTX_MARK("six", .domain = &train);
    nvtxh_domain_enable(&train, false);
    nvtxh_domain_enable(NULL, true);
    NVTX_MARK("seven", .domain = &train_too);
    NVTX_MARK("eight", .domain = &default_too);
    logged("load mark [four]; train mark [five]; train mark [six]; default mark [eight]");
}

static void by_program(void **state) {
    (void)state;
    in_child(by_name, NULL, NULL);
    in_child(first, NULL, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {CASE(by_environment), CASE(by_program)};

    return RUN(tests);
}
