/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SCOPE_H
#define NVTXH_SCOPE_H

/* Scopes: a range from here to the end of the enclosing block.
 *
 *     int step(struct model *m) {
 *         NVTXH_SCOPE("step");
 *         if (!load(m))
 *             return -1;                    <-- "step" ends here
 *         {
 *             NVTXH_SCOPE("forward", .color = NVTXH_GREEN);
 *             forward(m);
 *         }                                 <-- "forward" ends here
 *         return 0;
 *     }                                     <-- "step" ends here
 *
 *   NVTXH_SCOPE(msg, ...)             a literal message and keyword attributes (nvtxh/attr.h)
 *   NVTXH_FUNC(...)                   a scope named after the function
 *   NVTXH_METHOD(...)                 as NVTXH_FUNC; C++ adds the class and the template arguments.
 *                                     From C++14 on (not with nvcc) the name is short: A<int>::run,
 *                                     or f()::{lambda:12} for a lambda annotated in line 12
 *   NVTXH_SCOPEF(fmt, ...)            a printf-style message in the file's default domain
 *   NVTXH_SCOPEF_WITH((fmt, ...), .color = c)    NVTXH_SCOPEF with keyword attributes
 *   NVTXH_SCOPE_IF(cond, msg, ...)    NVTXH_SCOPE if cond is true; cond is evaluated at the start
 *   NVTXH_FUNC_IF(cond, ...)          NVTXH_FUNC if cond is true
 *   NVTXH_BLOCK(msg, ...) { ... }     the block is a range. `break` and `continue` leave it. At a
 *                                     function's end, compilers may warn of a missing return
 *   NVTXH_SCOPE_NVTX_ONLY(msg, ...)   only for tools: not in the statistics of nvtxh/stats.h
 *   NVTXH_SCOPE_AS(id, msg, ...)      a scope with an identifier, so that it can end early
 *   nvtxh_scope_end(&id)              ends scope `id` now; a second call and the end of the block
 *                                     then do nothing
 *
 * A scope is a declaration, and stands where a declaration may. It ends however control leaves its
 * block: by return, break, continue, goto or, in C++, an exception. In C built with -fexceptions it
 * also ends when an exception or pthread_exit unwinds the block. longjmp skips the end. A jump
 * (`goto`, a later `case` of a switch) past a scope to a place where the scope would be open does
 * not compile: write `case 1: { NVTXH_SCOPE("x"); ... }`.
 *
 * If a printf-style message has attributes, put its format and arguments in parentheses:
 * NVTXH_SCOPEF_WITH(("layer %d", i), .domain = &train, .color = NVTXH_GREEN).
 *
 * Evaluation: messages, attributes and cond are evaluated once if someone listens, and not at all
 *   otherwise. Messages are formatted only if someone listens. A formatted message longer than 64
 *   KiB is cut; its end then says how long it was.
 * Cost when nobody listens: at most 7 instructions for a scope around a call, whatever its
 *   attributes (x86-64, -O2; tests/cost). Two of the 7 test whether someone listens. A scope
 *   takes up to 4 more in a function that returns early or, in C++, keeps many values in registers.
 * Threads: a scope belongs to the thread that opens it. The first scope to run loads the tool.
 * Off: with NVTX_DISABLE or NVTXH_DISABLE, a scope generates no code. It is still a declaration,
 * and its arguments are type-checked.
 * Errors: none. NVTXH_CHECK reports scopes that end out of order (nvtxh/check.h). */

#pragma GCC system_header

#include "check.h"
#include "core/dispatch.h"
#include "core/method.h"

#define NVTXH_SCOPE(...)                                                                           \
    NVTXH_I_SCOPE(NVTXH_I_UNIQUE(nvtxh_i_scope_), NVTXH_I_UNIQUE(nvtxh_i_guard_), "NVTXH_SCOPE",   \
                  NVTXH_I_KIND_SCOPE, true, NVTXH_I_FIRST(__VA_ARGS__), NVTXH_I_REST(__VA_ARGS__))
#define NVTXH_SCOPE_IF(cond, ...)                                                                  \
    NVTXH_I_SCOPE(NVTXH_I_UNIQUE(nvtxh_i_scope_), NVTXH_I_UNIQUE(nvtxh_i_guard_),                  \
                  "NVTXH_SCOPE_IF", NVTXH_I_KIND_SCOPE, cond, NVTXH_I_FIRST(__VA_ARGS__),          \
                  NVTXH_I_REST(__VA_ARGS__))
