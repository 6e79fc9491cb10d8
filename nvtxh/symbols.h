/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SYMBOLS_H
#define NVTXH_SYMBOLS_H

/*
 * The names that meet at link time. Each carries the version of its layout, so that libraries built
 * with different versions of these headers can be linked into one program. Not API.
 */

#define NVTXH_I_SYMBOL(name) nvtxh_i_v0_1_##name

/* Names the linker misses first where NVTXH_NO_IMPL is defined and nothing else is. */
#define nvtxh_i_state nvtxh_i_define_NVTXH_IMPLEMENTATION_in_one_file_v0_1
#define NVTXH_I_MISSED(name) nvtxh_i_define_NVTXH_IMPLEMENTATION_in_one_file_v0_1_##name

#define nvtxh_i_find_out NVTXH_I_SYMBOL(find_out)
#define nvtxh_i_scope_enter NVTXH_I_SYMBOL(scope_enter)
#define nvtxh_i_scope_enter_plain NVTXH_I_SYMBOL(scope_enter_plain)
#define nvtxh_i_scope_enter_own NVTXH_I_SYMBOL(scope_enter_own)
#define nvtxh_i_scope_enter_same NVTXH_I_SYMBOL(scope_enter_same)
#define nvtxh_i_scope_enterf NVTXH_I_SYMBOL(scope_enterf)
#define nvtxh_i_scope_leave NVTXH_I_SYMBOL(scope_leave)
#define nvtxh_i_mark_at NVTXH_I_SYMBOL(mark_at)
#define nvtxh_i_mark_plain NVTXH_I_SYMBOL(mark_plain)
#define nvtxh_i_mark_atf NVTXH_I_SYMBOL(mark_atf)
#define nvtxh_i_push NVTXH_I_SYMBOL(push)
#define nvtxh_i_push_plain NVTXH_I_SYMBOL(push_plain)
#define nvtxh_i_pushf NVTXH_I_SYMBOL(pushf)
#define nvtxh_i_pop NVTXH_I_SYMBOL(pop)
#define nvtxh_i_pop_with NVTXH_I_SYMBOL(pop_with)
#define nvtxh_i_range_start NVTXH_I_SYMBOL(range_start)
#define nvtxh_i_range_start_plain NVTXH_I_SYMBOL(range_start_plain)
#define nvtxh_i_range_startf NVTXH_I_SYMBOL(range_startf)
#define nvtxh_i_range_end NVTXH_I_SYMBOL(range_end)
#define nvtxh_i_range_end_plain NVTXH_I_SYMBOL(range_end_plain)

#endif
