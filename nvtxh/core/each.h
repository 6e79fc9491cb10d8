/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CORE_EACH_H
#define NVTXH_CORE_EACH_H

/* NVTXH_I_EACH(f, with, (a, b), (c)) is f(with, a, b, ) f(with, c, ), for up to 32 lists. Used by
 * the macros that take a list of fields or of values of an enum. Not API. */

#include "compiler.h"

#define NVTXH_I_CALL(macro, ...) macro(__VA_ARGS__)
#define NVTXH_I_THIRD(...) NVTXH_I_CALL_THIRD(__VA_ARGS__)
#define NVTXH_I_CALL_THIRD(first, second, third, ...) third

/* clang-format off */
/* NVTXH_I_EACH puts NVTXH_I_EACH_END behind the lists. NVTXH_I_THIRD tells an end from a list:
 * `NVTXH_I_EACH_END ()` is a comma, so that the third argument is NVTXH_I_EACH_NONE. `list ()`
 * adds no argument, so that the third argument is f, or the macro for the next 8 lists. */
#define NVTXH_I_EACH(f, with, ...) \
    NVTXH_I_EACH_1(f, with, __VA_ARGS__, NVTXH_I_EACH_END, NVTXH_I_EACH_END, NVTXH_I_EACH_END, \
        NVTXH_I_EACH_END, NVTXH_I_EACH_END, NVTXH_I_EACH_END, NVTXH_I_EACH_END, NVTXH_I_EACH_END, )
#define NVTXH_I_EACH_1(f, with, _1, _2, _3, _4, _5, _6, _7, _8, next, ...) \
    NVTXH_I_EACH_OF_8(f, with, _1, _2, _3, _4, _5, _6, _7, _8) \
    NVTXH_I_THIRD(next (), NVTXH_I_EACH_NONE, NVTXH_I_EACH_9, )(f, with, next, __VA_ARGS__)
#define NVTXH_I_EACH_9(f, with, _1, _2, _3, _4, _5, _6, _7, _8, next, ...) \
    NVTXH_I_EACH_OF_8(f, with, _1, _2, _3, _4, _5, _6, _7, _8) \
    NVTXH_I_THIRD(next (), NVTXH_I_EACH_NONE, NVTXH_I_EACH_17, )(f, with, next, __VA_ARGS__)
#define NVTXH_I_EACH_17(f, with, _1, _2, _3, _4, _5, _6, _7, _8, next, ...) \
    NVTXH_I_EACH_OF_8(f, with, _1, _2, _3, _4, _5, _6, _7, _8) \
    NVTXH_I_THIRD(next (), NVTXH_I_EACH_NONE, NVTXH_I_EACH_25, )(f, with, next, __VA_ARGS__)
#define NVTXH_I_EACH_25(f, with, _1, _2, _3, _4, _5, _6, _7, _8, next, ...) \
    NVTXH_I_EACH_OF_8(f, with, _1, _2, _3, _4, _5, _6, _7, _8) \
    NVTXH_I_THIRD(next (), NVTXH_I_EACH_NONE, NVTXH_I_EACH_MORE, )(f, with, next, __VA_ARGS__)
#define NVTXH_I_EACH_OF_8(f, with, _1, _2, _3, _4, _5, _6, _7, _8) \
    NVTXH_I_EACH_ONE(f, with, _1) NVTXH_I_EACH_ONE(f, with, _2) NVTXH_I_EACH_ONE(f, with, _3) \
    NVTXH_I_EACH_ONE(f, with, _4) NVTXH_I_EACH_ONE(f, with, _5) NVTXH_I_EACH_ONE(f, with, _6) \
    NVTXH_I_EACH_ONE(f, with, _7) NVTXH_I_EACH_ONE(f, with, _8)
/* An argument that is not a list leaves NVTXH_I_EACH_NONE and other names side by side, which is a
 * syntax error. If only one name were left, it would be accepted as another value of an enum. */
#define NVTXH_I_EACH_ONE(f, with, list) \
    NVTXH_I_CALL(NVTXH_I_THIRD(list (), NVTXH_I_EACH_NONE, f, ), with, \
        NVTXH_I_EACH_NONE list NVTXH_I_BARE list, )
#define NVTXH_I_EACH_END() ,
#define NVTXH_I_EACH_NONE(...)
#define NVTXH_I_EACH_MORE(...) NVTXH_I_ASSERT(0, "nvtxh: 32 fields or values at most");
/* clang-format on */

#endif
