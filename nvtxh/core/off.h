/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CORE_OFF_H
#define NVTXH_CORE_OFF_H

/* What macros and functions become when annotations are off: their arguments are type-checked, and
 * not evaluated. Not API. */

#include "compiler.h"

/* NVTXH_I_TYPED type-checks an expression and does not evaluate it. clang warns of variables that
 * only a sizeof uses, and gcc 14 checks no formats in a sizeof. So NVTXH_I_USED puts the expression
 * in a __builtin_constant_p, and clang's NVTXH_I_TYPED contains NVTXH_I_USED. nvcc does not warn of
 * variables that only a statement expression in a sizeof uses, but fails if one stands outside of
 * functions. So NVTXH_I_TYPED has a 0 that only g++ knows to be constant, not nvcc's front end; g++
 * drops the expression even without optimization. In code for the device, a statement
 * expression cannot name the host's variables, but the size of an array can. */
#if defined(__CUDA_ARCH__)
#define NVTXH_I_UNEVALUATED(x) sizeof(char[__builtin_constant_p(x) ? 1 : 2])
#define NVTXH_I_TYPED(...) ((void)NVTXH_I_UNEVALUATED((__VA_ARGS__)))
#elif defined(__CUDACC__)
#define NVTXH_I_TYPED(...) ((void)(__builtin_strcspn("", "") && (__VA_ARGS__)))
#define NVTXH_I_USED(...) true
#elif defined(__clang__) /* in a __builtin_constant_p, clang warns even of literal formats */
#define NVTXH_I_TYPED(...) ((void)(sizeof(__VA_ARGS__) != 0 && NVTXH_I_USED(__VA_ARGS__)))
#define NVTXH_I_USED(...)                                                                          \
    (_Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wformat-security\"")    \
         _Pragma("clang diagnostic ignored \"-Wformat-nonliteral\"")                               \
             __builtin_constant_p((__VA_ARGS__)) < 2 _Pragma("clang diagnostic pop"))
#else /* g++ at -O0 emits code for a struct in a __builtin_constant_p, but not in a sizeof */
#define NVTXH_I_TYPED(...) ((void)sizeof(__VA_ARGS__))
#define NVTXH_I_USED(...) (__builtin_constant_p((__VA_ARGS__)) < 2)
#endif

/* In place of a result, for macros and functions that return nothing. */
#define NVTXH_I_NOTHING ((void)0)

/* NVTXH_I_CHECKED is a constant other than 0, which type-checks TYPED and what LITERAL asserts. */
#ifdef __CUDA_ARCH__ /* literals are checked when the file is compiled for the host */
#define NVTXH_I_CHECKED(literal, typed) NVTXH_I_UNEVALUATED(typed)
#else
/* clang-format off */
#define NVTXH_I_CHECKED(literal, typed)                                                            \
    (sizeof(__extension__({ literal; NVTXH_I_STRICT_BEGIN typed; NVTXH_I_STRICT_END })) != 0 &&    \
     NVTXH_I_USED(typed))
/* clang-format on */
#endif

/* NVTXH_I_OFF(name, value, typed): what a call of the public function NAME becomes. It is VALUE,
 * and type-checks TYPED. In C++ it may stand wherever a call may: at file scope, where a statement
 * expression is forbidden, and after `::`, so it begins with a name. It is a cast, which leaves no
 * instruction even without optimization. clang and nvcc would warn of `::` and a cast whose value
 * is not used. So for functions whose result is often ignored there is NVTXH_I_OFF_CALL.
 * NVTXH_I_OFF_FUNCTION defines the cast's type, and the function NAME, for its address; in C there
 * is no function. */
#ifndef __cplusplus
#define NVTXH_I_OFF(name, value, typed) __extension__((void)NVTXH_I_CHECKED(, typed), value)
#define NVTXH_I_OFF_TYPE(type, name)
#define NVTXH_I_OFF_FUNCTION(type, name, parameters, value)
#else
#define NVTXH_I_OFF(name, value, typed) nvtxh_i_off_##name((NVTXH_I_TYPED(typed), value))
#define NVTXH_I_OFF_TYPE(type, name) typedef type nvtxh_i_off_##name;
#define NVTXH_I_OFF_FUNCTION(type, name, parameters, value)                                        \
    NVTXH_I_OFF_TYPE(type, name)                                                                   \
    NVTXH_I_HIDDEN inline type name parameters noexcept {                                          \
        return value;                                                                              \
    }
#endif
#if defined(__cplusplus) && defined(__CUDACC__) && !defined(__CUDA_ARCH__)
__host__ __device__ NVTXH_I_INLINE_LOCAL bool nvtxh_i_off_call(int, bool value) noexcept {
    return value;
}
#define NVTXH_I_OFF_CALL(name, value, typed) nvtxh_i_off_call((NVTXH_I_TYPED(typed), 0), value)
#elif defined(__cplusplus) && defined(__clang__) && !defined(__CUDACC__)
extern "C++" {
template <bool Value>
NVTXH_I_INLINE_LOCAL bool nvtxh_i_off_call() noexcept {
    return Value;
}
}
#define NVTXH_I_OFF_CALL(name, value, typed) nvtxh_i_off_call<(NVTXH_I_TYPED(typed), value)>()
#else
#define NVTXH_I_OFF_CALL NVTXH_I_OFF
#endif

#endif
