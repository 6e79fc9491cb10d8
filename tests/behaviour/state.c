/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test.h"

#include <pthread.h>

NVTX_DOMAIN(train, "train");
NVTX_DOMAIN(load, "load");
NVTX_DOMAIN(d0, "d0");
NVTX_DOMAIN(d1, "d1");
NVTX_DOMAIN(d2, "d2");
NVTX_DOMAIN(d3, "d3");
NVTX_DOMAIN(d4, "d4");
NVTX_DOMAIN(d5, "d5");
NVTX_DOMAIN(d6, "d6");
NVTX_DOMAIN(d7, "d7");
NVTX_DOMAIN(d8, "d8");
NVTX_DOMAIN(d9, "d9");

static struct nvtxh_domain *const domains[]
    __attribute__((unused)) = {&d0, &d1, &d2, &d3, &d4, &d5, &d6, &d7, &d8, &d9};

/* Must be the first test. Paused before anything else, the program does not even load the tool. */
static void paused_from_the_start(void **state) {
    (void)state;
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
    assert_false(nvtxh_enabled());
    nvtxh_enable(true);
    assert_int_equal(nvtxh_listening(), tool());
    assert_int_equal(nvtxh_enabled(), compiled_in);
}

/* While paused, nobody sees what begins, and nothing is evaluated, except thread names. */
static void paused(void **state) {
    (void)state;
    nvtxh_enable(false);
    {
        NVTX_SCOPE("a", .payload = nvtxh_payload(counted(1)));
        NVTX_SCOPEF("b %d", counted(1));
        NVTXH_SCOPE_IF(counted(1), "c");
        NVTX_MARK("d", .payload = nvtxh_payload(counted(1)));
        NVTX_MARKF("e %d", counted(1));
        nvtxh_end(NVTX_START("f", .payload = nvtxh_payload(counted(1))));
        nvtxh_end(NVTXH_STARTF("g %d", counted(1)));
    }
    never_evaluated();
    assert_int_equal(NVTX_PUSH("h"), -2);
    assert_int_equal(NVTXH_PUSHF("i %d", 1), -2);
    assert_int_equal(NVTX_POP(), -2);
    assert_int_equal(NVTX_POP(), -2);
    logged("");
    nvtxh_thread_name("named");
    nvtxh_enable(true);
    logged("thread 'named'");
}

/* A scope ends if its beginning was seen, whether or not nvtxh is paused then. */
static void scopes_across(void **state) {
    (void)state;
    {
        NVTX_SCOPE("open");
        nvtxh_enable(false);
        {
            NVTX_SCOPE("left out");
            nvtxh_enable(true);
        }
        NVTX_SCOPE("seen");
        nvtxh_enable(false);
    }
    logged("push [open]; push [seen]; pop; pop");
    {
        NVTX_SCOPE("left out");
        NVTXH_SCOPE_AS(named, "left out");
        nvtxh_enable(true);
        nvtxh_scope_end(&named);
        NVTX_MARK("mark");
    }
    logged("mark [mark]");
}

static void ranges_across(void **state) {
    struct nvtxh_range before, within;

    (void)state;
    before = NVTX_START("before");
    nvtxh_enable(false);
    within = NVTX_START("within");
    nvtxh_end(before);
    nvtxh_enable(true);
    nvtxh_end(within);
    logged("start [before] #1; end #1");
}

/* A pop ends the push it belongs to, or is left out with it. */
static void pushes_across(void **state) {
    (void)state;
    NVTX_PUSH("a");
    nvtxh_enable(false);
    NVTX_PUSH("b");
    NVTX_PUSH("c");
    nvtxh_enable(true);
    NVTX_PUSH("d");
    NVTX_PUSH("e");
    nvtxh_enable(false);
    NVTX_PUSH("f");
    assert_int_equal(NVTX_POP(), -2);              /* f */
    assert_int_equal(NVTX_POP(), tool() ? 2 : -2); /* e */
    nvtxh_enable(true);
    assert_int_equal(NVTX_POP(), tool() ? 1 : -2); /* d */
    assert_int_equal(NVTX_POP(), -2);              /* c */
    NVTX_MARK("between");
    assert_int_equal(NVTX_POP(), -2);              /* b */
    assert_int_equal(NVTX_POP(), tool() ? 0 : -2); /* a */
    logged("push [a]; push [d]; push [e]; pop; pop; mark [between]; pop");
}