#define NVTXH_SCOPE_NVTX_ONLY(...)                                                                 \
    NVTXH_I_SCOPE(NVTXH_I_UNIQUE(nvtxh_i_scope_), NVTXH_I_UNIQUE(nvtxh_i_guard_),                  \
                  "NVTXH_SCOPE_NVTX_ONLY", NVTXH_I_KIND_SCOPE | NVTXH_I_KIND_UNCOUNTED, true,      \
                  NVTXH_I_FIRST(__VA_ARGS__), NVTXH_I_REST(__VA_ARGS__))
#define NVTXH_SCOPE_AS(name, ...)                                                                  \
    NVTXH_I_SCOPE(NVTXH_I_UNIQUE(nvtxh_i_scope_), name, "NVTXH_SCOPE_AS", NVTXH_I_KIND_SCOPE,      \
                  true, NVTXH_I_FIRST(__VA_ARGS__), NVTXH_I_REST(__VA_ARGS__))                     \
    NVTXH_I_NAME(name)
#define NVTXH_FUNC(...)                                                                            \
    NVTXH_I_FUNC(NVTXH_I_UNIQUE(nvtxh_i_scope_), NVTXH_I_UNIQUE(nvtxh_i_guard_), true, __VA_ARGS__)
#define NVTXH_FUNC_IF(...)                                                                         \
    NVTXH_I_FUNC(NVTXH_I_UNIQUE(nvtxh_i_scope_), NVTXH_I_UNIQUE(nvtxh_i_guard_),                   \
                 NVTXH_I_FIRST(__VA_ARGS__), NVTXH_I_REST(__VA_ARGS__))
#define NVTXH_METHOD(...)                                                                          \
    NVTXH_I_METHOD(NVTXH_I_UNIQUE(nvtxh_i_scope_), NVTXH_I_UNIQUE(nvtxh_i_guard_), __VA_ARGS__)
#define NVTXH_SCOPEF(...)                                                                          \
    NVTXH_I_SCOPEF(NVTXH_I_UNIQUE(nvtxh_i_scope_), NVTXH_I_UNIQUE(nvtxh_i_guard_), "NVTXH_SCOPEF", \
                   "(\"%s\", string)", (__VA_ARGS__), )
#define NVTXH_SCOPEF_WITH(...)                                                                     \
    NVTXH_I_SCOPEF(NVTXH_I_UNIQUE(nvtxh_i_scope_), NVTXH_I_UNIQUE(nvtxh_i_guard_),                 \
                   "NVTXH_SCOPEF_WITH", "((\"%s\", string), ...)", NVTXH_I_FIRST(__VA_ARGS__),     \
                   NVTXH_I_REST(__VA_ARGS__))
#define NVTXH_BLOCK(...)                                                                           \
    NVTXH_I_BLOCK(NVTXH_I_UNIQUE(nvtxh_i_scope_), NVTXH_I_FIRST(__VA_ARGS__),                      \
                  NVTXH_I_REST(__VA_ARGS__))

#if NVTXH_ENABLED

/* A scope's guard is the variable whose cleanup ends the scope. It holds the address of the scope's
 * domain; the low bits say which listeners have received the beginning. */
enum {
    NVTXH_I_OPEN_TOOL = 1,
    NVTXH_I_OPEN_STATS = 2, /* the address is that of the scope's frame (stats/layout.h) instead */
    NVTXH_I_OPEN_EARLY = 4, /* set by nvtxh_scope_end(): scopes begun later may still be open */
};
#define NVTXH_I_OPEN_BITS ((uintptr_t)7)

/* A scope's guard. NVTXH_SCOPE_AS gives it a name; the members are not API. */
struct nvtxh_scope {
    uintptr_t nvtxh_i_open; /* the address and the bits above; 0: not begun, or has ended */
#if NVTXH_I_CHECK
    const struct nvtxh_i_site *nvtxh_i_site; /* NULL: not begun, or has ended */
#endif
};

NVTXH_I_C_BEGIN
NVTXH_I_ENTRY_DECL uintptr_t nvtxh_i_scope_enter(const struct nvtxh_i_site *site,
                                                 NVTXH_I_ATTR_PARAMETERS)
    NVTXH_I_ENTRY_SYMBOL("scope_enter");
