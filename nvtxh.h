/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* nvtxh: name the parts of your C or C++ program, and see where its time goes. The annotations are
 * NVTX, NVIDIA's interface for profilers; the command `nvtxh` shows them without a profiler.
 *
 *     #include "nvtxh.h"
 *
 *     int step(struct model *m) {
 *         NVTX_SCOPE("step");
 *         if (!load(m))
 *             return -1;                                          <-- "step" ends here
 *         NVTX_SCOPE("forward", .color = NVTXH_GREEN, .payload = nvtxh_payload(m->batch));
 *         return forward(m);
 *     }                                                           <-- otherwise both end here
 *
 * Contents. The header that documents a line stands at its end, or at the end of a line above.
 *
 *   NVTX_SCOPE("msg"), NVTX_SCOPEF("fmt %d", i), NVTX_FUNC()      to the end of the block  scope.h
 *   NVTXH_METHOD()                                                ... named A<int>::run in C++
 *   NVTXH_SCOPE_IF, NVTXH_FUNC_IF, NVTXH_BLOCK, NVTXH_SCOPE_AS    conditional, block, early end
 *   NVTX_MARK("msg"), NVTX_MARKF                                  an instant              mark.h
 *   NVTX_PUSH("msg"), NVTX_PUSHF("fmt %d", i), NVTX_POP()         explicit begin and end  push.h
 *   r = NVTX_START("msg"); NVTX_END(r); NVTXH_RANGE_SCOPE("msg")  across threads          range.h
 *   .domain  .category  .color  .payload                          after any message       attr.h
 *   NVTXH_SCOPEF_WITH(("fmt %d", i), .color = c)                  with a format           scope.h
 *                                                                 (MARKF_, PUSHF_, STARTF_WITH)
 *   NVTX_DOMAIN(id, "name"), NVTX_CATEGORY(id, &domain, "name")   domain.h, category.h
 *   nvtxh_string_named(&domain, text), NVTXH_SCOPE_STRING(...)    names made at run time  named.h
 *   NVTXH_RED ..., nvtxh_color_of("name"), NVTXH_COLOR_AUTO       color.h
 *   nvtxh_thread_name("io"), nvtxh_enable(false)                  thread.h, state.h
 *   NVTX_DISABLE, NVTXH_NO_IMPL, NVTXH_CHECK, ...                 the switches            config.h
 *
 * Headers that you include yourself, where you need them:
 *
 *   nvtxh_stats_enable(true), nvtxh_stats_print(...)              counts and times        stats.h
 *   nvtxh_capture_start("steady", 0), NVTXH_CAPTURE_SCOPE         record part of the run  capture.h
 *   NVTXH_PAYLOAD_STRUCT(...)                                     structs as payloads     payload.h
 *   NVTXH_COUNTER(...), nvtxh_counter_set(...)                    values over time        counter.h
 *   NVTXH_DEVICE_SCOPE(stream, "msg")     in a CUDA stream; not yet run on a GPU          device.h
 *
 * NVTX_SCOPE and similar names are aliases (short.h); NVTXH_NO_SHORT_NAMES leaves them out.
 *
 * Cost      Compiled out: not a byte of code. While nobody listens (no tool, no statistics):
 *           at most 7 instructions for a scope around a call, whatever its attributes (x86-64,
 *           -O2; tests/cost). Two of the 7 test whether someone listens.
 * Threads   Everything may be called from any thread at any time.
 * Off       -DNVTX_DISABLE turns off NVTX and these annotations, -DNVTXH_DISABLE only the latter.
 * Needs     NVTX 3.0 or newer, gcc or clang, Linux. */
#ifndef NVTXH_H
#define NVTXH_H

#pragma GCC system_header

#include "nvtxh/version.h"
#include "nvtxh/config.h"
#include "nvtxh/color.h"
#include "nvtxh/state.h"
#include "nvtxh/domain.h"
#include "nvtxh/category.h"
#include "nvtxh/attr.h"
#include "nvtxh/scope.h"
#include "nvtxh/mark.h"
#include "nvtxh/push.h"
#include "nvtxh/range.h"
#include "nvtxh/named.h"
#include "nvtxh/thread.h"
#if NVTXH_I_IMPL
#include "nvtxh/impl/all.h"
#endif
#ifdef NVTXH_IMPLEMENTATION /* this file implements nvtxh for its executable or shared object */
#include "nvtxh/stats.h"
#include "nvtxh/capture.h"
#endif
#include "nvtxh/short.h"

#endif

#if defined(NVTXH_DEFAULT_DOMAIN) && !NVTXH_I_HAS_FILE_DOMAIN
#error                                                                                             \
    "nvtxh: NVTXH_DEFAULT_DOMAIN comes too late: nvtxh.h has been included in this file before, perhaps by another header. Define it before the first include, or write .domain = &id with each annotation."
#elif defined(NVTXH_DEFAULT_DOMAIN)
/* In a unity build: if a source sets another default domain than the first one did, the error names
 * it. Inline functions of this header have the first one. */
NVTXH_I_ASSERT(sizeof(NVTXH_I_IS_FILE_DOMAIN(NVTXH_DEFAULT_DOMAIN)) == 1, "");
#endif
