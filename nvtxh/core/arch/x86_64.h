/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CORE_ARCH_X86_64_H
#define NVTXH_CORE_ARCH_X86_64_H

/* x86-64: see core/arch.h. Not API. */

#include "../compiler.h"

NVTXH_I_C_BEGIN

#define NVTXH_I_TICKS_NAME TSC

NVTXH_I_INLINE uint64_t nvtxh_i_ticks(void)
{
    return __builtin_ia32_rdtsc();
}

/* By cpuid, whose own header would cost every annotated file. */
NVTXH_I_INLINE bool nvtxh_i_ticks_usable(void)
{
    uint32_t a = 0x80000000, c = 0, d;

    __asm__ volatile("cpuid" : "+a"(a), "+c"(c), "=d"(d) : : "ebx");
    if (a < 0x80000007)
        return false;
    a = 0x80000007;
    __asm__ volatile("cpuid" : "+a"(a), "+c"(c), "=d"(d) : : "ebx");
    return d & 1u << 8;
}

/* As the processor gives it: nothing has to be put together that is used apart. */
#define NVTXH_I_HAS_HALVES
NVTXH_I_INLINE uint32_t nvtxh_i_ticks_halves(uint32_t *ret_high)
{
    uint32_t low;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(*ret_high));
    return low;
}

#define NVTXH_I_HAS_THREAD_POINTER
NVTXH_I_INLINE uintptr_t nvtxh_i_thread_pointer(void)
{
    uintptr_t self;

    __asm__("mov %%fs:0, %0" : "=r"(self));
    return self;
}

/*
 * Compilers load an atomic into a register before they compare it, which is one instruction more than
 * it takes. nvcc does not know of flags as a result, and ThreadSanitizer does not see these accesses.
 */
#if defined(__GCC_ASM_FLAG_OUTPUTS__) && !defined(__CUDACC__) && !NVTXH_I_TSAN
#define NVTXH_I_FLAGS 1

NVTXH_I_INLINE bool nvtxh_i_is_set(const unsigned char *byte)
{
    bool set;

    /* Volatile: asked each time, also in a loop that does nothing else that could change it. */
    __asm__ volatile("cmpb $0, %1" : "=@ccne"(set) : "m"(*byte));
    return set;
}

NVTXH_I_INLINE bool nvtxh_i_is(const unsigned char *byte, unsigned char value)
{
    bool is;

    __asm__ volatile("cmpb %2, %1" : "=@cce"(is) : "m"(*byte), "qi"(value) : "memory");
    return is;
}

NVTXH_I_INLINE bool nvtxh_i_has(const unsigned char *byte, unsigned char bits)
{
    bool has;

    __asm__ volatile("testb %2, %1" : "=@ccne"(has) : "m"(*byte), "qi"(bits) : "memory");
    return has;
}

NVTXH_I_INLINE bool nvtxh_i_is_known(const unsigned char *byte)
{
    bool known;

    __asm__ volatile("cmpb $0, %1" : "=@ccg"(known) : "m"(*byte) : "memory");
    return known;
}

typedef uint32_t __attribute__((__may_alias__)) nvtxh_i_half;

NVTXH_I_INLINE void nvtxh_i_ticks_store(uint64_t *start)
{
    nvtxh_i_half *halves = NVTXH_I_BITS(nvtxh_i_half *, start);

    __asm__ volatile("rdtsc\n\tmovl %%eax, %0\n\tmovl %%edx, %1"
                     : "=m"(halves[0]), "=m"(halves[1])
                     :
                     : "eax", "edx");
}

NVTXH_I_INLINE bool nvtxh_i_ticks_since(const uint64_t *start, uint64_t *ret_ticks)
{
    const nvtxh_i_half *halves = NVTXH_I_BITS(const nvtxh_i_half *, start);
    uint32_t low, high;
    bool other;

    __asm__ volatile("rdtsc\n\tsubl %3, %0\n\tsbbl %4, %1"
                     : "=&a"(low), "=&d"(high), "=@ccne"(other)
                     : "m"(halves[0]), "m"(halves[1]));
    *ret_ticks = low;
    return !other;
}

NVTXH_I_INLINE void nvtxh_i_add(uint64_t *sum, uint64_t value)
{
    __asm__ volatile("addq %1, %0" : "+m"(*sum) : "er"(value) : "memory", "cc");
}

NVTXH_I_INLINE bool nvtxh_i_add_one(uint32_t *count)
{
    bool carry;

    __asm__ volatile("addl $1, %0" : "+m"(*count), "=@ccc"(carry) : : "memory");
    return carry;
}

NVTXH_I_INLINE bool nvtxh_i_subtract_one(uint32_t *count)
{
    bool left;

    __asm__ volatile("subl $1, %0" : "+m"(*count), "=@ccne"(left));
    return left;
}

/* Straight from its register; the compilers' atomic store goes by another one. */
NVTXH_I_INLINE void nvtxh_i_set_double(double *member, double value)
{
    __asm__ volatile("movsd %1, %0" : "=m"(*member) : "x"(value) : "memory");
}

#endif

NVTXH_I_C_END

#endif
