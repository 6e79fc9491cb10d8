/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CORE_COMPILER_H
#define NVTXH_CORE_COMPILER_H

/* What compilers spell differently, or offer only as an extension. Not API. */

/* Each compiler defines __STDC_HOSTED__. Analysers that do not, such as cppcheck, get no error,
 * because they would not analyse the file that includes nvtxh.h. */
#if !defined(__GNUC__) && defined(__STDC_HOSTED__)
#error                                                                                             \
    "nvtxh needs a compiler with GNU extensions: gcc or clang (nvcc with either as host compiler)"
#endif

#if defined(__cplusplus) ? __cplusplus < 201103L                                                   \
                         : !defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L
/* An #include that fails ends the compilation. After an #error it would go on, and report hundreds
 * of errors. */
#include <nvtxh needs C11 or C++11: compile with -std=gnu11 or -std=gnu++11, or a later one>
#endif

/* nvcc's output for g++ does not mark system headers, so g++ would warn of the keyword attributes
 * that an annotation leaves out. */
#if defined(__CUDACC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#elif defined(__CUDACC__) /* and clang would warn of how nvcc writes what it has read */
#pragma GCC diagnostic ignored "-Wgnu-designator"
#pragma GCC diagnostic ignored "-Wconstant-logical-operand"
#endif

#include <stddef.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif

/* The same declarations as in <stdint.h>. That header includes fifteen others of the C library,
 * which would take a fifth of the compile time of nvtxh.h with NVTXH_NO_IMPL (bench/compile).
 * Declaring a type twice is no error, so a file may include <stdint.h>, too. */
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
typedef uint64_t nvtxh_i_uint128; /* for 32-bit targets, where annotations are off */
#endif

/* An identifier that is unique in a file. It is not made of __LINE__, because two scopes that one
 * macro opens are on the same line. */
#define NVTXH_I_PASTE_(a, b) a##b
#define NVTXH_I_PASTE(a, b) NVTXH_I_PASTE_(a, b)
#define NVTXH_I_UNIQUE(stem) NVTXH_I_PASTE(stem, __COUNTER__)

/* An annotation macro takes a message and, perhaps, attributes: `(msg, .color = c)`. In ISO C a
 * macro needs an argument for its `...`, so every annotation macro takes `...` alone, and
 * NVTXH_I_FIRST and NVTXH_I_REST split it. NVTXH_I_REST ends in a comma, which the braces of an
 * initializer allow. */
#define NVTXH_I_FIRST(...) NVTXH_I_FIRST_(__VA_ARGS__, )
#define NVTXH_I_FIRST_(first, ...) first
#define NVTXH_I_REST(...) NVTXH_I_REST_(__VA_ARGS__, )
#define NVTXH_I_REST_(first, ...) __VA_ARGS__
#define NVTXH_I_BARE(...) __VA_ARGS__ /* NVTXH_I_BARE (a, b) is a, b */
#define NVTXH_I_TEXT(...) NVTXH_I_TEXT_(__VA_ARGS__)
#define NVTXH_I_TEXT_(...) #__VA_ARGS__
/* clang-format off */
#define NVTXH_I_BRACES(...) {__VA_ARGS__}
/* clang-format on */

/* Is this compiled with ThreadSanitizer, which must see every access? */
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

/* For functions that instrument.c's hooks call, to which compilers must not add calls of hooks. */
#define NVTXH_I_UNHOOKED __attribute__((__no_instrument_function__, __unused__))
#define NVTXH_I_UNLIKELY(x) __builtin_expect(!!(x), 0)
/* For functions that are always inlined. Compilers warn if a user's C inline function calls a
 * static function. So functions that annotations call have NVTXH_I_INLINE, which in C is GNU's
 * `extern inline`: such a function is not static, and never emitted. */
#define NVTXH_I_INLINE_LOCAL                                                                       \
    static __inline__ __attribute__((__always_inline__, __unused__, __no_instrument_function__))
