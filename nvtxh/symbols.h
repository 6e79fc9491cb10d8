/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SYMBOLS_H
#define NVTXH_SYMBOLS_H

/*
 * The names that meet at link time. Each carries the version of its layout, so that libraries built
 * with different versions of these headers can be linked into one program. Not API.
 */

#pragma GCC system_header /* see NVTXH_I_ONCE */
#define NVTXH_I_SYMBOL(name) nvtxh_i_v0_1_##name

/* Names the linker misses first where NVTXH_NO_IMPL is defined and nothing else is. */
#define nvtxh_i_state nvtxh_i_define_NVTXH_IMPLEMENTATION_in_one_file_v0_1
#define NVTXH_I_MISSED(name) nvtxh_i_define_NVTXH_IMPLEMENTATION_in_one_file_v0_1_##name
/* And where that file includes fewer headers. */
#define nvtxh_i_device_do nvtxh_i_define_NVTXH_IMPLEMENTATION_in_one_file_with_device_h_v0_1
#define nvtxh_i_counter_value nvtxh_i_include_counter_h_in_the_implementation_v0_1
#define nvtxh_i_payload_attach nvtxh_i_include_payload_h_in_the_implementation_v0_1

/* What annotations call. A file that is complete by itself has its own, and so has none for others. */
#if defined(NVTXH_NO_IMPL) || defined(NVTXH_IMPLEMENTATION)
#define NVTXH_I_VERB NVTXH_I_MISSED
#else
#define NVTXH_I_VERB NVTXH_I_SYMBOL
#endif
#define nvtxh_i_find_out NVTXH_I_VERB(find_out)
#define nvtxh_i_scope_enter NVTXH_I_VERB(scope_enter)
#define nvtxh_i_scope_enter_plain NVTXH_I_VERB(scope_enter_plain)
#define nvtxh_i_scope_enter_own NVTXH_I_VERB(scope_enter_own)
#define nvtxh_i_scope_enter_same NVTXH_I_VERB(scope_enter_same)
#define nvtxh_i_scope_enterf NVTXH_I_VERB(scope_enterf)
#define nvtxh_i_scope_leave NVTXH_I_VERB(scope_leave)
#define nvtxh_i_mark_at NVTXH_I_VERB(mark_at)
#define nvtxh_i_mark_plain NVTXH_I_VERB(mark_plain)
#define nvtxh_i_mark_atf NVTXH_I_VERB(mark_atf)
#define nvtxh_i_push NVTXH_I_VERB(push)
#define nvtxh_i_push_plain NVTXH_I_VERB(push_plain)
#define nvtxh_i_pushf NVTXH_I_VERB(pushf)
#define nvtxh_i_pop NVTXH_I_VERB(pop)
#define nvtxh_i_pop_with NVTXH_I_VERB(pop_with)
#define nvtxh_i_range_start NVTXH_I_VERB(range_start)
#define nvtxh_i_range_start_plain NVTXH_I_VERB(range_start_plain)
#define nvtxh_i_range_startf NVTXH_I_VERB(range_startf)
#define nvtxh_i_range_end NVTXH_I_VERB(range_end)
#define nvtxh_i_range_end_plain NVTXH_I_VERB(range_end_plain)

#endif
