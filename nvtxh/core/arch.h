/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CORE_ARCH_H
#define NVTXH_CORE_ARCH_H

/* What the library and the recorder need from a processor, one file per architecture. Not API.
 *
 *   NVTXH_I_TICKS_NAME                    the time counter's name, as in REC_CLOCK_TSC of
 *                                         recorder/format/format.h
 *   nvtxh_i_ticks()                       the value of the processor's time counter
 *   nvtxh_i_ticks_usable()                does the counter exist, and run at one rate on all cores?
 *   nvtxh_i_ticks_halves(&high)           returns the counter's low 32 bits; sets *high to the rest
 *   nvtxh_i_thread_pointer()              a number that identifies the calling thread, the same in
 *                                         the program and all shared objects
 *   nvtxh_i_is_set(&byte)                 is the byte not 0?
 *   nvtxh_i_add(&sum, value)              sum += value, 64 bits
 *   nvtxh_i_add_32(&sum, value)           sum += value, 32 bits
 *
 * The adds are for sums that one thread changes and other threads read. Readers see the thread's
 * updates of all sums in the order in which it made them. A signal handler of the same thread may
 * change the sum between any two instructions, and no update is lost. x86-64 has one instruction
 * for such an add, without a lock prefix. Elsewhere, and with nvcc or ThreadSanitizer, the adds are
 * atomic: on aarch64 one instruction of LSE, or a loop of an exclusive load and store. Statistics
 * make at least six such adds for each scope.
 *
 * An architecture's file defines the functions that it does better than other.h. For each group of
 * these it also defines a macro:
 *   NVTXH_I_TICKS_NAME            nvtxh_i_ticks and nvtxh_i_ticks_usable
 *   NVTXH_I_HAS_HALVES            nvtxh_i_ticks_halves
 *   NVTXH_I_HAS_THREAD_POINTER    nvtxh_i_thread_pointer
 *   NVTXH_I_FLAGS 1               nvtxh_i_is_set, both adds, and nvtxh_i_word_is_set(&word), which
 *                                 tests a scope's guard in memory (NVTXH_I_PINNED in dispatch.h)
 * NVTXH_I_OTHER_ARCH: use other.h alone, for tests. */

#include "compiler.h"

#if defined(NVTXH_I_OTHER_ARCH)
#elif defined(__x86_64__)
#include "arch/x86_64.h"
#elif defined(__aarch64__)
#include "arch/aarch64.h"
#endif
#include "arch/other.h"

#endif
