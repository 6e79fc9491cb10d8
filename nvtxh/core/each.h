/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CORE_EACH_H
#define NVTXH_CORE_EACH_H

/* NVTXH_I_EACH(f, with, a, b, c) is f(with, a) f(with, b) f(with, c): up to 32 of them. For the
 * macros that take a list of fields or names. Not API. */

#include "compiler.h"

/* An element may itself be a list: NVTXH_I_CALL(f, NVTXH_I_BARE (a, b)) is f(a, b). */
#define NVTXH_I_CALL(macro, ...) macro(__VA_ARGS__)

/* clang-format off */
#define NVTXH_I_EACH(f, with, ...) \
    NVTXH_I_PASTE(NVTXH_I_EACH_, NVTXH_I_COUNT(__VA_ARGS__))(f, with, __VA_ARGS__, )

/* The number of arguments: 1 to 32; too_many for 33 to 48. */
#define NVTXH_I_COUNT(...) NVTXH_I_COUNT_(__VA_ARGS__, too_many, too_many, too_many, too_many, \
    too_many, too_many, too_many, too_many, too_many, too_many, too_many, too_many, too_many, \
    too_many, too_many, too_many, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, \
    17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, )
#define NVTXH_I_COUNT_(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, \
    _17, _18, _19, _20, _21, _22, _23, _24, _25, _26, _27, _28, _29, _30, _31, _32, _33, _34, \
    _35, _36, _37, _38, _39, _40, _41, _42, _43, _44, _45, _46, _47, _48, n, ...) n

#define NVTXH_I_EACH_too_many(...) NVTXH_I_ASSERT(0, "nvtxh: 32 fields or values at most");
#define NVTXH_I_EACH_1(f, with, a, ...) f(with, a)
#define NVTXH_I_EACH_2(f, with, a, ...) f(with, a) NVTXH_I_EACH_1(f, with, __VA_ARGS__)
#define NVTXH_I_EACH_3(f, with, a, ...) f(with, a) NVTXH_I_EACH_2(f, with, __VA_ARGS__)
#define NVTXH_I_EACH_4(f, with, a, ...) f(with, a) NVTXH_I_EACH_3(f, with, __VA_ARGS__)
#define NVTXH_I_EACH_5(f, with, a, ...) f(with, a) NVTXH_I_EACH_4(f, with, __VA_ARGS__)
#define NVTXH_I_EACH_6(f, with, a, ...) f(with, a) NVTXH_I_EACH_5(f, with, __VA_ARGS__)
#define NVTXH_I_EACH_7(f, with, a, ...) f(with, a) NVTXH_I_EACH_6(f, with, __VA_ARGS__)
#define NVTXH_I_EACH_8(f, with, a, ...) f(with, a) NVTXH_I_EACH_7(f, with, __VA_ARGS__)
#define NVTXH_I_EACH_9(f, with, a, ...) f(with, a) NVTXH_I_EACH_8(f, with, __VA_ARGS__)
#define NVTXH_I_EACH_10(f, with, a, ...) f(with, a) NVTXH_I_EACH_9(f, with, __VA_ARGS__)
#define NVTXH_I_EACH_11(f, with, a, ...) f(with, a) NVTXH_I_EACH_10(f, with, __VA_ARGS__)
#define NVTXH_I_EACH_12(f, with, a, ...) f(with, a) NVTXH_I_EACH_11(f, with, __VA_ARGS__)
#define NVTXH_I_EACH_13(f, with, a, ...) f(with, a) NVTXH_I_EACH_12(f, with, __VA_ARGS__)
#define NVTXH_I_EACH_14(f, with, a, ...) f(with, a) NVTXH_I_EACH_13(f, with, __VA_ARGS__)
#define NVTXH_I_EACH_15(f, with, a, ...) f(with, a) NVTXH_I_EACH_14(f, with, __VA_ARGS__)
#define NVTXH_I_EACH_16(f, with, a, ...) f(with, a) NVTXH_I_EACH_15(f, with, __VA_ARGS__)
#define NVTXH_I_EACH_17(f, with, a, ...) f(with, a) NVTXH_I_EACH_16(f, with, __VA_ARGS__)
#define NVTXH_I_EACH_18(f, with, a, ...) f(with, a) NVTXH_I_EACH_17(f, with, __VA_ARGS__)
#define NVTXH_I_EACH_19(f, with, a, ...) f(with, a) NVTXH_I_EACH_18(f, with, __VA_ARGS__)
#define NVTXH_I_EACH_20(f, with, a, ...) f(with, a) NVTXH_I_EACH_19(f, with, __VA_ARGS__)
#define NVTXH_I_EACH_21(f, with, a, ...) f(with, a) NVTXH_I_EACH_20(f, with, __VA_ARGS__)
#define NVTXH_I_EACH_22(f, with, a, ...) f(with, a) NVTXH_I_EACH_21(f, with, __VA_ARGS__)
#define NVTXH_I_EACH_23(f, with, a, ...) f(with, a) NVTXH_I_EACH_22(f, with, __VA_ARGS__)
#define NVTXH_I_EACH_24(f, with, a, ...) f(with, a) NVTXH_I_EACH_23(f, with, __VA_ARGS__)
#define NVTXH_I_EACH_25(f, with, a, ...) f(with, a) NVTXH_I_EACH_24(f, with, __VA_ARGS__)
#define NVTXH_I_EACH_26(f, with, a, ...) f(with, a) NVTXH_I_EACH_25(f, with, __VA_ARGS__)
#define NVTXH_I_EACH_27(f, with, a, ...) f(with, a) NVTXH_I_EACH_26(f, with, __VA_ARGS__)
#define NVTXH_I_EACH_28(f, with, a, ...) f(with, a) NVTXH_I_EACH_27(f, with, __VA_ARGS__)
#define NVTXH_I_EACH_29(f, with, a, ...) f(with, a) NVTXH_I_EACH_28(f, with, __VA_ARGS__)
#define NVTXH_I_EACH_30(f, with, a, ...) f(with, a) NVTXH_I_EACH_29(f, with, __VA_ARGS__)
#define NVTXH_I_EACH_31(f, with, a, ...) f(with, a) NVTXH_I_EACH_30(f, with, __VA_ARGS__)
#define NVTXH_I_EACH_32(f, with, a, ...) f(with, a) NVTXH_I_EACH_31(f, with, __VA_ARGS__)
/* clang-format on */

#endif
