/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CORE_BLOCK_H
#define NVTXH_CORE_BLOCK_H

/* NVTXH_BLOCK, a loop that runs once, with the guard of scope.h. Not API. */

#include "funnel.h"

#if NVTXH_ENABLED

#define NVTXH_I_BLOCK(id, msg, ...)                                                                                    \
    for (struct nvtxh_scope NVTXH_I_PASTE(id, _guard) __attribute__((__cleanup__(nvtxh_i_scope_out))) =                \
             NVTXH_I_DO(NVTXH_I_WHO_IF(id, true), nvtxh_i_scope_none(),                                                \
                        NVTXH_I_LITERAL_OR(msg, "NVTXH_BLOCK", NVTXH_I_STRING_OR_FORMAT("NVTXH_SCOPE")),               \
                        NVTXH_I_SITE(id, NVTXH_I_KIND_SCOPE, msg, NVTXH_I_TEXT(__VA_ARGS__)), 0,                       \
                        NVTXH_I_SCOPE_IN(id, __VA_ARGS__)),                                                            \
                                                      NVTXH_I_NO_JUMP(id) * NVTXH_I_PASTE(id, _once) = __extension__(  \
                                                          { NVTXH_I_WARN_AGAIN &NVTXH_I_PASTE(id, _guard); });         \
         NVTXH_I_PASTE(id, _once); NVTXH_I_PASTE(id, _once) = NVTXH_I_NULL)

#else

/* Also a loop when off, so that `break` and `continue` do the same as when annotations are on. */
#ifdef __CUDACC__ /* nvcc warns of the loop below */
#define NVTXH_I_BLOCK(id, msg, ...)                                                                                    \
    for (bool NVTXH_I_PASTE(id, _once) =                                                                               \
             NVTXH_I_DO(, true, NVTXH_I_LITERAL_OR(msg, "NVTXH_BLOCK", NVTXH_I_STRING_OR_FORMAT("NVTXH_SCOPE")), ,     \
                        nvtxh_i_typed(msg, true, NVTXH_I_ATTR_TYPED(__VA_ARGS__)), );                                  \
         NVTXH_I_PASTE(id, _once); NVTXH_I_PASTE(id, _once) = false)
#else
#define NVTXH_I_BLOCK(id, msg, ...)                                                                                    \
    switch (NVTXH_I_DO(, 0, NVTXH_I_LITERAL_OR(msg, "NVTXH_BLOCK", NVTXH_I_STRING_OR_FORMAT("NVTXH_SCOPE")), ,         \
                       nvtxh_i_typed(msg, true, NVTXH_I_ATTR_TYPED(__VA_ARGS__)), ))                                   \
        while (0)                                                                                                      \
        default:
#endif

#endif

#endif
