/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_NAMED_H
#define NVTXH_NAMED_H

/* Names that are known at run time: domains, categories and messages from strings.
 *
 *     struct nvtxh_domain *plugin = nvtxh_domain_named(plugin_name);
 *     const struct nvtxh_string *load = nvtxh_string_named(plugin, operator_name);
 *     ...
 *     NVTXH_SCOPE_STRING(load, .category = nvtxh_category_named(plugin, "io"));
 *
 *   nvtxh_domain_named(name)              the domain of that name, for .domain
 *   nvtxh_category_named(domain, name)    the category of that name in a domain, for .category
 *   nvtxh_string_named(domain, text)      the message with that text in a domain, for these macros:
 *   NVTXH_SCOPE_STRING(string, ...)       a range to the end of the block, as NVTXH_SCOPE
 *   NVTXH_MARK_STRING(string, ...)        an instant, as NVTXH_MARK
 *   NVTXH_PUSH_STRING(string, ...)        an explicit push, as NVTXH_PUSH
 *   NVTXH_START_STRING(string, ...)       a process range, as NVTXH_START
 *
 * As a domain, NULL is NVTX's default domain. These macros take all attributes except .domain,
 * because a string belongs to a domain. For equal arguments each function returns the same pointer,
 * valid until the calling executable or shared object is unloaded. The text is copied, so the
 * caller may free it. A domain or category may have the name of one that NVTXH_DOMAIN or
 * NVTXH_CATEGORY defines. The two have different addresses, but most tools show them as one.
 *
 * Which macro for which text:
 *   a literal                                  NVTXH_SCOPE
 *   one of a set: operators, kernels, layers   NVTXH_SCOPE_STRING: the text is kept, and registered
 *                                              with the tool once. `nsys profile -c nvtx -p
 *                                              TEXT@DOMAIN` finds it
 *   a new text each time: "request 4711"       NVTXH_SCOPEF: nothing is kept. Nsight Systems finds
 *                                              such a text only with
 *                                              NSYS_NVTX_PROFILER_REGISTER_ONLY=0 in its
 *                                              environment
 *
 * Evaluation: the functions evaluate their arguments once. The macros evaluate theirs once if
 *   someone listens, and not at all otherwise.
 * Cost: looking up a known name of 32 bytes takes no lock and some 200 instructions
 *   (bench/ladder); where that is too much, keep the pointer. A new string takes a lock and 300
 *   bytes. A macro costs the same as with a literal.
 * Threads: any. A signal handler should look up known names only.
 * Off: with NVTX_DISABLE or NVTXH_DISABLE, the functions return NULL. Arguments are type-checked
 * and never evaluated.
 * Errors: without memory, or for a name that is NULL, the functions return NULL. As a domain, NULL
 *   is the default domain, as a category none, and as a string the message "(null)" in NVTX's
 *   default domain. */

#pragma GCC system_header

#include "category.h"
#include "color.h"
#include "domain.h"
#include "mark.h"
#include "push.h"
#include "range.h"
#include "scope.h"

/* A message whose text is known at run time. Made by nvtxh_string_named. */
struct nvtxh_string;

#if NVTXH_ENABLED
NVTXH_I_C_BEGIN
NVTXH_I_ENTRY_DECL struct nvtxh_domain *nvtxh_i_domain_named(const char *name)
    NVTXH_I_ENTRY_SYMBOL("domain_named");
NVTXH_I_ENTRY_DECL struct nvtxh_category *nvtxh_i_category_named(struct nvtxh_domain *domain,
                                                                 const char *name)
    NVTXH_I_ENTRY_SYMBOL("category_named");
NVTXH_I_ENTRY_DECL const struct nvtxh_string *nvtxh_i_string_named(struct nvtxh_domain *domain,
                                                                   const char *text)
    NVTXH_I_ENTRY_SYMBOL("string_named");

/* Inlined wrappers, so that a user's inline function in C may call them: what the wrappers call may
 * be static, and clang warns if a user's inline function calls a static function. */
NVTXH_I_INLINE struct nvtxh_domain *nvtxh_domain_named(const char *name) {
    return nvtxh_i_domain_named(name);
}

NVTXH_I_INLINE struct nvtxh_category *nvtxh_category_named(struct nvtxh_domain *domain,
                                                           const char *name) {
    return nvtxh_i_category_named(domain, name);
}

NVTXH_I_INLINE const struct nvtxh_string *nvtxh_string_named(struct nvtxh_domain *domain,
                                                             const char *text) {
    return nvtxh_i_string_named(domain, text);
}
NVTXH_I_C_END
#endif

