/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CORE_SYMBOLS_H
#define NVTXH_CORE_SYMBOLS_H

/* The names that the linker sees. Each contains the version of nvtxh's data layout, so that
 * libraries built with different versions of these headers can be linked into one program. Not API.
 *
 * An asm label after the declarator gives a function or a variable its symbol. In a file that does
 * not define this symbol, gcc forgets that it is hidden. So names whose symbols must stay hidden
 * are macros instead: the functions that users call, the state, and the hooks (impl/hooks.h). Hooks
 * are written NVTXH_I_SYMBOL(name) everywhere. Thus a shared object without an implementation does
 * not link, and a hook that an object lacks is not among the object's dynamic symbols. */

#include "../config.h"

#define NVTXH_I_LINKED(name) __asm__("nvtxh_i_v0_1_" name)
#define NVTXH_I_SYMBOL(name) nvtxh_i_v0_1_##name
/* If no file defines NVTXH_IMPLEMENTATION, the linker reports these names as undefined, the state
 * first. The names say what to do. */
#define nvtxh_i_state nvtxh_i_define_NVTXH_IMPLEMENTATION_in_one_file_v0_1
#define NVTXH_I_MISSED(name) nvtxh_i_define_NVTXH_IMPLEMENTATION_in_one_file_v0_1_##name
/* An asm label with such a name. It is for the functions that annotations call, in files in which
 * NVTXH_I_ENTRY_DECL does not make these functions local. */
#define NVTXH_I_LINKED_MISSED(name)                                                                \
    __asm__("nvtxh_i_define_NVTXH_IMPLEMENTATION_in_one_file_v0_1_" name)

/* The public functions. When annotations are off, the functions are macros with arguments, and not
 * renamed: see their headers. */
#if NVTXH_ENABLED
#define nvtxh_capture_start NVTXH_I_SYMBOL(capture_start)
#define nvtxh_capture_stop NVTXH_I_SYMBOL(capture_stop)
#define nvtxh_capture_active NVTXH_I_SYMBOL(capture_active)
#define nvtxh_capture_enabled NVTXH_I_SYMBOL(capture_enabled)
#define nvtxh_device_drain NVTXH_I_SYMBOL(device_drain)
#define nvtxh_device_abandon NVTXH_I_SYMBOL(device_abandon)
#define nvtxh_device_set_mode NVTXH_I_SYMBOL(device_set_mode)
#define nvtxh_device_mode NVTXH_I_SYMBOL(device_mode)
#define nvtxh_stream_name NVTXH_I_SYMBOL(stream_name)
#define nvtxh_device_name NVTXH_I_SYMBOL(device_name)
#define nvtxh_event_name NVTXH_I_SYMBOL(event_name)
#define nvtxh_context_name NVTXH_I_SYMBOL(context_name)
#define nvtxh_enable NVTXH_I_MISSED(enable)
#define nvtxh_enabled NVTXH_I_MISSED(enabled)
#define nvtxh_listening NVTXH_I_MISSED(listening)
#define nvtxh_stats_enable NVTXH_I_SYMBOL(stats_enable)
#define nvtxh_stats_enabled NVTXH_I_SYMBOL(stats_enabled)
#define nvtxh_stats_read NVTXH_I_SYMBOL(stats_read)
#define nvtxh_stats_find NVTXH_I_SYMBOL(stats_find)
#define nvtxh_stats_print NVTXH_I_SYMBOL(stats_print)
#define nvtxh_stats_reset NVTXH_I_SYMBOL(stats_reset)
#define nvtxh_thread_name NVTXH_I_MISSED(thread_name)
#define nvtxh_thread_name_os NVTXH_I_MISSED(thread_name_os)
#endif

/* the assembly in stats/registry.h uses this name */
#define nvtxh_i_stats_object NVTXH_I_SYMBOL(stats_object)

#endif
