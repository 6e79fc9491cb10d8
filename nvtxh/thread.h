/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_THREAD_H
#define NVTXH_THREAD_H

/* Names of threads.
 *
 *   nvtxh_thread_name("io")      names the calling OS thread in the timeline. Takes any string,
 *                                which the tool copies. Works after nvtxh_enable(false), too,
 *                                because a name is not an event.
 *   nvtxh_thread_name_os("io")   calls nvtxh_thread_name, and sets the system's name of the thread,
 *                                which ps, top and gdb show, with or without a tool. Linux keeps
 *                                the name's first 15 bytes.
 *
 * Evaluation: the argument once; not at all if annotations are off (see below).
 * Cost: a call of the tool, and for nvtxh_thread_name_os a system call.
 * Threads: any; a thread names itself.
 * Off: with NVTX_DISABLE or NVTXH_DISABLE, nothing is done.
 * Errors: none. */

#pragma GCC system_header

#include "state.h"

#if NVTXH_ENABLED

NVTXH_I_C_BEGIN
NVTXH_I_PUBLIC void nvtxh_thread_name(const char *name);
NVTXH_I_PUBLIC void nvtxh_thread_name_os(const char *name);
NVTXH_I_C_END

#else

char nvtxh_i_typed_name(const char *name); /* used in sizeof only */

NVTXH_I_OFF_FUNCTION(void, nvtxh_thread_name, (const char *), NVTXH_I_NOTHING)
NVTXH_I_OFF_FUNCTION(void, nvtxh_thread_name_os, (const char *), NVTXH_I_NOTHING)
#define nvtxh_thread_name(name)                                                                    \
    NVTXH_I_OFF(nvtxh_thread_name, NVTXH_I_NOTHING, nvtxh_i_typed_name(name))
#define nvtxh_thread_name_os(name) nvtxh_thread_name(name)

#endif
#endif
