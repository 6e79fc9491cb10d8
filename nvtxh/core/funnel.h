/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CORE_FUNNEL_H
#define NVTXH_CORE_FUNNEL_H

/*
 * The two funnels through which every verb goes: NVTXH_I_GUARD declares a guard, NVTXH_I_DO is an
 * expression. Only these know whether annotations are on. Not API.
 */

#include "../attr.h"
#include "../config.h"
#include "../state.h"
#include "compiler.h"
#include "site.h"

/* Are there no attributes? */
#define NVTXH_I_PLAIN(...) (sizeof(NVTXH_I_TEXT(__VA_ARGS__)) == 1)
/*
 * Does the site's record say all that the event needs? Tested as a constant in the macro, not in a
 * function, so that the compiler drops the code for attributes early (bench/compile).
 */
#define NVTXH_I_SITE_SAYS_ALL(...)                                                                 \
    (NVTXH_I_PLAIN(__VA_ARGS__) && !NVTXH_I_HAS_FILE_DOMAIN && !NVTXH_I_CHECK)

/* The attributes of a verb, as one value. */
#if NVTXH_ENABLED && defined(__cplusplus) && __cplusplus < 201402L && !defined(__clang__)
/* Before C++14, members cannot have defaults, and g++ warns of the attributes that are not given. */
#define NVTXH_I_ATTR_AS(type, ...) NVTXH_I_ATTR_(type, NVTXH_I_UNIQUE(nvtxh_i_attr_), __VA_ARGS__)
/* clang-format off */
#define NVTXH_I_ATTR_(type, id, ...)                                                                 \
    __extension__({                                                                                \
        _Pragma("GCC diagnostic push")                                                             \
        _Pragma("GCC diagnostic ignored \"-Wmissing-field-initializers\"")                         \
        struct type id = {__VA_ARGS__};                                                            \
        _Pragma("GCC diagnostic pop")                                                              \
        id;                                                                                        \
    })
#else
#define NVTXH_I_ATTR_AS(type, ...) __extension__(struct type){__VA_ARGS__}
#endif
/* clang-format on */
#define NVTXH_I_ATTR(...) NVTXH_I_ATTR_AS(nvtxh_attr, __VA_ARGS__)

/*
 * A printf-style message with attributes: FMT is the format and its arguments in parentheses. The attributes are
 * evaluated once, into the variable NVTXH_I_ATTR_OF(id), for the expression USE; NVTXH_I_CALL_WITH passes them
 * one by one.
 */
#define NVTXH_I_FORMAT_OF(fmt) NVTXH_I_FIRST(NVTXH_I_BARE fmt)
#define NVTXH_I_LITERAL_WITH(fmt, macro)                                                           \
    NVTXH_I_LITERAL(NVTXH_I_FORMAT_OF(fmt), macro, "write " macro "((\"%s\", string), ...)")
#define NVTXH_I_TYPED_WITH(fmt, ...)                                                               \
    (nvtxh_i_typedf(NVTXH_I_BARE fmt) +                                                            \
     NVTXH_I_ATTR_SIZE(nvtxh_i_typed("", true, NVTXH_I_ATTR(__VA_ARGS__))))
#define NVTXH_I_ATTR_OF(id) NVTXH_I_PASTE(id, _a)
#define NVTXH_I_WITH(id, use, ...)                                                                 \
    __extension__({                                                                                \
        const struct nvtxh_attr NVTXH_I_ATTR_OF(id) = NVTXH_I_ATTR(__VA_ARGS__);                   \
        use;                                                                                       \
    })
#define NVTXH_I_CALL_WITH(id, function, fmt)                                                       \
    function(                                                                                      \
        NVTXH_I_SITE_OF(id),                                                                       \
        NVTXH_I_ATTR_ARGUMENTS(NVTXH_I_ATTR_DOMAIN(NVTXH_I_ATTR_OF(id)), NVTXH_I_ATTR_OF(id)),     \
        NVTXH_I_BARE fmt)

/* In place of a result, for verbs that return nothing. */
#define NVTXH_I_NOTHING NVTXH_I_CAST(void, 0)