#ifdef __cplusplus
#define NVTXH_I_INLINE NVTXH_I_INLINE_LOCAL
#else
#define NVTXH_I_INLINE                                                                             \
    extern __inline__                                                                              \
        __attribute__((__gnu_inline__, __always_inline__, __unused__, __no_instrument_function__))
#endif
#define NVTXH_I_FORMAT(text, args) __attribute__((__format__(__printf__, text, args)))

/* NVTXH_I_STRUCT(name): a struct of these headers, where a macro names it outside of functions. In
 * a C++ module, clang takes `struct name` there for the declaration of another struct. */
#ifdef __cplusplus
#define NVTXH_I_STRUCT(name) name
#define NVTXH_I_ASSERT static_assert
#define NVTXH_I_C_BEGIN extern "C" {
#define NVTXH_I_C_END }
#else
#define NVTXH_I_STRUCT(name) struct name
#define NVTXH_I_ASSERT _Static_assert
#define NVTXH_I_C_BEGIN
#define NVTXH_I_C_END
#endif

/* Accepts only a string literal or NULL, which a static record can hold. `otherwise`: what to write
 * instead. */
#define NVTXH_I_LITERAL(text, macro, otherwise)                                                    \
    NVTXH_I_ASSERT(sizeof(NVTXH_I_TEXT(text)) != 1,                                                \
                   macro " wants a string literal, and has no argument");                          \
    NVTXH_I_ASSERT(__builtin_constant_p(text), macro " wants a string literal; " otherwise)
#define NVTXH_I_LITERAL_OR(text, macro, instead, ...)                                              \
    NVTXH_I_LITERAL(text, macro, "for one made at run time: " instead "(\"%s\", string)");         \
    NVTXH_I_KEYWORDS(__VA_ARGS__)
/* The argument `instead` for macros that also have a form for strings (named.h). */
#define NVTXH_I_STRING_OR_FORMAT(macro)                                                            \
    macro "_STRING(nvtxh_string_named(domain, string)), or " macro "F"

/* Refuses attributes whose first one has no name; the compiler refuses later ones by their types.
 * An assertion is also a declaration for macros without a message: another one follows it, and
 * -Wdeclaration-after-statement warns of a declaration after an empty statement. */
#define NVTXH_I_KEYWORDS(...)                                                                      \
    NVTXH_I_NAMED_OR(NVTXH_I_TEXT(__VA_ARGS__),                                                    \
                     "an attribute needs its name: .color = c, .payload = nvtxh_payload(n); "      \
                     "printf arguments need the form with F: NVTXH_SCOPEF(\"%d\", n)")
#define NVTXH_I_OPTIONS_NAMED(...)                                                                 \
    NVTXH_I_NAMED_OR(NVTXH_I_TEXT(__VA_ARGS__), "an option needs its name: .unit = \"ms\"")
#define NVTXH_I_NAMED_OR(text, say) NVTXH_I_ASSERT(!__builtin_strncmp(text ".", ".", 1), say)

/* Between these two, a member that is initialized with a value of another type is an error. C
 * compilers up to gcc 13 and clang 15 would only warn. */
#ifdef __cplusplus
#define NVTXH_I_STRICT_BEGIN
#define NVTXH_I_STRICT_END
#else
#define NVTXH_I_STRICT_BEGIN                                                                       \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic error \"-Wint-conversion\"")            \
        _Pragma("GCC diagnostic error \"-Wincompatible-pointer-types\"")
#define NVTXH_I_STRICT_END _Pragma("GCC diagnostic pop")
#endif

/* One definition per linked object (executable or shared object). Weak, so that several files may
 * contain the definition. Hidden, so that each object has its own definition, as it has its own
 * copy of NVTX, and accesses the definition without the GOT. */
#define NVTXH_I_HIDDEN __attribute__((__visibility__("hidden")))
#define NVTXH_I_LINKONCE __attribute__((__weak__, __visibility__("hidden")))
/* A function of the implementation that is not inlined. Each file that calls the function has a
 * copy, so a file without NVTXH_NO_IMPL is complete. With clang the function is inline and
 * noinline, because clang warns if a C inline function calls a static function that is not inline.
 * gcc warns of that pair. So with gcc the function is only noinline or, without optimization, only
 * inline: gcc then emits each function that is not inline, even if nothing calls it. */
