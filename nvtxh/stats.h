/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATS_H
#define NVTXH_STATS_H

/* Statistics in the process, without a tool: how often each annotation ran, and how long it took.
 *
 *     #include "nvtxh/stats.h"
 *
 *     nvtxh_stats_enable(true);
 *     train();
 *     nvtxh_stats_print(stderr, NVTXH_STATS_TABLE);
 *     if (nvtxh_stats_find("step").p99_ns > 1000000)
 *         ...
 *
 *   nvtxh_stats_enable(on)              `true`: counts annotations that begin from now on; `false`:
 *                                       stops. Off at first, unless NVTXH_STATS (below) is set.
 *   nvtxh_stats_enabled()               whether statistics are on
 *   nvtxh_stats_read(rows, n, &found)   reads at most n rows (a row is one annotation, see below),
 *                                       in the order of their first event; sets `found` to the
 *                                       number of rows that exist. False if `found` exceeds n, or
 *                                       if there is no memory.
 *   nvtxh_stats_find("message")         the sum of all rows with this message. "domain:message"
 *                                       limits it to a domain, ":message" to NVTX's default domain.
 *                                       The count is 0 if there are no such rows
 *   nvtxh_stats_print(file, format)     prints all rows, the longest total time first; format:
 *                                       NVTXH_STATS_TABLE, _CSV or _JSON. False if writing failed
 *                                       or there is no memory. For any other format: false, and
 *                                       nothing is written.
 *   nvtxh_stats_reset()                 starts again from zero. Annotations that are open at the
 *                                       call are not counted
 *
 * Include this header yourself, in at least one file of each executable or shared object that is to
 * be counted. With NVTXH_NO_IMPL, the file that defines NVTXH_IMPLEMENTATION must include it.
 *
 *   NVTXH_STATS=1 in the environment: statistics are on from the start, and the table is written to
 *   stderr when the process exits. NVTXH_STATS=FILE: the output goes to FILE, in the format of its
 *   extension (.csv, .json, else the table); %p in the name is the process id. Without %p, a dot
 *   and the process id are appended by a forked child, and by a process whose file another one has
 *   written meanwhile, such as a program that it started. A relative FILE is in the directory that
 *   is the working directory when the first annotation runs. NVTXH_STATS is ignored if it is 0 or
 *   empty, or if the program has raised privileges (setuid). If it is set, an executable or shared
 *   object that does not include this header says so on stderr once.
 *
 * A row counts the scopes, functions, pushes, process ranges or marks that begin at one place in
 * the source, in one domain. A printf-style message is counted under its format. A process has one
 * table for its executable and all its shared objects; rows of an unloaded object stay in the
 * table. A forked child begins with an empty table. NVTXH_SCOPE_NVTX_ONLY (scope.h) is not counted,
 * nor is any annotation that begins while nvtxh_enable(false) holds.
 *
 * Total Time (total_ns) is the time between beginning and end, of all calls. If an annotation
 * recurses on its thread, Inclusive (inclusive_ns; in the table Total) has only the outermost call;
 * minimum, maximum and percentiles are of every call. Self excludes scopes, functions and pushes
 * nested on the same thread; process ranges are not subtracted. Share is Inclusive divided by the
 * sum of all Selfs, as in `nvtxh stats`. Printed rows of process ranges have no Share, Self or
 * Inclusive; their Total in the table is the Total Time.
 * Percentiles are right within 5 %, all else is exact. A push counts when it is popped;
 * a process range counts when it ends, whichever thread ends it. Open annotations are not in the
 * table. A scope whose end longjmp has skipped is not counted.
 *
 * Evaluation: arguments are evaluated once. If annotations are off (see below), only
 *   nvtxh_stats_read evaluates its arguments.
 * Cost while on: a scope reads the clock twice and takes some 100 instructions; a push and its pop
 *   take 50 more, a printf form (its text is not made) 20. Each of the three takes 1.5 to 1.9 times
 *   as long as two reads of the clock (x86-64, -O2; bench/ladder). In a shared object, each
 *   beginning and each end also calls the C library for thread-local storage. Statistics that are
 *   off cost nothing beyond what annotations cost anyway. Memory: about 2 KB for each annotation
 *   and thread. Reading, finding and printing take a microsecond or two for each annotation and
 *   thread, and block no other thread.
 * Threads: any, at any time. Each thread has its own counts and waits for no other; a row that is
 *   read while other threads count is consistent. A signal handler may run annotations that its
 *   thread has counted before, but must not read rows. Counts and total times stay exact; but if
 *   the handler counts a row that its thread is just counting, that row's minimum, maximum,
 *   standard deviation and percentiles may miss one sample.
 * Clock: the processor's own counter where its rate is constant, else CLOCK_MONOTONIC.
 * Off: with NVTX_DISABLE or NVTXH_DISABLE, nothing is counted, and there are no rows.
 * Errors: nvtxh_stats_read and nvtxh_stats_print return false, as above; the other functions have
 *   none. An annotation for which there is no memory is not counted. */