/*
 * NVTXH_I_DO, the funnel of every verb that is an expression, takes:
 *   who       NVTXH_I_WHO(nvtxh_i_active) or NVTXH_I_WHO(nvtxh_i_attached), possibly with a condition
 *   nobody    the result where nobody listens
 *   literal   NVTXH_I_LITERAL(...) of the message, or nothing
 *   site, of  NVTXH_I_SITE and its arguments in parentheses, or NVTXH_I_NO_SITE and ()
 *   typed     a call of a function that is only declared, to type-check the arguments
 *   call      the call that sends the event
 *
 * NVTXH_I_GUARD, the funnel of every verb that declares a guard, takes the same except `nobody`, and
 * before that a unique identifier and the name of the variable. NVTXH_I_GUARD_OF is for guards that
 * are not scopes: it also takes the name of their struct, and the STEM of its functions STEM_out and
 * STEM_none. NVTXH_I_GUARD_ALWAYS is for those that do their work even if nobody listens; their struct is STEM.
 */
#define NVTXH_I_NO_SITE()

/*
 * Where calls may throw, clang would keep the guard in a callee-saved register, and set it on both
 * sides of the branch. Kept in memory (pinned), it costs a store and a compare.
 */
#if NVTXH_ENABLED && !NVTXH_I_CHECK && defined(__clang__) && defined(__EXCEPTIONS) && NVTXH_I_FLAGS
#define NVTXH_I_PINNED 1
#else
#define NVTXH_I_PINNED 0
#endif

#if NVTXH_ENABLED
#define NVTXH_I_DO(who, nobody, literal, site, of, typed, call)                                    \
    __extension__({                                                                                \
        literal;                                                                                   \
        site of;                                                                                   \
        NVTXH_I_UNLIKELY(who) ? call : nobody;                                                     \
    })
#if NVTXH_I_PINNED
#define NVTXH_I_GUARD(id, name, who, literal, site, of, typed, call)                               \
    NVTXH_I_PART_1(id)                                                                             \
    struct nvtxh_scope name __attribute__((__cleanup__(nvtxh_i_scope_out), __unused__)) =          \
        nvtxh_i_scope_none();                                                                      \
    const bool NVTXH_I_PASTE(id, _begun) __attribute__((__unused__)) =                             \
        NVTXH_I_DO(NVTXH_I_PART_2(id) nvtxh_i_scope_pin(&name) && (who), false, literal, site, of, \
                   typed, nvtxh_i_scope_set(&name, call))
#else
#define NVTXH_I_GUARD(id, name, who, literal, site, of, typed, call)                               \
    NVTXH_I_GUARD_OF(nvtxh_scope, nvtxh_i_scope, id, name, who, literal, site, of, typed, call)
