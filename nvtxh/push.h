/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_PUSH_H
#define NVTXH_PUSH_H

/* Explicit push and pop, for ranges that no block encloses. If a block does, prefer a scope.
 *
 *   NVTXH_PUSH(msg, ...)     begin a range on this thread: a literal message and keyword attributes
 *   NVTXH_PUSHF(fmt, ...)    begin a range with a printf-style message in the file's default domain
 *   NVTXH_PUSHF_WITH((fmt, ...), .color = c)    NVTXH_PUSHF with keyword attributes
 *   NVTXH_POP(...)           end the range pushed last; takes the `.domain` of the push, and a
 *                            `.payload` for tools that have the payload extension
 *
 * All are expressions of type int: the nesting depth that the tool returns, from zero. A pop
 * returns the depth of its push. The value is negative if the tool does not count (Nsight Systems
 * never does) or nobody listens. Every domain has its own stack on every thread. After
 * nvtxh_enable(false), a pop still ends a range that was pushed before. A push between
 * nvtxh_enable(false) and nvtxh_enable(true) is ignored, and so is its pop.
 *
 * Evaluation: arguments once if a tool is attached or statistics are on, also after
 *   nvtxh_enable(false), or if nvtxh_enable(false) came before the process's first annotation; not
 *   at all otherwise.
 * Cost when nobody listens: two instructions each for NVTXH_PUSH and NVTXH_POP (x86-64, -O2;
 * tests/cost).
 * Threads: a pop ends what its own thread has pushed.
 * Off: with NVTX_DISABLE or NVTXH_DISABLE, no byte of code, still type-checked; the value is
 * NVTXH_NO_DEPTH.
 * Errors: none. NVTXH_CHECK reports a pop without a push, and similar mistakes (nvtxh/check.h). */

#pragma GCC system_header

#include "check.h"
#include "core/dispatch.h"

/* The value of a push or pop whose depth is not known: NVTX's NVTX_NO_PUSH_POP_TRACKING. */
#define NVTXH_NO_DEPTH (-2)

#define NVTXH_PUSH(...)                                                                            \
    NVTXH_I_PUSH(NVTXH_I_UNIQUE(nvtxh_i_push_), NVTXH_I_FIRST(__VA_ARGS__),                        \
                 NVTXH_I_REST(__VA_ARGS__))
#define NVTXH_PUSHF(...)                                                                           \
    NVTXH_I_PUSHF(NVTXH_I_UNIQUE(nvtxh_i_push_), "NVTXH_PUSHF", "(\"%s\", string)", (__VA_ARGS__), )
#define NVTXH_PUSHF_WITH(...)                                                                      \
    NVTXH_I_PUSHF(NVTXH_I_UNIQUE(nvtxh_i_push_), "NVTXH_PUSHF_WITH", "((\"%s\", string), ...)",    \
                  NVTXH_I_FIRST(__VA_ARGS__), NVTXH_I_REST(__VA_ARGS__))
#define NVTXH_POP(...) NVTXH_I_POP(__VA_ARGS__)

/* Not API from here on. */

#if NVTXH_ENABLED

NVTXH_I_C_BEGIN
NVTXH_I_ENTRY_DECL int nvtxh_i_push(const struct nvtxh_i_site *site, NVTXH_I_ATTR_PARAMETERS)
    NVTXH_I_ENTRY_SYMBOL("push");
NVTXH_I_ENTRY_DECL int nvtxh_i_push_plain(const struct nvtxh_i_site *site)
    NVTXH_I_ENTRY_SYMBOL("push_plain");
/* For annotations with a printf format. `a` is NULL if there are no attributes. */
NVTXH_I_ENTRY_DECL NVTXH_I_FORMAT(3, 4) int nvtxh_i_pushf(const struct nvtxh_i_site *site,
                                                          const struct nvtxh_attr *a,
                                                          const char *format, ...)
    NVTXH_I_ENTRY_SYMBOL("pushf");