#define NVTXH_SCOPE_STRING(...)                                                                    \
    NVTXH_I_SCOPE_STRING(NVTXH_I_UNIQUE(nvtxh_i_scope_), NVTXH_I_FIRST(__VA_ARGS__),               \
                         NVTXH_I_REST(__VA_ARGS__))
#define NVTXH_MARK_STRING(...)                                                                     \
    NVTXH_I_DO_STRING(NVTXH_I_UNIQUE(nvtxh_i_mark_), nvtxh_i_active, NVTXH_I_NOTHING,              \
                      NVTXH_I_KIND_MARK, nvtxh_i_mark_string, NVTXH_I_FIRST(__VA_ARGS__),          \
                      NVTXH_I_REST(__VA_ARGS__))
#define NVTXH_PUSH_STRING(...)                                                                     \
    NVTXH_I_DO_STRING(NVTXH_I_UNIQUE(nvtxh_i_push_), nvtxh_i_attached, NVTXH_I_NO_DEPTH,           \
                      NVTXH_I_KIND_PUSH, nvtxh_i_push_string, NVTXH_I_FIRST(__VA_ARGS__),          \
                      NVTXH_I_REST(__VA_ARGS__))
#define NVTXH_START_STRING(...)                                                                    \
    NVTXH_I_DO_STRING(NVTXH_I_UNIQUE(nvtxh_i_range_), nvtxh_i_active, nvtxh_i_range_none(),        \
                      NVTXH_I_KIND_RANGE, nvtxh_i_range_string, NVTXH_I_FIRST(__VA_ARGS__),        \
                      NVTXH_I_REST(__VA_ARGS__))

/* Not API from here on. */

/* The attributes of the macros for strings: there is no .domain. */
struct nvtxh_i_string_has_its_domain {
    struct nvtxh_category *category;
    uint32_t color;
    struct nvtxh_payload_value payload;
};
#define NVTXH_I_STRING_ATTR(...)                                                                   \
    __extension__(struct nvtxh_i_string_has_its_domain) NVTXH_I_BRACES(__VA_ARGS__)

/* Used in sizeof only, and defined nowhere. */
__attribute__((__nothrow__)) char nvtxh_i_typed_string(const struct nvtxh_string *string,
                                                       int attributes);
char nvtxh_i_typed_string_attr(struct nvtxh_i_string_has_its_domain attributes);
#define NVTXH_I_STRING_TYPED(...)                                                                  \
    NVTXH_I_WITHIN_TYPED(nvtxh_i_typed_string_attr(NVTXH_I_STRING_ATTR(__VA_ARGS__)))

#if NVTXH_ENABLED

/* A string is an array of sites (core/site.h), one for each kind of event: see impl/named.h. */
enum { NVTXH_I_STRING_KINDS = 4 };

NVTXH_I_C_BEGIN
extern struct nvtxh_i_site_own nvtxh_i_no_string[NVTXH_I_STRING_KINDS] NVTXH_I_LINKED_MISSED(
    "no_string") NVTXH_I_HIDDEN;

NVTXH_I_INLINE const struct nvtxh_i_site *nvtxh_i_string_site(const struct nvtxh_string *string,
                                                              unsigned kind) {
    const struct nvtxh_i_site_own *sites =
        string ? (const struct nvtxh_i_site_own *)string : nvtxh_i_no_string;

    return &sites[kind - 1].nvtxh_i_record;
}

NVTXH_I_INLINE struct nvtxh_attr nvtxh_i_string_attr(const struct nvtxh_i_site *site,
                                                     struct nvtxh_i_string_has_its_domain given) {
    struct nvtxh_attr a = nvtxh_i_attr(site->domain ? site->domain : NVTXH_DOMAIN_DEFAULT,
                                       given.category, given.color, given.payload);

    if (NVTXH_AUTO_COLOR && !a.color) {
        a.color = NVTXH_COLOR_AUTO;
    }
    return a;
}

/* Defines a macro's function: NVTXH_I_STRING_FUNCTION(return type, name, kind, statements). CALLER:
 * with NVTXH_CHECK, the record of the macro's place in the source, for reports; otherwise NULL. */
#define NVTXH_I_STRING_FUNCTION(type, name, kind, ...)                                             \
    NVTXH_I_INLINE type name(const struct nvtxh_i_site *caller, const struct nvtxh_string *string, \
                             struct nvtxh_i_string_has_its_domain given) {                         \
        const struct nvtxh_i_site *site = nvtxh_i_string_site(string, kind);                       \
        struct nvtxh_attr a = nvtxh_i_string_attr(site, given);                                    \
                                                                                                   \
        __VA_ARGS__;                                                                               \
    }
