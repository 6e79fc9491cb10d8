/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An annotated shared object, to be loaded and unloaded. In C++ also inline functions and
 * templates. */
#include "nvtxh.h"

NVTX_DOMAIN(plugin, "plugin");
NVTX_DOMAIN(second, "second");
NVTX_CATEGORY(work, &plugin, "work");

static inline void in_static_inline(int i) {
    NVTX_SCOPE("static inline", .domain = i % 2 ? &plugin : &second);
    NVTX_MARKF("mark %d", i);
}

#ifdef __cplusplus
inline int in_inline(int i) {
    NVTX_FUNC();
    NVTX_SCOPE("inline", .domain = &plugin, .payload = nvtxh_payload(i));
    return i;
}

template <typename T>
T in_template(T x) {
    NVTX_SCOPE("template", .payload = nvtxh_payload(x));
    return x;
}

struct object {
    int member() {
        NVTX_FUNC(.domain = &second);
        return 0;
    }
};
#endif

#ifdef __cplusplus
extern "C" {
#endif
int plugin_run(int n);
#ifdef __cplusplus
}
#endif

__attribute__((visibility("default"))) int plugin_run(int n) {
    NVTX_SCOPE("run", .domain = &plugin, .category = &work, .color = NVTXH_COLOR_AUTO);
    struct nvtxh_range range = NVTX_START("range", .domain = &plugin), many[40];
    int i;

    for (i = 0; i < n; i++)
        in_static_inline(i);
    NVTX_PUSH("push");
    NVTX_POP();
    nvtxh_enable(false);
    NVTX_PUSH("left out");
    nvtxh_enable(true);
    NVTX_POP();
    nvtxh_end(range);
    for (i = 0; i < 40; i++) /* in several blocks of memory */
        many[i] = NVTX_START("one of many");
    while (i)
        nvtxh_end(many[--i]);
    NVTXH_MARK_STRING(nvtxh_string_named(nvtxh_domain_named("at run time"), "text"),
                      .category = nvtxh_category_named(nvtxh_domain_named("at run time"), "kind"));
#ifdef __cplusplus
    n = in_inline(n) + in_template(0) + (int)in_template(0.5) + object().member();
#endif
    return n;
}

/* When the plugin is unloaded, the library's own destructor runs before this one: nobody listens
 * any more. */
__attribute__((destructor(101))) static void late(void) {
    NVTX_SCOPE("gone", .domain = &plugin);
    NVTX_MARK("gone");
    NVTX_PUSH("gone");
    NVTX_POP();
    nvtxh_end(NVTX_START("gone"));
}