NVTXH_I_ENTRY_DECL int nvtxh_i_pop(struct nvtxh_domain *domain, NVTXH_I_PAYLOAD_PARAMETERS)
    NVTXH_I_ENTRY_SYMBOL("pop");

NVTXH_I_INLINE int nvtxh_i_push_in(const struct nvtxh_i_site *site, struct nvtxh_attr a) {
    nvtxh_i_check_open(site, a.domain, a.category);
    return nvtxh_i_push(site, NVTXH_I_ATTR_ARGUMENTS(NVTXH_I_ATTR_DOMAIN(a), a));
}

NVTXH_I_INLINE int nvtxh_i_pop_in(struct nvtxh_attr a, struct nvtxh_domain *file_domain,
                                  const char *file, unsigned line) {
    struct nvtxh_domain *domain = nvtxh_i_domain_of(a.domain, file_domain);

    nvtxh_i_check_pop(domain, file, line);
    return nvtxh_i_pop(domain, NVTXH_I_PAYLOAD_ARGUMENTS(a.payload));
}

NVTXH_I_C_END

#endif

#if NVTXH_ENABLED || !defined(__CUDACC__) || !defined(__clang__)
#define NVTXH_I_NO_DEPTH NVTXH_NO_DEPTH
#else /* a call: clang would warn of a value in nvcc's output that is not used */
#define NVTXH_I_NO_DEPTH nvtxh_i_no_depth()
__host__ __device__ NVTXH_I_INLINE_LOCAL int nvtxh_i_no_depth() {
    return NVTXH_NO_DEPTH;
}
#endif

#define NVTXH_I_POP(...)                                                                           \
    NVTXH_I_DO(nvtxh_i_attached_who(sizeof(NVTXH_I_TEXT(__VA_ARGS__)) == 1), NVTXH_I_NO_DEPTH,     \
               NVTXH_I_KEYWORDS(__VA_ARGS__), , NVTXH_I_ATTR_TYPED(__VA_ARGS__),                   \
               nvtxh_i_pop_in(NVTXH_I_ATTR(__VA_ARGS__), NVTXH_I_FILE_DOMAIN, __FILE__, __LINE__))
#define NVTXH_I_PUSH(id, msg, ...)                                                                 \
    NVTXH_I_DO(nvtxh_i_attached_who(NVTXH_I_SITE_PLAIN(id)), NVTXH_I_NO_DEPTH,                     \
               NVTXH_I_LITERAL_OR(msg, "NVTXH_PUSH", NVTXH_I_STRING_OR_FORMAT("NVTXH_PUSH"),       \
                                  __VA_ARGS__),                                                    \
               NVTXH_I_SITE(id, NVTXH_I_KIND_PUSH, msg, NVTXH_I_TEXT(__VA_ARGS__)),                \
               nvtxh_i_typed(msg, true, NVTXH_I_ATTR_TYPED(__VA_ARGS__)),                          \
               NVTXH_I_PLAIN_OR(id, nvtxh_i_push_plain(NVTXH_I_SITE_OF(id)),                       \
                                nvtxh_i_push_in(NVTXH_I_SITE_OF(id), NVTXH_I_ATTR(__VA_ARGS__))))
#define NVTXH_I_PUSHF(id, macro, example, fmt, ...)                                                \
    NVTXH_I_DO_FORMAT(id, nvtxh_i_attached, NVTXH_I_NO_DEPTH, NVTXH_I_KIND_PUSH, macro, example,   \
                      (nvtxh_i_check_open(NVTXH_I_SITE_OF(id), NVTXH_I_ATTR_OF(id).domain,         \
                                          NVTXH_I_ATTR_OF(id).category),                           \
                       nvtxh_i_pushf(NVTXH_I_SITE_OF(id), NVTXH_I_ATTR_AT(id), NVTXH_I_BARE fmt)), \
                      fmt, __VA_ARGS__)

#endif