#define NVTXH_I_STRING_ARGUMENTS site, NVTXH_I_ATTR_ARGUMENTS(NVTXH_I_ATTR_DOMAIN(a), a)

NVTXH_I_STRING_FUNCTION(struct nvtxh_scope, nvtxh_i_scope_string, NVTXH_I_KIND_SCOPE,
                        return nvtxh_i_scope_opened(caller, a,
                                                    nvtxh_i_scope_enter(NVTXH_I_STRING_ARGUMENTS)))
NVTXH_I_STRING_FUNCTION(void, nvtxh_i_mark_string, NVTXH_I_KIND_MARK,
                        nvtxh_i_check_category(caller, a.domain, a.category);
                        nvtxh_i_mark_at(NVTXH_I_STRING_ARGUMENTS))
NVTXH_I_STRING_FUNCTION(int, nvtxh_i_push_string, NVTXH_I_KIND_PUSH,
                        nvtxh_i_check_open(caller, a.domain, a.category);
                        return nvtxh_i_push(NVTXH_I_STRING_ARGUMENTS))
NVTXH_I_STRING_FUNCTION(struct nvtxh_range, nvtxh_i_range_string, NVTXH_I_KIND_RANGE,
                        return nvtxh_i_range_checked(caller, a,
                                                     nvtxh_i_range_start(NVTXH_I_STRING_ARGUMENTS)))

NVTXH_I_C_END

#else

/* Used in sizeof only, and defined nowhere. */
char nvtxh_i_typed_named(struct nvtxh_domain *domain, const char *name);

NVTXH_I_OFF_FUNCTION(struct nvtxh_domain *, nvtxh_domain_named, (const char *), NULL)
NVTXH_I_OFF_FUNCTION(struct nvtxh_category *, nvtxh_category_named,
                     (struct nvtxh_domain *, const char *), NULL)
NVTXH_I_OFF_FUNCTION(const struct nvtxh_string *, nvtxh_string_named,
                     (struct nvtxh_domain *, const char *), NULL)
#define nvtxh_domain_named(name)                                                                   \
    NVTXH_I_OFF(nvtxh_domain_named, (NVTXH_I_STRUCT(nvtxh_domain) *)NULL,                          \
                nvtxh_i_typed_named(NULL, name))
#define nvtxh_category_named(domain, name)                                                         \
    NVTXH_I_OFF(nvtxh_category_named, (NVTXH_I_STRUCT(nvtxh_category) *)NULL,                      \
                nvtxh_i_typed_named(domain, name))
#define nvtxh_string_named(domain, text)                                                           \
    NVTXH_I_OFF(nvtxh_string_named, (const NVTXH_I_STRUCT(nvtxh_string) *)NULL,                    \
                nvtxh_i_typed_named(domain, text))

#endif

#if NVTXH_I_CHECK
#define NVTXH_I_PLACE NVTXH_I_SITE
#define NVTXH_I_PLACE_OF(id) NVTXH_I_SITE_OF(id)
#else
#define NVTXH_I_PLACE(id, kind, message, text)
#define NVTXH_I_PLACE_OF(id) NULL
#endif
#define NVTXH_I_SCOPE_STRING(id, string, ...)                                                      \
    NVTXH_I_GUARD(                                                                                 \
        nvtxh_scope, nvtxh_i_scope, id, NVTXH_I_PASTE(id, _guard), nvtxh_i_active_who(false),      \
        NVTXH_I_KEYWORDS(__VA_ARGS__),                                                             \
        NVTXH_I_PLACE(id, NVTXH_I_KIND_SCOPE | NVTXH_I_KIND_FORMAT, NVTXH_I_TEXT(string), ""),     \
        nvtxh_i_typed_string(string, NVTXH_I_STRING_TYPED(__VA_ARGS__)),                           \
        nvtxh_i_scope_string(NVTXH_I_PLACE_OF(id), string, NVTXH_I_STRING_ATTR(__VA_ARGS__)))
#define NVTXH_I_DO_STRING(id, listener, nobody, kind, function, string, ...)                       \
    NVTXH_I_DO(listener##_who(false), nobody, NVTXH_I_KEYWORDS(__VA_ARGS__),                       \
               NVTXH_I_PLACE(id, kind | NVTXH_I_KIND_FORMAT, NVTXH_I_TEXT(string), ""),            \
               nvtxh_i_typed_string(string, NVTXH_I_STRING_TYPED(__VA_ARGS__)),                    \
               function(NVTXH_I_PLACE_OF(id), string, NVTXH_I_STRING_ATTR(__VA_ARGS__)))

#endif
