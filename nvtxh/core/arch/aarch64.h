/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CORE_ARCH_AARCH64_H
#define NVTXH_CORE_ARCH_AARCH64_H

/* aarch64: see core/arch.h. Not API. */

#include "../compiler.h"

NVTXH_I_C_BEGIN

#define NVTXH_I_TICKS_NAME CNTVCT

NVTXH_I_INLINE uint64_t nvtxh_i_ticks(void) {
    uint64_t ticks;

    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}

NVTXH_I_INLINE bool nvtxh_i_ticks_usable(void) {
    return true;
}

#ifndef __CUDACC__
#define NVTXH_I_HAS_THREAD_POINTER
NVTXH_I_INLINE uintptr_t nvtxh_i_thread_pointer(void) {
    return (uintptr_t)__builtin_thread_pointer();
}
#endif

NVTXH_I_C_END

#endif