/* For annotations without attributes, in NVTX's default domain. */
NVTXH_I_ENTRY_DECL uintptr_t nvtxh_i_scope_enter_plain(const struct nvtxh_i_site *site)
    NVTXH_I_ENTRY_SYMBOL("scope_enter_plain");
/* For annotations with a printf format. `a` is NULL if there are no attributes. */
NVTXH_I_ENTRY_DECL NVTXH_I_FORMAT(3, 4) uintptr_t
    nvtxh_i_scope_enterf(const struct nvtxh_i_site *site, const struct nvtxh_attr *a,
                         const char *format, ...) NVTXH_I_ENTRY_SYMBOL("scope_enterf");
NVTXH_I_ENTRY_DECL void nvtxh_i_scope_leave(uintptr_t open) NVTXH_I_ENTRY_SYMBOL("scope_leave");

NVTXH_I_INLINE struct nvtxh_scope nvtxh_i_scope_of(uintptr_t open) {
    return __extension__(struct nvtxh_scope){.nvtxh_i_open = open};
}

NVTXH_I_INLINE struct nvtxh_scope nvtxh_i_scope_none(void) {
    return nvtxh_i_scope_of(0);
}

#if NVTXH_I_CHECK
NVTXH_I_INLINE struct nvtxh_scope nvtxh_i_scope_opened(const struct nvtxh_i_site *site,
                                                       struct nvtxh_attr a, uintptr_t open) {
    struct nvtxh_scope scope = {open, site};

    nvtxh_i_check_open(site, a.domain, a.category);
    return scope;
}

NVTXH_I_INLINE void nvtxh_i_scope_finish(struct nvtxh_scope *scope, uintptr_t early) {
    if (scope->nvtxh_i_site) {
        nvtxh_i_check_close(scope->nvtxh_i_site);
    }
    if (scope->nvtxh_i_open) {
        nvtxh_i_scope_leave(scope->nvtxh_i_open | early);
    }
    *scope = nvtxh_i_scope_none();
}

#else

NVTXH_I_INLINE struct nvtxh_scope nvtxh_i_scope_opened(const struct nvtxh_i_site *site,
                                                       struct nvtxh_attr a, uintptr_t open) {
    (void)site, (void)a;
    return nvtxh_i_scope_of(open);
}

/* Ends the scope for the listeners that its guard names, even if they are switched off by now. */
NVTXH_I_INLINE void nvtxh_i_scope_finish(struct nvtxh_scope *scope, uintptr_t early) {
    bool open;

#if NVTXH_I_PINNED
    open = nvtxh_i_word_is_set(&scope->nvtxh_i_open);
#else
    open = scope->nvtxh_i_open != 0;
#endif
    if (NVTXH_I_UNLIKELY(open)) {
        nvtxh_i_scope_leave(scope->nvtxh_i_open | early);
    }
}

#endif

/* Called at the end of the block. */
NVTXH_I_INLINE void nvtxh_i_scope_out(struct nvtxh_scope *scope) {
    nvtxh_i_scope_finish(scope, 0);
}

NVTXH_I_INLINE struct nvtxh_scope nvtxh_i_scope_in(const struct nvtxh_i_site *site,
                                                   struct nvtxh_attr a) {
    return nvtxh_i_scope_opened(
        site, a, nvtxh_i_scope_enter(site, NVTXH_I_ATTR_ARGUMENTS(NVTXH_I_ATTR_DOMAIN(a), a)));
}

#define NVTXH_I_SCOPE_IN(id, ...)                                                                  \
    NVTXH_I_PLAIN_OR(id, nvtxh_i_scope_of(nvtxh_i_scope_enter_plain(NVTXH_I_SITE_OF(id))),         \
                     nvtxh_i_scope_in(NVTXH_I_SITE_OF(id), NVTXH_I_ATTR(__VA_ARGS__)))

/* Ends a scope before its block ends. Does nothing if the scope has ended, or never began. */
#define nvtxh_scope_end(...) nvtxh_i_scope_end(__VA_ARGS__)
NVTXH_I_INLINE void nvtxh_i_scope_end(struct nvtxh_scope *scope) {
    nvtxh_i_scope_finish(scope, NVTXH_I_OPEN_EARLY);
    scope->nvtxh_i_open = 0;
}

