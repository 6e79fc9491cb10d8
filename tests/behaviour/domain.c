/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define NVTXH_DEFAULT_DOMAIN mine
#include "test.h"
#include "domain_other.h"

NVTX_DOMAIN(mine, "mine");
NVTX_DOMAIN(train, "train");
NVTX_DOMAIN(same_name, "train");
NVTX_DOMAIN(never_used, "never used");
NVTX_DOMAIN(odd, "a \"name\", with\nall 'sorts'");

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

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(across_files),
        CASE(once),
    };

    return RUN(tests);
}
