/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CORE_SYMBOLS_H
#define NVTXH_CORE_SYMBOLS_H

/* The names that the linker sees. Each contains the version of its layout, so that libraries built with different
 * versions of these headers can be linked into one program. Not API. */

#include "../config.h"

#pragma GCC system_header /* see NVTXH_I_CALLEE */
#define NVTXH_I_SYMBOL(name) nvtxh_i_v0_1_##name

/* What the linker reports first as undefined if no file defines NVTXH_IMPLEMENTATION: the name says what to do. */
#define nvtxh_i_state nvtxh_i_define_NVTXH_IMPLEMENTATION_in_one_file_v0_1
#define NVTXH_I_MISSED(name) nvtxh_i_define_NVTXH_IMPLEMENTATION_in_one_file_v0_1_##name
/* The same for headers that the implementing file has to include. */
#define nvtxh_i_device_do nvtxh_i_define_NVTXH_IMPLEMENTATION_in_one_file_with_device_h_v0_1
#define nvtxh_i_counter_value nvtxh_i_include_counter_h_in_the_implementation_v0_1
#define nvtxh_i_payload_attach nvtxh_i_include_payload_h_in_the_implementation_v0_1

/* What annotations call. A file with neither macro has these as local functions, and provides none to others. */
#if defined(NVTXH_NO_IMPL) || defined(NVTXH_IMPLEMENTATION)
#define NVTXH_I_VERB NVTXH_I_MISSED
#else
#define NVTXH_I_VERB NVTXH_I_SYMBOL
#endif
#define nvtxh_i_find_out NVTXH_I_VERB(find_out)
#define nvtxh_i_scope_enter NVTXH_I_VERB(scope_enter)
#define nvtxh_i_scope_enter_plain NVTXH_I_VERB(scope_enter_plain)
#define nvtxh_i_scope_enterf NVTXH_I_VERB(scope_enterf)
#define nvtxh_i_scope_leave NVTXH_I_VERB(scope_leave)
#define nvtxh_i_mark_at NVTXH_I_VERB(mark_at)
#define nvtxh_i_mark_plain NVTXH_I_VERB(mark_plain)
#define nvtxh_i_mark_atf NVTXH_I_VERB(mark_atf)
#define nvtxh_i_push NVTXH_I_VERB(push)
#define nvtxh_i_push_plain NVTXH_I_VERB(push_plain)
#define nvtxh_i_pushf NVTXH_I_VERB(pushf)
#define nvtxh_i_pop NVTXH_I_VERB(pop)
#define nvtxh_i_range_start NVTXH_I_VERB(range_start)
#define nvtxh_i_range_start_plain NVTXH_I_VERB(range_start_plain)
#define nvtxh_i_range_startf NVTXH_I_VERB(range_startf)
#define nvtxh_i_range_end NVTXH_I_VERB(range_end)
#define nvtxh_i_domain_enable NVTXH_I_VERB(domain_enable)
#define nvtxh_i_domain_named NVTXH_I_VERB(domain_named)
#define nvtxh_i_category_named NVTXH_I_VERB(category_named)
#define nvtxh_i_string_named NVTXH_I_VERB(string_named)
#define nvtxh_i_no_string NVTXH_I_MISSED(no_string)

/* The public functions. When annotations are off, they are macros with arguments, and not renamed: see their headers. */
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

/* impl */
#define nvtxh_i_object NVTXH_I_SYMBOL(object)
#define nvtxh_i_locking NVTXH_I_SYMBOL(locking)
#define nvtxh_i_site_slots NVTXH_I_SYMBOL(site_slots)
#define nvtxh_i_any_skips NVTXH_I_SYMBOL(any_skips)
#define nvtxh_i_skips NVTXH_I_SYMBOL(skips)
#define nvtxh_i_range_pools NVTXH_I_SYMBOL(range_pools)
#define nvtxh_i_payload_close NVTXH_I_SYMBOL(payload_close)
#define nvtxh_i_on_unload NVTXH_I_SYMBOL(on_unload)
#define nvtxh_i_captures NVTXH_I_SYMBOL(captures)
#define nvtxh_i_capture_domain NVTXH_I_SYMBOL(capture_domain)
#define nvtxh_i_range_here NVTXH_I_SYMBOL(range_here)
#define nvtxh_i_names NVTXH_I_SYMBOL(names)
#define nvtxh_i_capture_begin NVTXH_I_SYMBOL(capture_begin)
#define nvtxh_i_capture_end NVTXH_I_SYMBOL(capture_end)
#define nvtxh_i_stderr_was NVTXH_I_SYMBOL(stderr_was)
#define nvtxh_i_mistakes NVTXH_I_SYMBOL(mistakes)
#define nvtxh_i_check_lock NVTXH_I_SYMBOL(check_lock)
#define nvtxh_i_check_state NVTXH_I_SYMBOL(check_state)
#define nvtxh_i_check_this_thread NVTXH_I_SYMBOL(check_this_thread)
#define nvtxh_i_check_category NVTXH_I_SYMBOL(check_category)
#define nvtxh_i_check_open NVTXH_I_SYMBOL(check_open)
#define nvtxh_i_check_close NVTXH_I_SYMBOL(check_close)
#define nvtxh_i_check_pop NVTXH_I_SYMBOL(check_pop)
#define nvtxh_i_check_start NVTXH_I_SYMBOL(check_start)
#define nvtxh_i_check_end NVTXH_I_SYMBOL(check_end)

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

/* stats */
#define nvtxh_i_stats_object NVTXH_I_SYMBOL(stats_object)
#define nvtxh_i_stats_here NVTXH_I_SYMBOL(stats_here)

/* payload */
#define nvtxh_i_schemas NVTXH_I_SYMBOL(schemas)
#define nvtxh_i_schemas_unload NVTXH_I_SYMBOL(schemas_unload)
#define nvtxh_i_counter_values NVTXH_I_SYMBOL(counter_values)

/* device */
#define nvtxh_i_device NVTXH_I_SYMBOL(device)
#define nvtxh_i_device_dof NVTXH_I_SYMBOL(device_dof)
#define nvtxh_i_device_end NVTXH_I_SYMBOL(device_end)
#define nvtxh_i_device_scope_end NVTXH_I_SYMBOL(device_scope_end)
#define nvtxh_i_device_count NVTXH_I_SYMBOL(device_count)
#define nvtxh_i_cuda NVTXH_I_SYMBOL(cuda)
#define nvtxh_i_slots NVTXH_I_SYMBOL(slots)
#define nvtxh_i_timed NVTXH_I_SYMBOL(timed)
#define nvtxh_i_pairs NVTXH_I_SYMBOL(pairs)
#define nvtxh_i_deferred_clocks NVTXH_I_SYMBOL(deferred_clocks)
#define nvtxh_i_lanes NVTXH_I_SYMBOL(lanes)

#endif
