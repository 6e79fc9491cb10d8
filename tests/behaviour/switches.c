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

/* Each kind of annotation, in both domains and the default one. */
static void everything(void) {
    struct nvtxh_domain *in[] = {NULL, &train, &load};
    int i;

    for (i = 0; i < 3; i++) {
        NVTX_SCOPE("scope", .domain = in[counted(i)]);
        NVTXH_SCOPEF_WITH(("f %d", i), .domain = in[i]);
        NVTX_MARK("mark", .domain = in[i]);
        NVTXH_MARKF_WITH(("f %d", i), .domain = in[i]);
        NVTX_PUSH("push", .domain = in[i]);
        NVTXH_PUSHF_WITH(("f %d", i), .domain = in[i]);
        NVTX_POP(.domain = in[i]);
        NVTX_POP(.domain = in[i]);
        nvtxh_end(NVTX_START("start", .domain = in[i]));
        nvtxh_end(NVTXH_STARTF_WITH(("f %d", i), .domain = in[i]));
    }
    {
        NVTX_SCOPE("plain");
        NVTX_SCOPEF("f");
        NVTX_MARK("plain");
        NVTX_MARKF("f");
        NVTX_PUSH("plain");
        NVTX_PUSHF("f");
        NVTX_POP();
        NVTX_POP();
        nvtxh_end(NVTX_START("plain"));
        nvtxh_end(NVTX_STARTF("f"));
    }
    nvtxh_counter_set(&tokens, 3);
}

/* Events before this one do not count. */
static size_t from;

static void forget(void) {
    from = log_size();
    log_reset();
}

/* How many events a domain got, beginnings less ends. NULL: NVTX's default domain. */
static void seen(const char *domain, int events) {
    int n = 0, open = 0;
    size_t i;

    for (i = from; i < log_size(); i++) {
        const struct log_event *event = log_at(i);

        if (event->kind < LOG_PUSH || event->kind > LOG_COUNTER ||
            strcmp(event->domain ? event->domain : "", domain))
            continue;
        assert_null(event->bad);
        n++;
        open += event->kind == LOG_PUSH || event->kind == LOG_START;
        open -= event->kind == LOG_POP || event->kind == LOG_END;
    }
    assert_int_equal(n, tool() ? events : 0);
    assert_int_equal(open, 0);
}

/* What everything() sends to each domain: the pushes of scopes and others, the pops, marks, starts
 * and ends; and in train the value of a counter, which is EXTENDED(a sample, a mark). */
enum { each = 4 + 4 + 2 + 2 + 2, in_default = 2 * each, in_train = each + 1, in_load = each };

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
        forget();
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

static void all(void) {
    everything();
    seen("", in_default);
    seen("train", in_train);
    seen("load", in_load);
}

static void without_train(void) {
    everything();
    seen("", in_default);
    seen("train", 0);
    seen("load", in_load);
    evaluated_times(3);
    nvtxh_domain_enable(&train, true); /* the program has the last word */
    forget();
    all();
}

static void only_default(void) {
    everything();
    seen("", in_default);
    seen("train", 0);
    seen("load", 0);
    {
        NVTX_SCOPE("scope", .domain = nvtxh_domain_named("train"));
        NVTXH_MARK_STRING(nvtxh_string_named(nvtxh_domain_named("other"), "text"));
        NVTXH_PUSH_STRING(nvtxh_string_named(nvtxh_domain_named("other"), "text"));
        NVTX_POP(.domain = nvtxh_domain_named("other"));
    }
    seen("train", 0);
    seen("other", 0);
}

static void train_and_load(void) {
    everything();
    seen("", 0);
    seen("train", in_train);
    seen("load", in_load);
}

static void by_environment(void **state) {
    (void)state;
    in_child(nothing, "NVTXH_DISABLE", "1");
    in_child(nothing, "NVTX_DISABLE", "anything");
    in_child(all, NULL, NULL);
    in_child(all, "NVTXH_DISABLE", "");
    in_child(all, "NVTXH_DOMAIN_EXCLUDE", "");
    in_child(all, "NVTXH_DOMAIN_INCLUDE", "");
    in_child(without_train, "NVTXH_DOMAIN_EXCLUDE", "train");
    in_child(without_train, "NVTXH_DOMAIN_INCLUDE", "trai,load,default,trainx");
    in_child(train_and_load, "NVTXH_DOMAIN_EXCLUDE", "x,default");
    in_child(train_and_load, "NVTXH_DOMAIN_INCLUDE", "load,train");
    in_child(train_and_load, "NVTXH_DOMAIN_INCLUDE", " tra in, \tload,  train");
    in_child(without_train, "NVTXH_DOMAIN_EXCLUDE", "trai, train");
    in_child(only_default, "NVTXH_DOMAIN_INCLUDE", "default");
    setenv("NVTXH_DOMAIN_EXCLUDE", "load", 1); /* without effect beside the other */
    in_child(train_and_load, "NVTXH_DOMAIN_INCLUDE", "load,train");
    unsetenv("NVTXH_DOMAIN_EXCLUDE");
}

/* What is open when its domain is switched off still ends, and what began while it was off does
 * not. */
static void open_ranges(void) {
    struct nvtxh_range range = NVTX_START("start", .domain = &train), left_out;
    {
        NVTX_SCOPE("scope", .domain = &train);
        NVTX_PUSH("push", .domain = &train);
        nvtxh_domain_enable(&train, false);
        nvtxh_domain_enable(&train, false);
        {
            NVTX_SCOPE("left out", .domain = &train);
            NVTX_PUSH("left out", .domain = &train);
            left_out = NVTX_START("left out", .domain = &train);
            NVTX_MARK("elsewhere");
            NVTX_MARK("elsewhere", .domain = &load);
            nvtxh_counter_set(&tokens, 4);
        }
        NVTX_POP(.domain = &train);
        NVTX_POP(.domain = &train);
    }
    nvtxh_end(range);
    nvtxh_domain_enable(&train, true);
    nvtxh_end(left_out);
    NVTX_MARK("again", .domain = &train);
    logged("train start [start] #1; train push [scope]; train push [push]; mark [elsewhere]; "
           "load mark [elsewhere]; train pop; train pop; train end #1; train mark [again]");
    nvtxh_domain_enable(NULL, false);
    forget();
    everything();
    seen("", 0);
    nvtxh_domain_enable(NVTXH_DOMAIN_DEFAULT, true);
    forget();
    all();
}

/* Before the first annotation, and for statistics. */
static void first(void) {
    nvtxh_domain_enable(&train, false);
    nvtxh_stats_enable(true);
    everything();
    assert_true(nvtxh_listening() == compiled_in);
    seen("", in_default);
    seen("train", 0);
    assert_int_equal(nvtxh_stats_find("load:scope").count, compiled_in);
    assert_int_equal(nvtxh_stats_find("train:scope").count, 0);
    nvtxh_domain_enable(&train, true);
    everything();
    assert_int_equal(nvtxh_stats_find("train:scope").count, compiled_in);
    assert_int_equal(nvtxh_stats_find("plain").count, compiled_in ? 8 : 0);
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
    in_child(open_ranges, NULL, NULL);
    in_child(first, NULL, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {CASE(by_environment), CASE(by_program)};

    return RUN(tests);
}
