/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_API_H
#define NVTXH_TEST_API_H

/*
 * Every public name touched once, in the order of the headers, in the kinds of function that a
 * header may hold. Two files include this one: see api.py.
 */

#include "nvtxh.h"
#include "nvtxh/payload.h"
#include "nvtxh/capture.h"
#include "nvtxh/counter.h"

#if NVTXH_VERSION_MAJOR * 10000 + NVTXH_VERSION_MINOR * 100 + NVTXH_VERSION_PATCH != NVTXH_VERSION
#error "NVTXH_VERSION is not made of its parts"
#endif
#if NVTXH_ENABLED != EXPECT_ENABLED || NVTXH_AUTO_COLOR != 0
#error "NVTXH_ENABLED or NVTXH_AUTO_COLOR is not what it should be"
#endif

/* Constant expressions, in both languages and in every mode. */
static const uint32_t api_colors[] = {NVTXH_RED,          NVTXH_DARKGREEN,        NVTXH_RAPIDS,
                                      nvtxh_rgb(1, 2, 3), nvtxh_argb(4, 1, 2, 3), NVTXH_COLOR_AUTO};
enum { API_COLOR = nvtxh_rgb(0, 0, 255) & 0xffffff, API_DEPTH = NVTXH_NO_DEPTH };

NVTXH_DOMAIN_EXTERN(api_domain);
NVTXH_DOMAIN_INLINE(api_inline_domain, "api inline");
NVTXH_CATEGORY_EXTERN(api_category);
NVTXH_DOMAIN_EXTERN(api_short_domain);
NVTXH_CATEGORY_EXTERN(api_short_category);
NVTXH_COUNTER_EXTERN(api_counter);
extern struct nvtxh_counter *api_counter_pointer;
NVTXH_PAYLOAD_ENUM(api_mood, (API_GOOD), (API_BAD, 7));
NVTXH_PAYLOAD_STRUCT(api_point, (int, x, .unit = "mm", .min = -1, .max = 1), (double, y),
                     (enum api_mood, mood), (const char *, text), (float[2], list));

