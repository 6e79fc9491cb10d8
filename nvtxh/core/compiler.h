/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CORE_COMPILER_H
#define NVTXH_CORE_COMPILER_H

/*
 * What the compilers spell differently, or only as an extension. Not API.
 */

#if !defined(__GNUC__)
#error                                                                                             \
    "nvtxh needs a compiler with GNU extensions: gcc or clang (nvcc with either as host compiler)"
#endif

#if defined(__cplusplus) ? __cplusplus < 201103L                                                   \
                         : !defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L
#error "nvtxh needs C11 or C++11: compile with -std=gnu11 or -std=gnu++11, or a later one"
#elif !defined(__LP64__)
#error "nvtxh needs a 64-bit target: NVTX 3 has tools for those alone"
#endif

/*
 * From version 19 on clang misses the attributes that are not given, before C++14, where members may have no defaults. In templates and
 * member functions it says so at a place where no pragma of a macro holds: so it does not say it in files that include this one.
 */
#if defined(__clang__) && defined(__cplusplus) && __cplusplus < 201402L
#if __has_warning("-Wmissing-designated-field-initializers")
#pragma clang diagnostic ignored "-Wmissing-designated-field-initializers"
#endif
#endif

#include <stddef.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif

/*
 * What <stdint.h> would declare, and as it does. That header opens fifteen others of the C library, a
 * fifth of what a file pays for nvtxh.h with NVTXH_NO_IMPL (bench/compile). To declare a type again as
 * the same is no error, in either order.
 */
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 nvtxh_i_uint128;
#else
typedef uint64_t nvtxh_i_uint128; /* so that what stands above is the only error */
#endif

/* An identifier that is used once in a file. __LINE__ would collide where one macro opens two. */
#define NVTXH_I_PASTE_(a, b) a##b
#define NVTXH_I_PASTE(a, b) NVTXH_I_PASTE_(a, b)
#define NVTXH_I_UNIQUE(stem) NVTXH_I_PASTE(stem, __COUNTER__)

/*
 * A verb is called with a message and, perhaps, more: `(msg)` or `(msg, .color = c)`. In ISO C a
 * macro with `...` wants an argument there, so every verb takes `...` alone and these part it. The
 * rest comes with a trailing comma, which is right inside the braces of an initializer.
 */
#define NVTXH_I_FIRST(...) NVTXH_I_FIRST_(__VA_ARGS__, )
#define NVTXH_I_FIRST_(first, ...) first
#define NVTXH_I_REST(...) NVTXH_I_REST_(__VA_ARGS__, )
#define NVTXH_I_REST_(first, ...) __VA_ARGS__
#define NVTXH_I_BARE(...) __VA_ARGS__ /* NVTXH_I_BARE (a, b) is a, b */
#define NVTXH_I_TEXT(...) NVTXH_I_TEXT_(__VA_ARGS__)
#define NVTXH_I_TEXT_(...) #__VA_ARGS__

/* Is ThreadSanitizer to see every access? */
#if defined(__SANITIZE_THREAD__)
#define NVTXH_I_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NVTXH_I_TSAN 1
#endif
#endif
#ifndef NVTXH_I_TSAN
#define NVTXH_I_TSAN 0
#endif

#define NVTXH_I_UNLIKELY(x) __builtin_expect(!!(x), 0)
/*
 * Inlined everywhere. In C with external linkage, in the GNU sense (never emitted), because a C
 * inline function may not use anything static.
 */
#ifdef __cplusplus
#define NVTXH_I_INLINE                                                                             \
    static inline __attribute__((__always_inline__, __unused__, __no_instrument_function__))
#else
#define NVTXH_I_INLINE                                                                             \
    extern __inline__                                                                              \
        __attribute__((__gnu_inline__, __always_inline__, __unused__, __no_instrument_function__))
#endif
#define NVTXH_I_FORMAT(text, args) __attribute__((__format__(__printf__, text, args)))