/* Not API from here on. */

#define NVTXH_I_NAME(name)

/* NVTXH_BLOCK: a loop that runs once, with the guard as a variable of the loop. */
#define NVTXH_I_BLOCK(id, msg, ...)                                                                \
    for (struct nvtxh_scope NVTXH_I_PASTE(id, _guard)                                              \
             __attribute__((__cleanup__(nvtxh_i_scope_out))) = NVTXH_I_DO(                         \
                 NVTXH_I_WHO_IF(id, true), nvtxh_i_scope_none(),                                   \
                 NVTXH_I_LITERAL_OR(msg, "NVTXH_BLOCK", NVTXH_I_STRING_OR_FORMAT("NVTXH_SCOPE"),   \
                                    __VA_ARGS__),                                                  \
                 NVTXH_I_SITE(id, NVTXH_I_KIND_SCOPE, msg, NVTXH_I_TEXT(__VA_ARGS__)), 0,          \
                 NVTXH_I_SCOPE_IN(id, __VA_ARGS__)),                                               \
             NVTXH_I_NO_JUMP(id) * NVTXH_I_PASTE(id, _once) =                                      \
                 __extension__({ NVTXH_I_WARN_AGAIN &NVTXH_I_PASTE(id, _guard); });                \
         NVTXH_I_PASTE(id, _once); NVTXH_I_PASTE(id, _once) = NULL)

NVTXH_I_C_END

#else

/* When annotations are off, a scope takes no space, not even in C++: it is an array of length 0.
 * With [1][0] instead of [0], g++ accepts a struct nvtxh_scope as a member of a user's struct. */
struct nvtxh_scope {
    char nvtxh_i_nothing[1][0];
};

#define nvtxh_i_scope_none() __extension__(struct nvtxh_scope) NVTXH_I_BRACES()
char nvtxh_i_typed_scope(struct nvtxh_scope *scope); /* used in sizeof only */
NVTXH_I_OFF_TYPE(void, nvtxh_scope_end)
#define nvtxh_scope_end(...)                                                                       \
    NVTXH_I_OFF(nvtxh_scope_end, NVTXH_I_NOTHING, nvtxh_i_typed_scope(__VA_ARGS__))

/* NVTXH_SCOPE_AS declares a variable, because users name it; no other scope needs a variable. */
#define NVTXH_I_NAME(name)                                                                         \
    ;                                                                                              \
    struct nvtxh_scope name __attribute__((__unused__))

/* A loop even when annotations are off, so that `break` and `continue` do the same as when on. */
#ifdef __CUDACC__ /* nvcc warns of the loop in the #else */
#define NVTXH_I_BLOCK(id, msg, ...)                                                                \
    for (bool NVTXH_I_PASTE(id, _once) =                                                           \
             NVTXH_I_DO(, true,                                                                    \
                        NVTXH_I_LITERAL_OR(msg, "NVTXH_BLOCK",                                     \
                                           NVTXH_I_STRING_OR_FORMAT("NVTXH_SCOPE"), __VA_ARGS__),  \
                        , nvtxh_i_typed(msg, true, NVTXH_I_ATTR_TYPED(__VA_ARGS__)), );            \
         NVTXH_I_PASTE(id, _once); NVTXH_I_PASTE(id, _once) = false)
#else
#define NVTXH_I_BLOCK(id, msg, ...)                                                                \
    switch (NVTXH_I_DO(, 0,                                                                        \
                       NVTXH_I_LITERAL_OR(msg, "NVTXH_BLOCK",                                      \
                                          NVTXH_I_STRING_OR_FORMAT("NVTXH_SCOPE"), __VA_ARGS__),   \
                       , nvtxh_i_typed(msg, true, NVTXH_I_ATTR_TYPED(__VA_ARGS__)), ))             \
        while (0)                                                                                  \
        default:
#endif

#endif

/* How NVTXH_SCOPE reaches a tool: NVTXH_I_SCOPE expands to NVTXH_I_GUARD (core/dispatch.h). The
 * guard's main arguments are the test whether someone listens (nvtxh_i_active_who, state.h), a
 * static record of the call site (NVTXH_I_SITE, core/site.h) and the call NVTXH_I_SCOPE_IN.
 * NVTXH_I_SCOPE_IN calls nvtxh_i_scope_enter() or nvtxh_i_scope_enter_plain() in impl/scope.h,
 * which looks up the site's event (impl/slot.h) and calls the tool's function (impl/event.h). At
 * the end of the block the compiler calls nvtxh_i_scope_out(), which calls nvtxh_i_scope_leave().
 *
 * A condition that is not constant is evaluated only after nvtxh_i_active_known() has found a
 * listener: until that function's first call, the byte `active` is not 0 even if nobody listens. */