/* Each domain on its own, in any order. */
static void pushes_across_domains(void **state) {
    (void)state;
    NVTX_PUSH("a", .domain = &train);
    nvtxh_enable(false);
    NVTX_PUSH("b", .domain = &train);
    NVTX_PUSH("c", .domain = &load);
    NVTX_PUSH("d");
    nvtxh_enable(true);
    NVTX_PUSH("e", .domain = &load);
    NVTX_POP(.domain = &train); /* b */
    NVTX_POP(.domain = &train); /* a */
    NVTX_POP(.domain = &load);  /* e */
    NVTX_PUSH("f", .domain = &train);
    NVTX_POP();                 /* d */
    NVTX_POP(.domain = &load);  /* c */
    NVTX_POP(.domain = &train); /* f */
    logged("train push [a]; load push [e]; train pop; load pop; train push [f]; train pop");
}

/* A push left out on one thread has nothing to do with another. */
static void *push_and_pop(void *unused) {
    (void)unused;
    NVTX_PUSH("other");
    NVTX_POP();
    return NULL;
}

static void pushes_across_threads(void **state) {
    pthread_t thread;

    (void)state;
    nvtxh_enable(false);
    NVTX_PUSH("left out");
    nvtxh_enable(true);
    assert_int_equal(pthread_create(&thread, NULL, push_and_pop, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    NVTX_POP();
    logged("push [other]; pop");
}

/* Does the log balance? Every pop in it closed something, and nothing is left open. */
static void balanced(size_t pushes) {
    char *text = log_text(0), *p;
    size_t n = 0;

    assert_null(strstr(text, "pop!"));
    for (p = text; (p = strstr(p, "push ")); p++)
        n++;
    assert_in_range(n, tool() ? pushes : 0, tool() ? 1000 : 0);
    for (p = text; (p = strstr(p, "pop")); p++)
        n--;
    assert_int_equal(n, 0);
    free(text);
    log_reset();
}

/* However often it is switched between pushes, and in however many domains, nothing is lost. */
static void balance(void **state) {
    int i, turn;

    (void)state;
    for (i = 0; i < 100; i++) {
        nvtxh_enable(i & 1);
        NVTX_PUSH("alternating");
    }
    for (i = 0; i < 100; i++) {
        nvtxh_enable(i & 2);
        NVTX_POP();
    }
    nvtxh_enable(true);
    balanced(50);
    for (turn = 0; turn < 4; turn++) {
        nvtxh_enable(turn & 1);
        for (i = 0; i < 10; i++)
            NVTX_PUSH("in many domains", .domain = domains[i]);
    }
    for (i = 0; i < 40; i++) {
        nvtxh_enable(i % 3);
        NVTX_POP(.domain = domains[i * 7 % 10]);
    }
    nvtxh_enable(true);
    balanced(20);
    /* Afterwards nothing is left out any more. */
    for (i = 0; i < 10; i++) {
        NVTX_PUSH("a", .domain = domains[i]);
        NVTX_POP(.domain = domains[i]);
    }
    balanced(10);
}

/* Other threads see the switch. */
static void *mark(void *unused) {
    (void)unused;
    NVTX_MARK("there");
    return NULL;
}

static void other_threads(void **state) {
    pthread_t thread;

    (void)state;
    nvtxh_enable(false);
    assert_int_equal(pthread_create(&thread, NULL, mark, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    logged("");
    nvtxh_enable(true);
    assert_int_equal(pthread_create(&thread, NULL, mark, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    logged("mark [there]");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(paused_from_the_start),
        CASE(listening),
        CASE(paused),
        CASE(scopes_across),
        CASE(ranges_across),
        CASE(pushes_across),
        CASE(pushes_across_domains),
        CASE(pushes_across_threads),
        CASE(balance),
        CASE(other_threads),
    };

    return RUN(tests);
}