#ifdef __cplusplus
#define NVTXH_I_ASSERT static_assert
#ifdef __clang__
#define NVTXH_I_C_BEGIN extern "C" {
#define NVTXH_I_C_END }
#else /* thinks that a function cannot be both inline and noinline; see NVTXH_I_ONCE */
#define NVTXH_I_C_BEGIN                                                                            \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wattributes\"") extern "C"   \
    {
#define NVTXH_I_C_END                                                                              \
    }                                                                                              \
    _Pragma("GCC diagnostic pop")
#endif
#define NVTXH_I_CAST(type, x) (static_cast<type>(x))
#define NVTXH_I_BITS(type, x) (reinterpret_cast<type>(x))
#define NVTXH_I_NULL nullptr
#else
#define NVTXH_I_ASSERT _Static_assert
#ifdef __clang__ /* NVTXH_I_INLINE may; see NVTXH_I_ONCE */
#define NVTXH_I_C_BEGIN                                                                            \
    _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wstatic-in-inline\"")
#define NVTXH_I_C_END _Pragma("clang diagnostic pop")
#else
#define NVTXH_I_C_BEGIN
#define NVTXH_I_C_END
#endif
#define NVTXH_I_CAST(type, x) ((type)(x))
#define NVTXH_I_BITS(type, x) ((type)(x))
#define NVTXH_I_NULL NULL
#endif

/*
 * Type-checks an expression and evaluates nothing. nvcc says of a variable that it sees in a sizeof
 * alone that it is never used. A statement expression there is a use; so, in the device half of a file,
 * where that could not name the host's variables, is the size of this array. clang says of a function that
 * is called in a sizeof alone that it is not needed; there __builtin_constant_p is a use, but checks no formats.
 */
#if defined(__CUDA_ARCH__)
#define NVTXH_I_UNEVALUATED(x) sizeof(char[__builtin_constant_p(x) ? 1 : 2])
#define NVTXH_I_TYPED(...) NVTXH_I_CAST(void, NVTXH_I_UNEVALUATED((__VA_ARGS__)))
#elif defined(__CUDACC__)
#define NVTXH_I_TYPED(...) NVTXH_I_CAST(void, sizeof(__extension__({ __VA_ARGS__; })))
#else
#define NVTXH_I_TYPED(...) NVTXH_I_CAST(void, sizeof(__VA_ARGS__) != 0 && NVTXH_I_USED(__VA_ARGS__))
#endif
#ifdef __clang__ /* takes no string for a literal where a constant is wanted */
#define NVTXH_I_USED(...)                                                                          \
    (_Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wformat-security\"")    \
         _Pragma("clang diagnostic ignored \"-Wformat-nonliteral\"")                               \
             __builtin_constant_p((__VA_ARGS__)) < 2 _Pragma("clang diagnostic pop"))
#else
#define NVTXH_I_USED(...) true
#endif

/* A string literal, or NULL: what a static record can hold. `otherwise` tells what to write
 * instead. */
#define NVTXH_I_LITERAL(text, macro, otherwise)                                                    \
    NVTXH_I_ASSERT(__builtin_constant_p(text), macro " wants a string literal; " otherwise)
#define NVTXH_I_LITERAL_OR(text, macro, instead)                                                   \
    NVTXH_I_LITERAL(text, macro, "for one made at run time: " instead "(\"%s\", string)")

/*
 * One definition per linked object (executable or shared object), whichever files it comes from:
 * weak, so that any number of files may hold it; hidden, so that each object has its own, as it has
 * its own NVTX, and so that it is reached without the GOT.
 */
#define NVTXH_I_HIDDEN __attribute__((__visibility__("hidden")))
#define NVTXH_I_LINKONCE __attribute__((__weak__, __visibility__("hidden")))
/*
 * How much a function is optimized. In a file that is complete by itself, optimizing is most of what
 * the implementation costs to compile: there, what runs once is left as it is written, and on the way of
 * an event gcc's first level does, which comes to nearly the same instructions (bench/compile).
 */
