/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages are registered before the first event, also those of annotations that never run; each
 * once per domain. */
#include "test.h"

NVTX_DOMAIN(train, "train");
NVTX_CATEGORY(gemm, NULL, "gemm");

#if defined(__cplusplus) && !defined(__clang__)
#define AHEAD 0 /* g++: with its first event */
#else
#define AHEAD 1
#endif

static volatile bool do_not;

static void annotated(void) {
    NVTX_SCOPE("plain");
    NVTX_SCOPE("coloured", .color = NVTXH_RED);
    NVTX_MARK("with a category", .category = &gemm);
    NVTX_PUSH("with a payload", .payload = nvtxh_payload(1));
    NVTX_POP();
    nvtxh_end(NVTX_START("range", .category = NVTXH_CATEGORY_ID(7), .color = NVTXH_BLUE));
    NVTX_MARK("in a domain", .domain = &train, .color = NVTXH_RED);
    NVTX_MARKF("formatted %d", 1);
}

static const char *const messages[] = {"plain", "coloured", "with a category", "with a payload",
                                       "range"};

static void ahead(void **state) {
    size_t i;

    (void)state;
    assert_int_equal(log_count(LOG_STRING, NULL, NULL), 0);
    if (do_not)
        annotated();
    NVTX_MARK("the first to run");
    for (i = 0; i < sizeof(messages) / sizeof(*messages); i++)
        assert_int_equal(log_count(LOG_STRING, "", messages[i]), tool() ? AHEAD : 0);
    /* Which domain it goes to is not known before it runs. */
    assert_int_equal(log_count(LOG_STRING, NULL, "in a domain"), 0);
}

static void once(void **state) {
    size_t i, j;

    (void)state;
    for (i = 0; i < 3; i++)
        annotated();
    for (j = 0; j < sizeof(messages) / sizeof(*messages); j++)
        assert_int_equal(log_count(LOG_STRING, "", messages[j]), tool());
    assert_int_equal(log_count(LOG_STRING, "train", "in a domain"), tool());
    assert_int_equal(log_count(LOG_STRING, "", "in a domain"), 0);
    assert_int_equal(log_count(LOG_STRING, NULL, "formatted 1"), 0);
}

/* An event has its own attributes, not those of an earlier event of its call site. */
static void told(struct nvtxh_domain *domain, struct nvtxh_category *category, uint32_t color,
                 int n) {
    { NVTX_SCOPE("a", .domain = domain, .category = category, .color = color); }
    {
        NVTX_SCOPE("b", .domain = domain, .category = category, .color = color,
                   .payload = nvtxh_payload(n));
    }
    NVTX_PUSH("c", .domain = domain, .category = category, .color = color);
    NVTX_POP(.domain = domain);
}

#define SHOWN(in, with, n)                                                                         \
    in "push [a]" with "; " in "pop; " in "push [b]" with " i32=" n "; " in "pop; " in             \
       "push [c]" with "; " in "pop"

static void changing(void **state) {
    int i;

    (void)state;
    for (i = 0; i < 2; i++) {
        log_reset();
        told(NULL, NULL, NVTXH_RED, 1);
        logged(SHOWN("", " color=ffff0000", "1"));
        log_reset();
        told(NULL, NULL, NVTXH_BLUE, 2);
        logged(SHOWN("", " color=ff0000ff", "2"));
        log_reset();
        told(NULL, &gemm, NVTXH_RED, 3);
        logged(SHOWN("", " cat=gemm color=ffff0000", "3"));
        log_reset();
        told(NULL, NVTXH_CATEGORY_ID(7), 0, 4);
        logged(SHOWN("", " cat=7", "4"));
        log_reset();
        told(&train, NVTXH_CATEGORY_ID(7), NVTXH_RED, 5);
        logged(SHOWN("train ", " cat=7 color=ffff0000", "5"));
        log_reset();
        told(NULL, NULL, 0, 6);
        logged(SHOWN("", "", "6"));
    }
}

#define MACROS(function)                                                                           \
    static void function(struct nvtxh_domain *domain, struct nvtxh_category *category,             \
                         uint32_t color, int n) {                                                  \
        NVTX_SCOPE("scope", .domain = domain, .category = category, .color = color);               \
        NVTX_MARK("mark", .domain = domain, .category = category, .color = color,                  \
                  .payload = nvtxh_payload(n));                                                    \
        NVTX_PUSH("push", .domain = domain, .category = category, .color = color);                 \
        NVTX_POP(.domain = domain);                                                                \
        NVTX_END(NVTX_START("start", .domain = domain, .category = category, .color = color));     \
    }
MACROS(macros_0)
MACROS(macros_1)
MACROS(macros_2)
MACROS(macros_3)
MACROS(macros_4)
MACROS(macros_5)

/* Whatever attributes a site's first event had, and those before: each event has its own. */
static void drawn(void **state) {
    static void (*const macros[])(struct nvtxh_domain *, struct nvtxh_category *, uint32_t, int) = {
        macros_0, macros_1, macros_2, macros_3, macros_4, macros_5};
    const uint32_t categories[] = {0, 7, 9}, colors[] = {0, NVTXH_RED, NVTXH_GREEN};
    unsigned random = 1;
    int turn;

    (void)state;
    for (turn = 0; turn < 200; turn++) {
        uint32_t category, color;
        size_t i = log_size(), n = 0;

        random = random * 1103515245u + 12345;
        category = categories[(random >> 16) % 3];
        color = colors[(random >> 20) % 3];
        macros[(random >> 24) % 6]((random >> 30) & 1 ? &train : NULL,
                                   category ? NVTXH_CATEGORY_ID(category) : NULL, color, turn);
        for (; i < log_size(); i++) {
            const struct log_event *event = log_at(i);

            if (event->kind != LOG_PUSH && event->kind != LOG_MARK && event->kind != LOG_START)
                continue;
            n++;
            assert_int_equal(event->category, category);
            assert_int_equal(event->color, color);
            assert_int_equal(event->payload_bits, event->kind == LOG_MARK ? turn : 0);
            assert_int_equal(event->domain && *event->domain, (random >> 30) & 1);
        }
        assert_int_equal(n, tool() ? 4 : 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {CASE(ahead), CASE(once), CASE(changing), CASE(drawn)};

    return RUN(tests);
}