#ifdef __cplusplus
extern "C" {
#endif

/* Touches what has no record: nothing here is an annotation. */
static inline uint32_t api_values(size_t i) {
    uint32_t color = api_colors[i % 6] + (uint32_t)API_COLOR;
    struct nvtxh_payload_value value = nvtxh_payload(1.5);
    struct nvtxh_attr attr = {&api_domain, &api_category, color, value};

    if (!nvtxh_color_by_name("#00ff00", &color))
        return 0;
    return color ^ attr.color ^ nvtxh_palette_okabe_ito(i) ^ nvtxh_palette_tableau10(i) ^
           nvtxh_color_of("name");
}

int api_stats(void);

/* All the macros, as the body of a function of any kind. */
#define API_VERBS(n)                                                                               \
    struct nvtxh_domain *domain = n > 1 ? &api_domain : NVTXH_DOMAIN_DEFAULT;                      \
    struct nvtxh_category *category = n > 2 ? &api_category : NVTXH_CATEGORY_ID(7);                \
    struct nvtxh_range started = NVTXH_START("start", .domain = domain), copy = started;           \
    NVTXH_SCOPE("scope", .domain = domain, .category = category, .color = NVTXH_GREEN,             \
                .payload = nvtxh_payload(n));                                                      \
    NVTXH_SCOPE_IF(n > 3, "scope if", .color = NVTXH_COLOR_AUTO);                                  \
    NVTXH_FUNC();                                                                                  \
    NVTXH_FUNC(.domain = &api_domain, .category = &api_category);                                  \
    NVTXH_FUNC_IF(n > 4);                                                                          \
    NVTXH_FUNC_IF(n > 4, .payload = nvtxh_payload(n));                                             \
    NVTXH_METHOD();                                                                                \
    NVTXH_RANGE_SCOPE("range scope");                                                              \
    NVTXH_RANGE_SCOPE("range scope", .domain = domain, .category = category, .color = NVTXH_GREEN, \
                      .payload = nvtxh_payload(n));                                                \
    const struct nvtxh_string *string = nvtxh_string_named(nvtxh_domain_named("api"), "api");      \
    NVTXH_SCOPE_STRING(string);                                                                    \
    NVTXH_SCOPE_STRING(string, .category = nvtxh_category_named(NULL, "api"),                      \
                       .color = NVTXH_GREEN, .payload = nvtxh_payload(n));                         \
    NVTXH_MARK_STRING(string, .payload = nvtxh_payload(n));                                        \
    NVTXH_PUSH_STRING(string, .color = NVTXH_GREEN);                                               \
    n += NVTXH_POP(.domain = nvtxh_domain_named("api"));                                           \
    nvtxh_end(NVTXH_START_STRING(string, .category = NVTXH_CATEGORY_ID(3)));                       \
    nvtxh_domain_enable(nvtxh_domain_named("api"), true);                                          \
    NVTXH_METHOD(.domain = &api_domain, .payload = nvtxh_payload(n));                              \
    NVTXH_SCOPEF("scopef %d", (int)(n));                                                           \
    NVTXH_SCOPEF_WITH(("scopef %d", (int)(n)), .domain = domain, .category = category,             \
                      .color = NVTXH_GREEN, .payload = nvtxh_payload(n));                          \
    NVTXH_SCOPEF("scopef");                                                                        \
    NVTXH_SCOPE_NVTX_ONLY("tools only", .payload = nvtxh_payload(n));                              \
    NVTXH_SCOPE_AS(named, "scope as", .payload = nvtxh_payload(n));                                \
    NVTXH_BLOCK("block", .color = NVTXH_BLUE) {                                                    \
        NVTXH_MARK("mark");                                                                        \
        NVTXH_MARKF_WITH(("markf"), .color = NVTXH_GREEN);                                         \
        NVTXH_MARKF("markf %s", "x");                                                              \
    }                                                                                              \
    nvtxh_scope_end(&named);                                                                       \
    n += NVTXH_PUSH("push", .domain = domain) + NVTXH_PUSHF("pushf %d", (int)(n));                 \
    n -= NVTXH_POP() + NVTXH_POP(.domain = domain);                                                \
    NVTXH_PUSHF_WITH(("pushf %d", (int)(n)), .category = category);                                \
    NVTXH_POP();                                                                                   \
    nvtxh_end(NVTXH_STARTF_WITH(("startf %d", (int)(n)), .payload = nvtxh_payload(n)));            \
    NVTXH_PUSH("push");                                                                            \
    NVTXH_POP();                                                                                   \
    struct api_point point = {1, 2, API_BAD, "text", {3, 4}};                                      \
    const int64_t time = 5;                                                                        \
    NVTXH_MARK("struct", .payload = nvtxh_payload(&point));                                        \
    nvtxh_counter_set(&api_counter, &point);                                                       \
    nvtxh_counter_set(&api_counter, n);                                                            \
    nvtxh_counter_batch(&api_counter, &point, 1, &time);                                           \
    nvtxh_end(copy, .payload = nvtxh_payload(&point));                                             \
    nvtxh_end(NVTXH_STARTF("startf %d", (int)(n)));                                                \
    nvtxh_thread_name("api");                                                                      \
    nvtxh_thread_name_os("api");                                                                   \
    n += api_stats();                                                                              \
    nvtxh_capture_start("api", n > NVTXH_CAPTURE_MAX                                               \
                                   ? NVTXH_CAPTURE_PROFILER                                        \
                                   : NVTXH_CAPTURE_WAIT | NVTXH_CAPTURE_WAIT_ALL);                 \
    if (nvtxh_capture_enabled() && nvtxh_capture_active())                                         \
        n++;                                                                                       \
    nvtxh_capture_stop();                                                                          \
    NVTXH_CAPTURE_SCOPE("api");                                                                    \
    NVTXH_CAPTURE_SCOPE("api", NVTXH_CAPTURE_WAIT);                                                \
    nvtxh_enable(false);                                                                           \
    nvtxh_enable(true);                                                                            \
    if (nvtxh_enabled() && nvtxh_listening())                                                      \
        n++;                                                                                       \
    NVTX_SCOPE("short");                                                                           \
    NVTX_SCOPEF("short %d", (int)(n));                                                             \
    NVTX_FUNC();                                                                                   \
    NVTX_MARK("short");                                                                            \
    NVTX_MARKF("short %d", (int)(n));                                                              \
    NVTX_PUSH("short", .domain = &api_short_domain, .category = &api_short_category);              \
    NVTX_POP(.domain = &api_short_domain);                                                         \
    NVTX_PUSHF("short %d", (int)(n));                                                              \
    NVTX_POP();                                                                                    \
    NVTX_END(NVTX_START("short"));                                                                 \
    NVTX_END(NVTX_STARTF("short %d", (int)(n)));                                                   \
    return n + (int)sizeof(struct nvtxh_scope)

int api_function(int n);

static inline int api_static_inline(int n) {
    API_VERBS(n);
}

/* In C this is an inline definition, which may not have a static that is written to. */
inline int api_inline(int n) {
    API_VERBS(n);
}

inline int api_inline_too(int n) {
    NVTX_SCOPE("inline");
    return n;
}

#ifdef __cplusplus
}