#define NVTXH_I_WHO_IF(id, cond)                                                                   \
    nvtxh_i_active_who(NVTXH_I_SITE_PLAIN(id) & __builtin_constant_p(cond)) && (cond)
#define NVTXH_I_SCOPE(id, name, macro, kind, cond, msg, ...)                                       \
    NVTXH_I_GUARD(                                                                                 \
        nvtxh_scope, nvtxh_i_scope, id, name, NVTXH_I_WHO_IF(id, cond),                            \
        NVTXH_I_LITERAL_OR(msg, macro,                                                             \
                           "NVTXH_FUNC() for __func__, " NVTXH_I_STRING_OR_FORMAT("NVTXH_SCOPE"),  \
                           __VA_ARGS__),                                                           \
        NVTXH_I_SITE(id, kind, msg, NVTXH_I_TEXT(__VA_ARGS__)),                                    \
        nvtxh_i_typed(msg, cond, NVTXH_I_ATTR_TYPED(__VA_ARGS__)),                                 \
        NVTXH_I_SCOPE_IN(id, __VA_ARGS__))
#define NVTXH_I_FUNC(id, name, cond, ...)                                                          \
    NVTXH_I_GUARD(                                                                                 \
        nvtxh_scope, nvtxh_i_scope, id, name, NVTXH_I_WHO_IF(id, cond),                            \
        NVTXH_I_KEYWORDS(__VA_ARGS__),                                                             \
        NVTXH_I_SITE(id, NVTXH_I_KIND_SCOPE, NVTXH_I_FUNCTION, NVTXH_I_TEXT(__VA_ARGS__)),         \
        nvtxh_i_typed(NVTXH_I_FUNCTION, cond, NVTXH_I_ATTR_TYPED(__VA_ARGS__)),                    \
        NVTXH_I_SCOPE_IN(id, __VA_ARGS__))
#define NVTXH_I_METHOD(id, name, ...)                                                              \
    NVTXH_I_GUARD(nvtxh_scope, nvtxh_i_scope, id, name, NVTXH_I_WHO_IF(id, true),                  \
                  NVTXH_I_KEYWORDS(__VA_ARGS__),                                                   \
                  NVTXH_I_SITE_METHOD(id, NVTXH_I_KIND_SCOPE, NVTXH_I_TEXT(__VA_ARGS__)),          \
                  nvtxh_i_typed(NVTXH_I_FUNCTION, true, NVTXH_I_ATTR_TYPED(__VA_ARGS__)),          \
                  NVTXH_I_SCOPE_IN(id, __VA_ARGS__))
#define NVTXH_I_SCOPEF(id, name, macro, example, fmt, ...)                                         \
    NVTXH_I_GUARD(nvtxh_scope, nvtxh_i_scope, id, name, nvtxh_i_active_who(false),                 \
                  NVTXH_I_LITERAL(NVTXH_I_FORMAT_OF(fmt), macro, "write " macro example);          \
                  NVTXH_I_KEYWORDS(__VA_ARGS__),                                                   \
                  NVTXH_I_SITE(id, NVTXH_I_KIND_SCOPE | NVTXH_I_KIND_FORMAT,                       \
                               NVTXH_I_FORMAT_OF(fmt), NVTXH_I_TEXT(__VA_ARGS__)),                 \
                  nvtxh_i_typedf(NVTXH_I_BARE fmt) + NVTXH_I_ATTR_TYPED(__VA_ARGS__),              \
                  NVTXH_I_WITH(id,                                                                 \
                               nvtxh_i_scope_opened(NVTXH_I_SITE_OF(id), NVTXH_I_ATTR_OF(id),      \
                                                    nvtxh_i_scope_enterf(NVTXH_I_SITE_OF(id),      \
                                                                         NVTXH_I_ATTR_AT(id),      \
                                                                         NVTXH_I_BARE fmt)),       \
                               __VA_ARGS__))

#endif
