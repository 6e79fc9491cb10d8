/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_MARK_H
#define NVTXH_MARK_H

/* Marks: events without a duration.
 *
 *   NVTXH_MARK(msg, ...)     a literal message and keyword attributes (nvtxh/attr.h)
 *   NVTXH_MARKF(fmt, ...)    a printf-style message in the file's default domain
 *   NVTXH_MARKF_WITH((fmt, ...), .color = c)    NVTXH_MARKF with keyword attributes
 *
 * All three are expressions of type void, for use within functions.
 *
 * Evaluation: arguments are evaluated once, and messages formatted, if someone listens, and not at
 * all otherwise.
 * Cost when nobody listens: two instructions for NVTXH_MARK (x86-64, -O2; tests/cost).
 * Threads: any.
 * Off: with NVTX_DISABLE or NVTXH_DISABLE, no byte of code, still type-checked.
 * Errors: none. */

#pragma GCC system_header

#include "check.h"
#include "core/dispatch.h"

#define NVTXH_MARK(...)                                                                            \
    NVTXH_I_MARK(NVTXH_I_UNIQUE(nvtxh_i_mark_), NVTXH_I_FIRST(__VA_ARGS__),                        \
                 NVTXH_I_REST(__VA_ARGS__))
#define NVTXH_MARKF(...)                                                                           \
    NVTXH_I_MARKF(NVTXH_I_UNIQUE(nvtxh_i_mark_), "NVTXH_MARKF", "(\"%s\", string)", (__VA_ARGS__), )
#define NVTXH_MARKF_WITH(...)                                                                      \
    NVTXH_I_MARKF(NVTXH_I_UNIQUE(nvtxh_i_mark_), "NVTXH_MARKF_WITH", "((\"%s\", string), ...)",    \
                  NVTXH_I_FIRST(__VA_ARGS__), NVTXH_I_REST(__VA_ARGS__))

/* Not API from here on. */

#if NVTXH_ENABLED

NVTXH_I_C_BEGIN
NVTXH_I_ENTRY_DECL void nvtxh_i_mark_at(const struct nvtxh_i_site *site, NVTXH_I_ATTR_PARAMETERS)
    NVTXH_I_ENTRY_SYMBOL("mark_at");
NVTXH_I_ENTRY_DECL void nvtxh_i_mark_plain(const struct nvtxh_i_site *site)
    NVTXH_I_ENTRY_SYMBOL("mark_plain");
/* For annotations with a printf format. `a` is NULL if there are no attributes. */
NVTXH_I_ENTRY_DECL NVTXH_I_FORMAT(3, 4) void nvtxh_i_mark_atf(const struct nvtxh_i_site *site,
                                                              const struct nvtxh_attr *a,
                                                              const char *format, ...)
    NVTXH_I_ENTRY_SYMBOL("mark_atf");

NVTXH_I_INLINE void nvtxh_i_mark_in(const struct nvtxh_i_site *site, struct nvtxh_attr a) {
    nvtxh_i_check_category(site, a.domain, a.category);
    nvtxh_i_mark_at(site, NVTXH_I_ATTR_ARGUMENTS(NVTXH_I_ATTR_DOMAIN(a), a));
}

NVTXH_I_C_END

#endif

#define NVTXH_I_MARK(id, msg, ...)                                                                 \
    NVTXH_I_DO(nvtxh_i_active_who(NVTXH_I_SITE_PLAIN(id)), NVTXH_I_NOTHING,                        \
               NVTXH_I_LITERAL_OR(msg, "NVTXH_MARK", NVTXH_I_STRING_OR_FORMAT("NVTXH_MARK"),       \
                                  __VA_ARGS__),                                                    \
               NVTXH_I_SITE(id, NVTXH_I_KIND_MARK, msg, NVTXH_I_TEXT(__VA_ARGS__)),                \
               nvtxh_i_typed(msg, true, NVTXH_I_ATTR_TYPED(__VA_ARGS__)),                          \
               NVTXH_I_PLAIN_OR(id, nvtxh_i_mark_plain(NVTXH_I_SITE_OF(id)),                       \
                                nvtxh_i_mark_in(NVTXH_I_SITE_OF(id), NVTXH_I_ATTR(__VA_ARGS__))))
#define NVTXH_I_MARKF(id, macro, example, fmt, ...)                                                \
    NVTXH_I_DO_FORMAT(                                                                             \
        id, nvtxh_i_active, NVTXH_I_NOTHING, NVTXH_I_KIND_MARK, macro, example,                    \
        (nvtxh_i_check_category(NVTXH_I_SITE_OF(id), NVTXH_I_ATTR_OF(id).domain,                   \
                                NVTXH_I_ATTR_OF(id).category),                                     \
         nvtxh_i_mark_atf(NVTXH_I_SITE_OF(id), NVTXH_I_ATTR_AT(id), NVTXH_I_BARE fmt)),            \
        fmt, __VA_ARGS__)

#endif