template <class T>
inline T api_template(T n) {
    API_VERBS(n);
}

namespace api {
struct thing {
    int n;
    explicit thing(int k) : n(k) {
        NVTX_FUNC(.payload = nvtxh_payload(k));
    }
    ~thing() {
        NVTX_SCOPE("destructor");
    }
    int member() const {
        NVTX_SCOPE("member", .payload = nvtxh_payload(n));
        return n;
    }
    virtual int verbs(int k) {
        API_VERBS(k);
    }
    static int of_class(int k) {
        API_VERBS(k);
    }
    template <class T>
    T member_template(T k) const {
        NVTX_SCOPE("member template", .payload = nvtxh_payload(k));
        return k;
    }
};
/* Functions are called wherever C++ allows a call, and have addresses. */
static struct nvtxh_domain *const plugin = nvtxh_domain_named("plugin");
static bool (*const listening)() = &nvtxh_listening;
static void (*const enable)(bool) = ::nvtxh_enable;
static void (*const enable_domain)(struct nvtxh_domain *, bool) = &::nvtxh_domain_enable;
static struct nvtxh_category *(*const name_category)(struct nvtxh_domain *,
                                                     const char *) = nvtxh_category_named;
static void (*const names[])(const char *) = {nvtxh_thread_name, &nvtxh_thread_name_os};
static nvtxh::unique_range process_life = NVTXH_UNIQUE_RANGE("process", .color = NVTXH_RED);
struct places {
    nvtxh::unique_range life{NVTXH_UNIQUE_RANGE("life", .domain = &api_domain)};
    struct nvtxh_domain *domain = ::nvtxh_domain_named("member");
    struct nvtxh_category *category{nvtxh_category_named(domain, "member")};
    const struct nvtxh_string *string;
    bool on = nvtxh_enabled();
    explicit places(struct nvtxh_domain *other = ::nvtxh_domain_named("argument"))
        : string(::nvtxh_string_named(other, "member")) {
    }
    template <class T>
    static int call(T n) {
        const places here{::nvtxh_domain_named(n ? "one" : "other")};

        ::nvtxh_enable(false);
        (n ? enable : &nvtxh_enable)(n != 0);
        enable_domain(here.domain ? here.domain : plugin, n != 0);
        ::nvtxh_domain_enable(here.domain, n != 0);
        names[0](name_category(here.domain, "called") == here.category ? "one" : "other");
        ::nvtxh_thread_name("one");
        ::nvtxh_thread_name_os("one");
        ::nvtxh_capture_start("one", 0);
        NVTXH_SCOPE_AS(scope, "one");
        ::nvtxh_scope_end(&scope);
        return ::nvtxh_capture_stop() + ::nvtxh_capture_active() + ::nvtxh_capture_enabled() +
               ::nvtxh_enabled() + (here.on && here.string && ::nvtxh_listening() && listening());
    }
};
inline namespace version {
inline int lambdas(int n) {
    auto plain = [](int k) { API_VERBS(k); };
    auto capturing = [&](int k) -> int {
        NVTX_SCOPE("capturing", .payload = nvtxh_payload(n));
        auto nested = [=]() {
            NVTX_SCOPEF("nested %d", k);
            return k;
        };
        return nested();
    };
    return plain(n) + capturing(n);
}
} // namespace version
} // namespace api
#endif

#endif
