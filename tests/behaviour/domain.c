/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define NVTXH_DEFAULT_DOMAIN mine
#include "test.h"
#include "domain_other.h"

#include <pthread.h>

NVTX_DOMAIN(mine, "mine");
NVTX_DOMAIN(train, "train");
NVTX_DOMAIN(same_name, "train");
NVTX_DOMAIN(never_used, "never used");
NVTX_DOMAIN(odd, "a \"name\", with\nall 'sorts'");

/* Only attributes call it. Where they are off, clang would warn that nobody uses it. */
__attribute__((unused)) static struct nvtxh_domain *domain_by_number(int i) {
    return i == 0 ? &mine : i == 1 ? &train : i == 2 ? &shared_domain : NVTXH_DOMAIN_DEFAULT;
}

/* The file's own domain is the default for every macro. */
static void of_file(void **state) {
    struct nvtxh_range range;

    (void)state;
    {
        NVTX_SCOPE("scope");
        NVTX_SCOPEF("scope %d", 1);
        NVTX_MARK("mark");
        NVTX_MARKF("mark %d", 2);
    }
    NVTX_PUSH("push");
    NVTXH_PUSHF("push %d", 3);
    NVTX_POP();
    NVTX_POP();
    range = NVTX_START("start");
    nvtxh_end(range);
    range = NVTXH_STARTF("start %d", 4);
    nvtxh_end(range);
    logged("mine push [scope]; mine push 'scope 1'; mine mark [mark]; mine mark 'mark 2'; "
           "mine pop; mine pop; mine push [push]; mine push 'push 3'; mine pop; mine pop; "
           "mine start [start] #1; mine end #1; mine start 'start 4' #2; mine end #2");
}

static void attribute(void **state) {
    (void)state;
    {
        NVTX_SCOPE("in train", .domain = &train);
        NVTX_SCOPE("in the default", .domain = NVTXH_DOMAIN_DEFAULT);
        NVTX_SCOPE("in the file's", .domain = NULL);
    }
    NVTX_PUSH("push", .domain = NVTXH_DOMAIN_DEFAULT);
    NVTX_POP(.domain = NVTXH_DOMAIN_DEFAULT);
    nvtxh_end(NVTX_START("range", .domain = NVTXH_DOMAIN_DEFAULT));
    NVTX_MARK("mark", .domain = NVTXH_DOMAIN_DEFAULT);
    logged("train push [in train]; push [in the default]; mine push [in the file's]; mine pop; "
           "pop; train pop; push [push]; pop; start [range] #1; end #1; mark [mark]");
}

static void in_some(int i) {
    NVTX_SCOPE("in some", .domain = domain_by_number(i));
    NVTX_MARK("in the middle");
}

/* One annotation in four domains: its string is registered once in each, and is that domain's. */
static void run_time(void **state) {
    int i;

    (void)state;
    for (i = 0; i < 8; i++)
        in_some(i % 4);
    logged("mine push [in some]; mine mark [in the middle]; mine pop; "
           "train push [in some]; mine mark [in the middle]; train pop; "
           "shared push [in some]; mine mark [in the middle]; shared pop; "
           "push [in some]; mine mark [in the middle]; pop; "
           "mine push [in some]; mine mark [in the middle]; mine pop; "
           "train push [in some]; mine mark [in the middle]; train pop; "
           "shared push [in some]; mine mark [in the middle]; shared pop; "
           "push [in some]; mine mark [in the middle]; pop");
    assert_int_equal(log_count(LOG_STRING, "mine", "in some"), tool());
    assert_int_equal(log_count(LOG_STRING, "train", "in some"), tool());
    assert_int_equal(log_count(LOG_STRING, "shared", "in some"), tool());
    assert_int_equal(log_count(LOG_STRING, "", "in some"), tool());
}

/* Defined in another file, used in both; that file has no domain of its own. */
static void across_files(void **state) {
    (void)state;
    {
        NVTX_SCOPE("here", .domain = &shared_domain);
        other_file();
    }
    logged("shared push [here]; shared push [there]; push [there, default]; pop; shared pop; "
           "shared pop");
}

/* The tool gets each domain once, if it is used at all; domains are never destroyed. */
static void once(void **state) {
    int i;

    (void)state;
    for (i = 0; i < 100; i++) {
        NVTX_SCOPE("again", .domain = &train);
        NVTX_MARK("again");
    }
    assert_int_equal(log_count(LOG_DOMAIN, NULL, "mine"), tool());
    assert_int_equal(log_count(LOG_DOMAIN, NULL, "train"), tool());
    assert_int_equal(log_count(LOG_DOMAIN, NULL, "shared"), tool());
    assert_int_equal(log_count(LOG_DOMAIN, NULL, "never used"), 0);
    assert_int_equal(log_count(LOG_STRING, "train", "again"), tool());
    assert_int_equal(log_count(LOG_DESTROY, NULL, NULL), 0);
    /* Two objects of one name are two domains, as with NVTX itself. */
    { NVTX_SCOPE("other object", .domain = &same_name); }
    assert_int_equal(log_count(LOG_DOMAIN, NULL, "train"), 2 * tool());
    NVTX_MARK("odd", .domain = &odd);
    assert_int_equal(log_count(LOG_DOMAIN, NULL, "a \"name\", with\nall 'sorts'"), tool());
    (void)&never_used;
}

/* The end is in the domain of the beginning, whatever the variable says by then. */
static void latched(void **state) {
    struct nvtxh_domain *domain = &train;
    struct nvtxh_range range;

    (void)state;
    {
        NVTX_SCOPE("scope", .domain = domain);
        range = NVTX_START("range", .domain = domain);
        domain = &mine;
    }
    nvtxh_end(range);
    NVTX_MARK("mark", .domain = domain);
    logged("train push [scope]; train start [range] #1; train pop; train end #1; mine mark [mark]");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(of_file),      CASE(attribute), CASE(run_time),
        CASE(across_files), CASE(once),      CASE(latched),
    };

    return RUN(tests);
}
