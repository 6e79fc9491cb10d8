/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CORE_ARCH_X86_64_H
#define NVTXH_CORE_ARCH_X86_64_H

/* x86-64: see core/arch.h. Not API. */

#include "../compiler.h"

NVTXH_I_C_BEGIN

#define NVTXH_I_TICKS_NAME TSC

NVTXH_I_INLINE uint64_t nvtxh_i_ticks(void) {
    return __builtin_ia32_rdtsc();
}

/* Reads cpuid's bit "invariant TSC", without <cpuid.h>, which would cost each file compile time. */
NVTXH_I_INLINE bool nvtxh_i_ticks_usable(void) {
    uint32_t a = 0x80000000, c = 0, d;

    __asm__ volatile("cpuid" : "+a"(a), "+c"(c), "=d"(d) : : "ebx");
    if (a < 0x80000007) {
        return false;
    }
    a = 0x80000007;
    __asm__ volatile("cpuid" : "+a"(a), "+c"(c), "=d"(d) : : "ebx");
    return d & 1u << 8;
}

/* Returns the two halves as rdtsc gives them. So a caller who needs halves does not have to split
 * the joined value again. */
#define NVTXH_I_HAS_HALVES
NVTXH_I_INLINE uint32_t nvtxh_i_ticks_halves(uint32_t *ret_high) {
    uint32_t low;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(*ret_high));
    return low;
}

#define NVTXH_I_HAS_THREAD_POINTER
NVTXH_I_INLINE uintptr_t nvtxh_i_thread_pointer(void) {
    uintptr_t self;

    __asm__("mov %%fs:0, %0" : "=r"(self));
    return self;
}

/* Compilers load an atomic into a register before they compare it, which is one instruction too
 * many. So the functions below are in asm, but not for nvcc, which does not support flags as
 * results of asm, nor for ThreadSanitizer, which does not see accesses in asm. */
#if defined(__GCC_ASM_FLAG_OUTPUTS__) && !defined(__CUDACC__) && !NVTXH_I_TSAN
#define NVTXH_I_FLAGS 1

NVTXH_I_INLINE bool nvtxh_i_is_set(const unsigned char *listener_bits) {
    bool set;

    /* Volatile, so that a loop tests the byte each time. */
    __asm__ volatile("cmpb $0, %1" : "=@ccne"(set) : "m"(*listener_bits));
    return set;
}

/* Is the word not 0? Compares it in memory, for scopes' guards that are not in a register:
 * NVTXH_I_PINNED in core/dispatch.h. */
NVTXH_I_INLINE bool nvtxh_i_word_is_set(const uintptr_t *word) {
    bool set;

    __asm__("cmpq $0, %1" : "=@ccne"(set) : "m"(*word));
    return set;
}

#define NVTXH_I_ADD(instruction, sum, value)                                                       \
    __asm__ volatile(instruction " %1, %0" : "+m"(*(sum)) : "er"(value) : "memory", "cc")

NVTXH_I_INLINE void nvtxh_i_add(uint64_t *sum, uint64_t value) {
    NVTXH_I_ADD("addq", sum, value);
}

NVTXH_I_INLINE void nvtxh_i_add_32(uint32_t *sum, uint32_t value) {
    NVTXH_I_ADD("addl", sum, value);
}
#endif

NVTXH_I_C_END

#endif