#if defined(__CUDACC__) || defined(NVTXH_IMPLEMENTATION) || defined(NVTXH_NO_IMPL)
#define NVTXH_I_COMPLETE 0
#else
#define NVTXH_I_COMPLETE 1
#endif
#if !NVTXH_I_COMPLETE
#define NVTXH_I_AS_WRITTEN
#define NVTXH_I_LITTLE
#elif defined(__clang__)
#define NVTXH_I_AS_WRITTEN __attribute__((__optnone__, __noinline__))
#define NVTXH_I_LITTLE
#else
#define NVTXH_I_AS_WRITTEN __attribute__((__optimize__("O0")))
#define NVTXH_I_LITTLE __attribute__((__optimize__("O1", "optimize-sibling-calls")))
#endif
/*
 * A function of the implementation, where it is defined. LINKONCE: there in any case, as users or other files
 * call it by name. ONCE: in a file that is complete by itself, only if something there calls it. In C
 * it is the file's own, and C's inline functions may not call such: clang lets them call what is inline, gcc
 * what a system header names (symbols.h).
 */
#if !NVTXH_I_COMPLETE || /* or a header has come first that only declares them: */                 \
    !(defined(NVTXH_H) || defined(NVTXH_STATS_H) || defined(NVTXH_PAYLOAD_H) ||                    \
      defined(NVTXH_COUNTER_H) || defined(NVTXH_CAPTURE_H) || defined(NVTXH_DEVICE_H))
#define NVTXH_I_ONCE NVTXH_I_LINKONCE
#define NVTXH_I_WHERE_CALLED NVTXH_I_HIDDEN
#elif defined(__cplusplus) && !defined(__clang__) /* not both in one declaration, says g++ */
#define NVTXH_I_ONCE __attribute__((__noinline__))
#define NVTXH_I_WHERE_CALLED inline NVTXH_I_HIDDEN
#define NVTXH_I_NOINLINE
#elif defined(__cplusplus)
#define NVTXH_I_ONCE inline NVTXH_I_HIDDEN
#define NVTXH_I_WHERE_CALLED inline NVTXH_I_HIDDEN
#elif defined(__clang__)
#define NVTXH_I_ONCE static __inline__
#define NVTXH_I_WHERE_CALLED static __inline__
#else
#define NVTXH_I_ONCE static
#define NVTXH_I_WHERE_CALLED static __attribute__((__unused__))
#endif
#ifndef NVTXH_I_NOINLINE
#define NVTXH_I_NOINLINE __attribute__((__noinline__))
#endif
/*
 * A function that runs only while someone listens: out of line. It is as fast then as it can be;
 * `cold` would have it compiled for size.
 */
#define NVTXH_I_EVENT NVTXH_I_WHERE_CALLED NVTXH_I_RUNS_OFTEN
#define NVTXH_I_EVENT_ANYWHERE NVTXH_I_HIDDEN NVTXH_I_RUNS_OFTEN
#define NVTXH_I_RUNS_OFTEN                                                                         \
    NVTXH_I_LITTLE NVTXH_I_NOINLINE __attribute__((__no_instrument_function__))
/* A function that runs once, or never in a right program. */
#define NVTXH_I_COLD NVTXH_I_WHERE_CALLED NVTXH_I_RUNS_ONCE
#define NVTXH_I_COLD_ANYWHERE NVTXH_I_HIDDEN NVTXH_I_RUNS_ONCE
#define NVTXH_I_RUNS_ONCE                                                                          \
    NVTXH_I_AS_WRITTEN NVTXH_I_NOINLINE __attribute__((__cold__, __no_instrument_function__))
/*
 * Declare such a function and begin its definition, for those that no header above declares:
 * NVTXH_I_FN_EVENT(int nvtxh_i_f(int x)) { return x; }
 */
#define NVTXH_I_FN_EVENT(...)                                                                      \
    NVTXH_I_EVENT __VA_ARGS__;                                                                     \
    NVTXH_I_ONCE __VA_ARGS__
#define NVTXH_I_FN_COLD(...)                                                                       \
    NVTXH_I_COLD __VA_ARGS__;                                                                      \
    NVTXH_I_ONCE __VA_ARGS__
/* The same, in one file. */
#define NVTXH_I_COLD_HERE                                                                          \
    static NVTXH_I_AS_WRITTEN                                                                      \
        __attribute__((__cold__, __noinline__, __unused__, __no_instrument_function__))

#endif
