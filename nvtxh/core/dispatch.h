/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CORE_DISPATCH_H
#define NVTXH_CORE_DISPATCH_H

/* The two macros that annotation macros expand to: NVTXH_I_GUARD declares a guard, whose
 * cleanup ends a range, and NVTXH_I_DO is an expression. Only these two decide what a macro
 * becomes when annotations are off. Not API. */

#include "../attr.h"
#include "../config.h"
#include "../state.h"
#include "compiler.h"
#include "off.h"
#include "site.h"

/* Does the call site's record say all that the event needs? Tested as a constant in the macro, not
 * in a function, so that the compiler drops attributes before it optimizes (bench/compile). */
#define NVTXH_I_SITE_SAYS_ALL(id)                                                                  \
    (NVTXH_I_SITE_PLAIN(id) * !NVTXH_I_HAS_FILE_DOMAIN * !NVTXH_I_CHECK)
/* PLAIN if it does, else FULL. In C this is no decision, which tools would count. */
#ifdef __cplusplus
#define NVTXH_I_PLAIN_OR(id, plain, full) (NVTXH_I_SITE_SAYS_ALL(id) ? plain : full)
#else
#define NVTXH_I_PLAIN_OR(id, plain, full)                                                          \
    __builtin_choose_expr(NVTXH_I_SITE_SAYS_ALL(id), plain, full)
#endif

/* clang-format off */
/* The attributes of an annotation, as one value. */
#define NVTXH_I_ATTR(...) __extension__(struct nvtxh_attr){__VA_ARGS__}

/* A printf-style message: FMT is the format and its arguments in parentheses. NVTXH_I_WITH
 * evaluates the attributes once, into the variable NVTXH_I_ATTR_OF(id), and then the expression
 * USE. In USE, NVTXH_I_ATTR_AT(id) is the variable's address; NULL: there are no attributes. */
#define NVTXH_I_FORMAT_OF(fmt) NVTXH_I_FIRST(NVTXH_I_BARE fmt)
#define NVTXH_I_ATTR_OF(id) NVTXH_I_PASTE(id, _a)
#define NVTXH_I_ATTR_AT(id) (NVTXH_I_SITE_PLAIN(id) ? NULL : &NVTXH_I_ATTR_OF(id))
#define NVTXH_I_WITH(id, use, ...)                                                                 \
    __extension__({                                                                                \
        NVTXH_I_STRICT_BEGIN                                                                       \
        const struct nvtxh_attr NVTXH_I_ATTR_OF(id) =                                              \
            NVTXH_I_ATTR(__VA_ARGS__);                                                             \
        NVTXH_I_STRICT_END                                                                         \
        use;                                                                                       \
    })

/* NVTXH_I_DO, for every macro that is an expression, takes:
 *   who       nvtxh_i_active_who(...) or nvtxh_i_attached_who(...) (state.h), possibly with a
 *             condition
 *   nobody    the result where nobody listens
 *   literal   NVTXH_I_LITERAL(...) of the message and NVTXH_I_KEYWORDS(...) of the attributes, or
 *             nothing
 *   site      NVTXH_I_SITE(...), or nothing
 *   typed     a call of a function that is only declared, to type-check the arguments
 *   call      the call that sends the event
 *
 * NVTXH_I_GUARD, for every macro that declares a guard, takes all of these except `nobody`, and
 * before them:
 *   type      the name of the guard's struct
 *   stem      the beginning of two functions' names: STEM_none returns an empty guard, STEM_out
 *             ends what the guard began
 *   id        the name of the site's record; other names that the macro makes begin with it
 *   name      the name of the guard
 * It declares what NVTXH_I_AHEAD (below) declares; the guard, which is empty at first; and a bool,
 * whose initializer makes the call if someone listens. NVTXH_I_GUARD_ALWAYS is for guards that do
 * their work even if nobody listens; the name of their struct is STEM.
 *
 * If NVTXH_I_PINNED is 1, NVTXH_I_PIN forces the guard into memory, where it costs a store and a
 * compare. Without NVTXH_I_PIN, where calls may throw, clang would keep the guard in a callee-saved
 * register, and set this register both if someone listens and if nobody does. */