#endif
#define NVTXH_I_GUARD_OF(type, stem, id, name, who, literal, site, of, typed, call)                \
    NVTXH_I_PART_1(id)                                                                             \
    struct type name __attribute__((__cleanup__(stem##_out), __unused__)) =                        \
        NVTXH_I_DO(NVTXH_I_PART_2(id)(who), stem##_none(), literal, site, of, typed, call)
#define NVTXH_I_GUARD_ALWAYS(stem, id, typed, call)                                                \
    NVTXH_I_PART_1(id)                                                                             \
    struct stem NVTXH_I_PASTE(id, _guard) __attribute__((__cleanup__(stem##_out), __unused__)) =   \
        NVTXH_I_DO(NVTXH_I_PART_2(id) true, call, , NVTXH_I_NO_SITE, (), typed, call)
#else
#ifdef __clang__ /* at -O0 clang reserves stack for the result of a statement expression */
#define NVTXH_I_DO(who, nobody, literal, site, of, typed, call)                                    \
    (NVTXH_I_CAST(void, NVTXH_I_CHECKED(literal, typed)), nobody)
#else /* gcc warns of unused values, but not of the unused value of a statement expression */
#define NVTXH_I_DO(who, nobody, literal, site, of, typed, call)                                    \
    __extension__({                                                                                \
        NVTXH_I_CAST(void, NVTXH_I_CHECKED(literal, typed));                                       \
        nobody;                                                                                    \
    })
#endif
#ifdef __CUDA_ARCH__ /* for nvcc the sizeof in NVTXH_I_CHECKED is not a constant */
#define NVTXH_I_GUARD(id, name, who, literal, site, of, typed, call)                               \
    NVTXH_I_CAST(void, NVTXH_I_CHECKED(literal, typed))
#else
#define NVTXH_I_GUARD(id, name, who, literal, site, of, typed, call)                               \
    NVTXH_I_PART_1(id)                                                                             \
    NVTXH_I_ASSERT(NVTXH_I_PART_2(id) NVTXH_I_CHECKED(literal, typed), "")
#endif
#define NVTXH_I_GUARD_OF(type, stem, id, name, who, literal, site, of, typed, call)                \
    NVTXH_I_GUARD(id, name, who, literal, site, of, typed, call)
#define NVTXH_I_GUARD_ALWAYS(stem, id, typed, call) NVTXH_I_GUARD(id, , , , , , typed, )
#ifdef __CUDA_ARCH__ /* literals are checked when the file is compiled for the host */
#define NVTXH_I_CHECKED(literal, typed) NVTXH_I_UNEVALUATED(typed)
#else
/* The statement expression also keeps gcc at -O0 from reserving stack for the attributes. */
#define NVTXH_I_CHECKED(literal, typed)                                                            \
    (sizeof(__extension__({                                                                        \
         literal;                                                                                  \
         typed;                                                                                    \
     })) != 0 &&                                                                                   \
     NVTXH_I_USED(typed))
#endif
#endif

/*
 * The same for verbs with a printf format. From gcc 14 on, -Wformat checks nothing within a sizeof, but it does
 * within __builtin_constant_p. There, gcc at -O0 would reserve stack for attributes, so a sizeof is around them.
 */
#if NVTXH_ENABLED || defined(__clang__) || defined(__CUDACC__)
#define NVTXH_I_DO_FORMAT NVTXH_I_DO
#define NVTXH_I_GUARD_FORMAT NVTXH_I_GUARD
#define NVTXH_I_GUARD_FORMAT_OF NVTXH_I_GUARD_OF
#define NVTXH_I_ATTR_SIZE(typed) typed
#else
#define NVTXH_I_DO_FORMAT(who, nobody, literal, site, of, typed, call)                             \
    __extension__({                                                                                \
        NVTXH_I_CAST(void, NVTXH_I_CHECKED_FORMAT(literal, typed));                                \
        nobody;                                                                                    \
    })
#define NVTXH_I_GUARD_FORMAT(id, name, who, literal, site, of, typed, call)                        \
    NVTXH_I_PART_1(id)                                                                             \
    NVTXH_I_ASSERT(NVTXH_I_PART_2(id) NVTXH_I_CHECKED_FORMAT(literal, typed), "")
#define NVTXH_I_GUARD_FORMAT_OF(type, stem, ...) NVTXH_I_GUARD_FORMAT(__VA_ARGS__)
#define NVTXH_I_CHECKED_FORMAT(literal, typed)                                                     \
    (NVTXH_I_CHECKED(literal, 0) && __builtin_constant_p(typed) < 2)
#define NVTXH_I_ATTR_SIZE(typed) NVTXH_I_CAST(int, sizeof(__extension__({ typed; })))
#endif

/*
 * `if (c) NVTX_SCOPE("x");` would not do what it seems to, so it must not compile, and the error must say why.
 * In C++ a declaration can be the body of an `if`, so a guard is two declarations there, and the second needs
 * the first. In C a declaration cannot be that, and the compiler's error names the type that it begins with.
 *
 * Another mistake is a jump past a guard (`goto`, `case`) to where it is in scope, but has no value. gcc compiles that
 * in C. No compiler accepts a jump past a variably modified declaration, so the guard comes with one. The optimizer
 * finds that its size is constant, and removes it.
 */
#ifdef __cplusplus
#define NVTXH_I_PART_1(id) extern char NVTXH_I_PASTE(id, _needs_a_block_of_its_own)[1];
#define NVTXH_I_PART_2(id) sizeof(NVTXH_I_PASTE(id, _needs_a_block_of_its_own)) == 1 &&
#else
#define NVTXH_I_PART_2(id)
#if NVTXH_ENABLED || defined(__clang__)
typedef char nvtxh_i_scope_needs_a_block_of_its_own;
#else
__extension__ typedef struct {
} nvtxh_i_scope_needs_a_block_of_its_own;
#endif

#ifdef __clang__ /* at -O0 clang reserves stack for a variable of size 0 */
#define NVTXH_I_PART_1(id)                                                                         \
    nvtxh_i_scope_needs_a_block_of_its_own NVTXH_I_PASTE(id, _needs_a_block_of_its_own)(void);
#elif NVTXH_ENABLED
NVTXH_I_INLINE size_t nvtxh_i_one(void)
{
    return 1;
}

/* clang-format off */
#define NVTXH_I_VARIABLE_SIZE                                                                      \
    [__extension__({                                                                               \
        _Pragma("GCC diagnostic push")                                                             \
        _Pragma("GCC diagnostic ignored \"-Wvla\"")                                                \
        nvtxh_i_one();                                                                             \
    })]
#define NVTXH_I_WARN_AGAIN _Pragma("GCC diagnostic pop")
/* clang-format on */
#define NVTXH_I_PART_1(id)                                                                         \
    nvtxh_i_scope_needs_a_block_of_its_own(*NVTXH_I_PASTE(id, _needs_a_block_of_its_own))          \
        NVTXH_I_VARIABLE_SIZE __attribute__((__unused__));                                         \
    NVTXH_I_WARN_AGAIN
/* The same for a `for`: a declarator to put before the one that has NVTXH_I_WARN_AGAIN. */
#define NVTXH_I_NO_JUMP(id)                                                                        \
    (*NVTXH_I_PASTE(id, _needs_a_block_of_its_own)) NVTXH_I_VARIABLE_SIZE                          \
        __attribute__((__unused__)) = NVTXH_I_NULL,
#else
#define NVTXH_I_PART_1(id)                                                                         \
    nvtxh_i_scope_needs_a_block_of_its_own NVTXH_I_PASTE(id, _needs_a_block_of_its_own)            \
        __attribute__((__unused__));
#endif
#endif
#ifndef NVTXH_I_NO_JUMP
#define NVTXH_I_NO_JUMP(id)
#define NVTXH_I_WARN_AGAIN
#endif

/* With NVTXH_CHECK, mistakes are looked for even if nobody listens. */
#if NVTXH_I_CHECK
#define NVTXH_I_WHO(listener) true
#define NVTXH_I_WHO_SEEMS(listener) true
#define NVTXH_I_IF(listener, call, nobody) (NVTXH_I_LISTENS(listener) ? call : nobody)
#else
#define NVTXH_I_WHO(listener) NVTXH_I_LISTENS(listener)
#define NVTXH_I_WHO_SEEMS(listener) listener()
#define NVTXH_I_IF(listener, call, nobody) call
#endif
/* Without arguments to evaluate, the called function tests who listens. That makes every caller smaller. */
#define NVTXH_I_WHO_PLAIN(listener, plain)                                                         \
    ((plain) ? NVTXH_I_WHO_SEEMS(listener) : NVTXH_I_WHO(listener))
#define NVTXH_I_WHO_IF(cond, plain)                                                                \
    NVTXH_I_WHO_PLAIN(nvtxh_i_active, (plain) && __builtin_constant_p(cond)) && (cond)
#define NVTXH_I_LISTENS(listener) (listener() && listener##_known())

/* `typed` calls these. They are not defined anywhere, since they are only called in sizeof. */
NVTXH_I_C_BEGIN
char nvtxh_i_typed(const char *message, bool condition, struct nvtxh_attr attributes);
NVTXH_I_FORMAT(1, 2) char nvtxh_i_typedf(const char *format, ...);
NVTXH_I_C_END

#endif