#pragma GCC system_header

#include "config.h"
#include "core/compiler.h"
#include "core/dispatch.h"
#include "core/symbols.h"
#include "stats/types.h"

/* The struct that the C library calls FILE. Including <stdio.h> would cost more compile time than
 * all of nvtxh's headers. */
#ifdef __BIONIC__
#define NVTXH_I_FILE struct __sFILE
#else
#define NVTXH_I_FILE struct _IO_FILE
#endif
NVTXH_I_FILE;

#if NVTXH_ENABLED

NVTXH_I_C_BEGIN
NVTXH_I_PUBLIC void nvtxh_stats_enable(bool on);
NVTXH_I_PUBLIC bool nvtxh_stats_enabled(void);
NVTXH_I_PUBLIC bool nvtxh_stats_read(struct nvtxh_stats *rows, size_t n, size_t *ret_n);
NVTXH_I_PUBLIC struct nvtxh_stats nvtxh_stats_find(const char *message);
NVTXH_I_PUBLIC bool nvtxh_stats_print(NVTXH_I_FILE *file, enum nvtxh_stats_format format);
NVTXH_I_PUBLIC void nvtxh_stats_reset(void);
NVTXH_I_C_END

#else

/* Not API from here on. */

/* Used in sizeof only, and defined nowhere. */
char nvtxh_i_typed_find(const char *message);
char nvtxh_i_typed_print(NVTXH_I_FILE *file, enum nvtxh_stats_format format);

NVTXH_I_INLINE bool nvtxh_i_stats_read_none(struct nvtxh_stats *rows, size_t n, size_t *ret_n) {
    (void)rows;
    (void)n;
    *ret_n = 0;
    return true;
}

NVTXH_I_INLINE struct nvtxh_stats nvtxh_i_stats_none(void) {
    struct nvtxh_stats stats;

    __builtin_memset(&stats, 0, sizeof(stats));
    return stats;
}

NVTXH_I_OFF_FUNCTION(void, nvtxh_stats_enable, (bool), NVTXH_I_NOTHING)
NVTXH_I_OFF_FUNCTION(bool, nvtxh_stats_enabled, (), false)
NVTXH_I_OFF_FUNCTION(bool, nvtxh_stats_read, (struct nvtxh_stats * rows, size_t n, size_t *ret_n),
                     nvtxh_i_stats_read_none(rows, n, ret_n))
NVTXH_I_OFF_FUNCTION(struct nvtxh_stats, nvtxh_stats_find, (const char *), nvtxh_i_stats_none())
NVTXH_I_OFF_FUNCTION(bool, nvtxh_stats_print, (NVTXH_I_FILE *, enum nvtxh_stats_format), true)
NVTXH_I_OFF_FUNCTION(void, nvtxh_stats_reset, (), NVTXH_I_NOTHING)
#define nvtxh_stats_enable(on) NVTXH_I_OFF(nvtxh_stats_enable, NVTXH_I_NOTHING, !(on))
#define nvtxh_stats_enabled() NVTXH_I_OFF(nvtxh_stats_enabled, false, 0)
#define nvtxh_stats_read(rows, n, ret_n) nvtxh_i_stats_read_none(rows, n, ret_n)
#define nvtxh_stats_find(message)                                                                  \
    NVTXH_I_OFF(nvtxh_stats_find, nvtxh_i_stats_none(), nvtxh_i_typed_find(message))
#define nvtxh_stats_print(file, format)                                                            \
    NVTXH_I_OFF_CALL(nvtxh_stats_print, true, nvtxh_i_typed_print(file, format))
#define nvtxh_stats_reset() NVTXH_I_OFF(nvtxh_stats_reset, NVTXH_I_NOTHING, 0)

#endif

#if NVTXH_I_IMPL
#include "stats/event.h"
#include "stats/exit.h"
#endif

#endif
