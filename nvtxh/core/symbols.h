/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CORE_SYMBOLS_H
#define NVTXH_CORE_SYMBOLS_H

/* The names that the linker sees. Each contains the version of its layout, so that libraries built
 * with different versions of these headers can be linked into one program. Not API.
 *
 * A label gives a function or a variable its name; the label stands after the declarator. gcc
 * forgets that a name with a label is hidden where it is undefined. So the names that must be
 * hidden there are macros: those that users call, the state, and the hooks. A shared object without
 * an implementation then does not link, and does not show the hooks. */

#include "../config.h"

#define NVTXH_I_LINKED(name) __asm__("nvtxh_i_v0_1_" name)
#define NVTXH_I_SYMBOL(name) nvtxh_i_v0_1_##name
/* What the linker reports as undefined, the state first, if no file defines NVTXH_IMPLEMENTATION:
 * the name says what to do. */
#define nvtxh_i_state nvtxh_i_define_NVTXH_IMPLEMENTATION_in_one_file_v0_1
#define NVTXH_I_MISSED(name) nvtxh_i_define_NVTXH_IMPLEMENTATION_in_one_file_v0_1_##name
/* The same for the functions that annotations call, if they are not local (NVTXH_I_CALLED). */
#define NVTXH_I_LINKED_MISSED(name)                                                                \
    __asm__("nvtxh_i_define_NVTXH_IMPLEMENTATION_in_one_file_v0_1_" name)

/* The public functions. When annotations are off, they are macros with arguments, and not renamed:
 * see their headers. */
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

/* hooks of statistics, captures and payloads: impl/hooks.h */
#define nvtxh_i_stats_enter NVTXH_I_SYMBOL(stats_enter)
#define nvtxh_i_stats_enter_plain NVTXH_I_SYMBOL(stats_enter_plain)
#define nvtxh_i_stats_begin NVTXH_I_SYMBOL(stats_begin)
#define nvtxh_i_stats_leave NVTXH_I_SYMBOL(stats_leave)
#define nvtxh_i_stats_push NVTXH_I_SYMBOL(stats_push)
#define nvtxh_i_stats_pop NVTXH_I_SYMBOL(stats_pop)
#define nvtxh_i_stats_mark NVTXH_I_SYMBOL(stats_mark)
#define nvtxh_i_stats_range_begin NVTXH_I_SYMBOL(stats_range_begin)
#define nvtxh_i_stats_range_end NVTXH_I_SYMBOL(stats_range_end)
#define nvtxh_i_stats_listens NVTXH_I_SYMBOL(stats_listens)
#define nvtxh_i_stats_unload NVTXH_I_SYMBOL(stats_unload)
#define nvtxh_i_device_report NVTXH_I_SYMBOL(device_report)
#define nvtxh_i_payload_close NVTXH_I_SYMBOL(payload_close)

/* named in assembly: stats/hub.h */
#define nvtxh_i_stats_object NVTXH_I_SYMBOL(stats_object)

#endif