#ifdef __clang__
#define NVTXH_I_LOCAL                                                                              \
    static __inline__ __attribute__((__noinline__, __unused__, __no_instrument_function__))
#elif defined(__OPTIMIZE__)
#define NVTXH_I_LOCAL static __attribute__((__noinline__, __unused__, __no_instrument_function__))
#else
#define NVTXH_I_LOCAL static __inline__ __attribute__((__unused__, __no_instrument_function__))
#endif
/* Optimizing the implementation is most of what a file without NVTXH_NO_IMPL costs in compile time.
 * So in such a file, functions that run once are not optimized (NVTXH_I_COLD), and with gcc,
 * functions that run for each event (NVTXH_I_EVENT) have -O1, which makes nearly the same
 * instructions as -O2. In a build without optimization gcc would obey that -O1, so both attributes
 * are left out. Functions for events are not `cold`: compilers optimize cold functions for size. */
#if defined(__CUDACC__) || defined(NVTXH_IMPLEMENTATION) || defined(NVTXH_NO_IMPL)
#define NVTXH_I_COMPLETE 0
#else
#define NVTXH_I_COMPLETE 1
#endif
#if !NVTXH_I_COMPLETE || !defined(__OPTIMIZE__)
#define NVTXH_I_NOOPT
#define NVTXH_I_O1
#elif defined(__clang__)
#define NVTXH_I_NOOPT __attribute__((__optnone__, __noinline__))
#define NVTXH_I_O1
#else
#define NVTXH_I_NOOPT __attribute__((__optimize__("O0")))
#define NVTXH_I_O1 __attribute__((__optimize__("O1", "optimize-sibling-calls")))
/* Inline: otherwise gcc emits the unoptimized function even if nothing calls it. */
#define NVTXH_I_COLD                                                                               \
    static __inline__ NVTXH_I_NOOPT                                                                \
        __attribute__((__cold__, __unused__, __no_instrument_function__))
#endif
#define NVTXH_I_EVENT NVTXH_I_LOCAL NVTXH_I_O1
#ifndef NVTXH_I_COLD
#define NVTXH_I_COLD NVTXH_I_LOCAL NVTXH_I_NOOPT __attribute__((__cold__))
#endif
/* Declares a public function that runs once or seldom. Its definition has NVTXH_I_LINKONCE. */
#define NVTXH_I_PUBLIC NVTXH_I_HIDDEN NVTXH_I_NOOPT __attribute__((__no_instrument_function__))
/* A function that annotations call: NVTXH_I_ENTRY_DECL declares it, NVTXH_I_ENTRY_DEF begins its
 * definition. In a file without NVTXH_NO_IMPL the function is local, like the functions that it
 * calls. (Compilers warn if a C inline function calls a local function, but not if the call is in a
 * system header.) In other files, or if a file first includes a header that only declares it
 * (state.h, say), it is the linked object's one definition, with the symbol that
 * NVTXH_I_ENTRY_SYMBOL sets. */
#if NVTXH_I_COMPLETE &&                                                                            \
    (defined(NVTXH_H) || defined(NVTXH_STATS_H) || defined(NVTXH_PAYLOAD_H) ||                     \
     defined(NVTXH_COUNTER_H) || defined(NVTXH_CAPTURE_H) || defined(NVTXH_DEVICE_H))
#define NVTXH_I_ENTRY_DECL NVTXH_I_EVENT
#define NVTXH_I_ENTRY_SYMBOL(name)
#define NVTXH_I_ENTRY_DEF NVTXH_I_EVENT
#else
#define NVTXH_I_ENTRY_DECL                                                                         \
    NVTXH_I_HIDDEN NVTXH_I_O1 __attribute__((__noinline__, __no_instrument_function__))
#define NVTXH_I_ENTRY_SYMBOL NVTXH_I_LINKED_MISSED
#define NVTXH_I_ENTRY_DEF NVTXH_I_LINKONCE
#endif

#endif
