/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SHORT_H
#define NVTXH_SHORT_H

/* The short names, each an alias. NVTXH_NO_SHORT_NAMES leaves them out. If another header has
 * defined one of them, the compile stops, because the name would be ambiguous. The plain and the
 * printf form of a macro have short names; forms with a further word (_WITH, _IF, _STRING, ...)
 * have none. */

#ifndef NVTXH_NO_SHORT_NAMES

#if defined(NVTX_SCOPE) || defined(NVTX_FUNC) || defined(NVTX_SCOPEF) || defined(NVTX_MARK) ||     \
    defined(NVTX_MARKF) || defined(NVTX_PUSH) || defined(NVTX_PUSHF) || defined(NVTX_POP) ||       \
    defined(NVTX_START) || defined(NVTX_STARTF) || defined(NVTX_END) || defined(NVTX_DOMAIN) ||    \
    defined(NVTX_CATEGORY)
#error                                                                                             \
    "nvtxh: one of NVTX_SCOPE, _FUNC, _SCOPEF, _MARK, _MARKF, _PUSH, _PUSHF, _POP, _START, _STARTF, _END, _DOMAIN, _CATEGORY is already defined by someone else. Define NVTXH_NO_SHORT_NAMES before including nvtxh.h and use the NVTXH_ names."
#endif

#define NVTX_SCOPE NVTXH_SCOPE
#define NVTX_SCOPEF NVTXH_SCOPEF
#define NVTX_FUNC NVTXH_FUNC
#define NVTX_MARK NVTXH_MARK
#define NVTX_MARKF NVTXH_MARKF
#define NVTX_PUSH NVTXH_PUSH
#define NVTX_PUSHF NVTXH_PUSHF
#define NVTX_POP NVTXH_POP
#define NVTX_START NVTXH_START
#define NVTX_STARTF NVTXH_STARTF
#define NVTX_END nvtxh_end
#define NVTX_DOMAIN NVTXH_DOMAIN
#define NVTX_CATEGORY NVTXH_CATEGORY

#endif
#endif