#if NVTXH_ENABLED && !NVTXH_I_CHECK && defined(__clang__) && defined(__EXCEPTIONS) && NVTXH_I_FLAGS
#define NVTXH_I_PINNED 1
#define NVTXH_I_PIN(name) __asm__("" : "+m"(name));
#else
#define NVTXH_I_PINNED 0
#define NVTXH_I_PIN(name)
#endif

#if NVTXH_ENABLED
#define NVTXH_I_DO(who, nobody, literal, site, typed, call)                                        \
    __extension__({                                                                                \
        literal; site;                                                                             \
        NVTXH_I_STRICT_BEGIN NVTXH_I_UNLIKELY(who) ? call : nobody;                                \
        NVTXH_I_STRICT_END                                                                         \
    })
#define NVTXH_I_GUARD(type, stem, id, name, who, literal, site, typed, call)                       \
    NVTXH_I_AHEAD(id)                                                                              \
    struct type name __attribute__((__cleanup__(stem##_out), __unused__)) = stem##_none();         \
    const bool NVTXH_I_PASTE(id, _begun) __attribute__((__unused__)) = __extension__({             \
        literal; site;                                                                             \
        NVTXH_I_PIN(name)                                                                          \
        NVTXH_I_STRICT_BEGIN                                                                       \
        NVTXH_I_UNLIKELY(NVTXH_I_IS_AHEAD(id) & (who)) && (name = call, true);                     \
        NVTXH_I_STRICT_END                                                                         \
    })
#define NVTXH_I_GUARD_ALWAYS(stem, id, typed, call)                                                \
    NVTXH_I_AHEAD(id)                                                                              \
    struct stem NVTXH_I_PASTE(id, _guard) __attribute__((__cleanup__(stem##_out), __unused__)) =   \
        NVTXH_I_DO(NVTXH_I_IS_AHEAD(id), call, , , typed, call)
#else
/* __extension__, because formats may have GNU's %m. */
#if defined(__CUDACC__) && defined(__clang__) /* nvcc would warn of the comma below */
#define NVTXH_I_DO(who, nobody, literal, site, typed, call)                                        \
    __extension__({ (void)NVTXH_I_CHECKED(literal, typed); nobody; })
#else
#define NVTXH_I_DO(who, nobody, literal, site, typed, call)                                        \
    __extension__((void)NVTXH_I_CHECKED(literal, typed), nobody)
#endif
#ifdef __CUDA_ARCH__
#define NVTXH_I_GUARD(type, stem, id, name, who, literal, site, typed, call)                       \
    ((void)NVTXH_I_CHECKED(literal, typed)) /* no assertion: not constant for nvcc */
#else
#define NVTXH_I_GUARD(type, stem, id, name, who, literal, site, typed, call)                       \
    NVTXH_I_AHEAD(id)                                                                              \
    NVTXH_I_ASSERT(NVTXH_I_IS_AHEAD(id) && NVTXH_I_CHECKED(literal, typed), "")
#endif
#define NVTXH_I_GUARD_ALWAYS(stem, id, typed, call) NVTXH_I_GUARD(, , id, , , , , typed, )
#endif
/* clang-format on */

/* NVTXH_I_DO for macros with a format. USE calls the macro's function: see NVTXH_I_WITH. */
#define NVTXH_I_DO_FORMAT(id, listener, nobody, kind, macro, example, use, fmt, ...)               \
    NVTXH_I_DO(listener##_who(false), nobody,                                                      \
               NVTXH_I_LITERAL(NVTXH_I_FORMAT_OF(fmt), macro, "write " macro example);             \
               NVTXH_I_KEYWORDS(__VA_ARGS__),                                                      \
               NVTXH_I_SITE(id, (kind) | NVTXH_I_KIND_FORMAT, NVTXH_I_FORMAT_OF(fmt),              \
                            NVTXH_I_TEXT(__VA_ARGS__)),                                            \
               nvtxh_i_typedf(NVTXH_I_BARE fmt) + NVTXH_I_ATTR_TYPED(__VA_ARGS__),                 \
               NVTXH_I_WITH(id, use, __VA_ARGS__))

/* Functions for the parameter `typed`: never called, and so not defined. If they could throw, g++
 * at -O0 would take their callers for functions that can throw. */
__attribute__((__nothrow__)) char nvtxh_i_typed(const char *message, bool condition,
                                                int attributes);
__attribute__((__nothrow__)) NVTXH_I_FORMAT(1, 2) char nvtxh_i_typedf(const char *format, ...);
char nvtxh_i_typed_attr(struct nvtxh_attr attributes);
/* A call of nvtxh_i_typed_attr, so that the compiler checks the attributes. gcc at -O0 reserves
 * stack for them, unless the call is within a sizeof. */
#if defined(__clang__) || defined(__CUDACC__)
#define NVTXH_I_WITHIN_TYPED(...) __VA_ARGS__
#else
#define NVTXH_I_WITHIN_TYPED(...) ((int)sizeof(__extension__({ __VA_ARGS__; })))
#endif
#define NVTXH_I_ATTR_TYPED(...) NVTXH_I_WITHIN_TYPED(nvtxh_i_typed_attr(NVTXH_I_ATTR(__VA_ARGS__)))

/* `if (c) NVTX_SCOPE("x");` would not do what it seems to, so it must not compile, and the error
 * must say why. In C++ a declaration can be the body of an `if`. So NVTXH_I_AHEAD in C++ declares a
 * name that the guard's declaration uses: a name declared in such a body is unknown after the body.
 * In C a declaration cannot be the body, and the compiler's error names the declaration's type.
 *
 * Another mistake is a jump (`goto`, `case`) past a guard to a place where the guard is in scope
 * but has no value. In C, gcc compiles such a jump, but not a jump past a variably modified
 * declaration. So for gcc each guard in C comes with such a declaration. The optimizer finds that
 * the size in it is constant, and removes it. */
#ifdef __cplusplus
#define NVTXH_I_AHEAD(id) typedef char NVTXH_I_PASTE(id, _needs_a_block_of_its_own);
#define NVTXH_I_IS_AHEAD(id) (sizeof(NVTXH_I_PASTE(id, _needs_a_block_of_its_own)) == 1)
#else
#define NVTXH_I_IS_AHEAD(id) true
#if NVTXH_ENABLED || defined(__clang__)
typedef char nvtxh_i_scope_needs_a_block_of_its_own;
#else
__extension__ typedef struct {
} nvtxh_i_scope_needs_a_block_of_its_own;
#endif

#ifdef __clang__ /* a function: at -O0 clang reserves stack for a variable of size 0 */
#define NVTXH_I_AHEAD(id)                                                                          \
    nvtxh_i_scope_needs_a_block_of_its_own NVTXH_I_PASTE(id, _needs_a_block_of_its_own)(void);
#elif NVTXH_ENABLED
NVTXH_I_INLINE size_t nvtxh_i_one(void) {
    return 1;
}

/* clang-format off */
/* Without the pragma, gcc would report -Wvla for the annotated function. */
#define NVTXH_I_VARIABLE_SIZE                                                                      \
    [__extension__({ _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wvla\"") nvtxh_i_one(); })]
#define NVTXH_I_WARN_AGAIN _Pragma("GCC diagnostic pop")
/* clang-format on */
#define NVTXH_I_AHEAD(id)                                                                          \
    nvtxh_i_scope_needs_a_block_of_its_own(*NVTXH_I_PASTE(id, _needs_a_block_of_its_own))          \
        NVTXH_I_VARIABLE_SIZE __attribute__((__unused__));                                         \
    NVTXH_I_WARN_AGAIN
/* NVTXH_I_AHEAD for a `for` loop: a declarator, which stands before another declarator that
 * contains NVTXH_I_WARN_AGAIN. */
#define NVTXH_I_NO_JUMP(id)                                                                        \
    (*NVTXH_I_PASTE(id, _needs_a_block_of_its_own)) NVTXH_I_VARIABLE_SIZE                          \
        __attribute__((__unused__)) = NULL,
#else
#define NVTXH_I_AHEAD(id)                                                                          \
    nvtxh_i_scope_needs_a_block_of_its_own NVTXH_I_PASTE(id, _needs_a_block_of_its_own)            \
        __attribute__((__unused__));
#endif
#endif
#ifndef NVTXH_I_NO_JUMP
#define NVTXH_I_NO_JUMP(id)
#define NVTXH_I_WARN_AGAIN
#endif

#endif
