/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test.h"
#include "domain_other.h"

NVTX_DOMAIN(train, "train");
NVTX_DOMAIN(unused_domain, "unused");
NVTX_CATEGORY(gemm, &train, "gemm");
NVTX_CATEGORY(copy, &train, "copy");
NVTX_CATEGORY(unused_category, &unused_domain, "unused");
NVTX_CATEGORY(odd, &train, "a \"name\", with\nall 'sorts'");

/* A category is named once, in its own domain. One that is not used is not named, and its domain is
 * not made. */
static void once(void **state) {
    int i;

    (void)state;
    for (i = 0; i < 100; i++)
        NVTX_MARK("again", .domain = &train, .category = i & 1 ? &gemm : &copy);
    assert_int_equal(log_count(LOG_CATEGORY, NULL, "gemm"), tool());
    assert_int_equal(log_count(LOG_CATEGORY, "train", "gemm"), tool());
    assert_int_equal(log_count(LOG_CATEGORY, "train", "copy"), tool());
    assert_int_equal(log_count(LOG_CATEGORY, NULL, "unused"), 0);
    assert_int_equal(log_count(LOG_DOMAIN, NULL, "unused"), 0);
    (void)&unused_category;
}

/* A number is passed on as it is, without a name. */
static void numbers(void **state) {
    uint32_t n = 41;

    (void)state;
    NVTX_MARK("a", .category = NVTXH_CATEGORY_ID(7));
    NVTX_MARK("b", .domain = &train, .category = NVTXH_CATEGORY_ID(++n));
    NVTX_MARK("c", .category = NVTXH_CATEGORY_ID(0x3fffffff));
    NVTX_MARK("d", .category = NVTXH_CATEGORY_ID(0xffffffffu));
    NVTX_MARK("e", .category = NVTXH_CATEGORY_ID(0));
    NVTX_MARK("f", .category = NULL);
    logged("mark [a] cat=7; train mark [b] cat=42; mark [c] cat=1073741823; "
           "mark [d] cat=4294967295; mark [e]; mark [f]");
    assert_int_equal(n, tool() ? 42 : 41);
}

/* A name's number is the same in every run: 32-bit FNV-1a of the name, the two top bits 01. */
static void stable(void **state) {
    size_t i;
    int found = 0;

    (void)state;
    NVTX_MARK("a", .domain = &train, .category = &gemm);
    NVTX_MARK("a", .domain = &train, .category = &copy);
    for (i = 0; i < log_size(); i++) {
        const struct log_event *event = log_at(i);

        if (event->kind != LOG_CATEGORY)
            continue;
        assert_in_range(event->category, 1u << 30, 0x7fffffffu);
        if (!strcmp(event->text, "gemm")) {
            assert_int_equal(event->category, 0x45fc8323u);
            found++;
        } else if (!strcmp(event->text, "copy")) {
            assert_int_equal(event->category, 0x6562ea44u);
            found++;
        }
    }
    assert_int_equal(found, 2 * tool());
}

/* Of another file, and as the value of an expression. */
static void shared(void **state) {
    int i;

    (void)state;
    for (i = 0; i < 2; i++)
        NVTX_MARK("a", .domain = i ? &train : &shared_domain,
                  .category = i ? &odd : &shared_category);
    logged("shared mark [a] cat=everywhere; "
           "train mark [a] cat=a \"name\", with\nall 'sorts'");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(once),
        CASE(numbers),
        CASE(stable),
        CASE(shared),
    };

    return RUN(tests);
}
