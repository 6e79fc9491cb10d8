/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CORE_ARCH_OTHER_H
#define NVTXH_CORE_ARCH_OTHER_H

/* Other architectures, and what an architecture's own file does not define: see core/arch.h. Not
 * API. */

#include "../compiler.h"

NVTXH_I_C_BEGIN

#ifndef NVTXH_I_TICKS_NAME
#define NVTXH_I_TICKS_NAME MONOTONIC

NVTXH_I_INLINE uint64_t nvtxh_i_ticks(void) {
    return 0;
}

NVTXH_I_INLINE bool nvtxh_i_ticks_usable(void) {
    return false;
}
#endif

#ifndef NVTXH_I_HAS_HALVES
NVTXH_I_INLINE uint32_t nvtxh_i_ticks_halves(uint32_t *ret_high) {
    uint64_t ticks = nvtxh_i_ticks();

    *ret_high = (uint32_t)(ticks >> 32);
    return (uint32_t)ticks;
}
#endif

#ifndef NVTXH_I_HAS_THREAD_POINTER
/* Declared here, because <pthread.h> would cost every annotated file compile time. */
extern uintptr_t nvtxh_i_pthread_self(void) __asm__("pthread_self");

NVTXH_I_INLINE uintptr_t nvtxh_i_thread_pointer(void) {
    return nvtxh_i_pthread_self();
}
#endif

#ifndef NVTXH_I_FLAGS
#define NVTXH_I_FLAGS 0
#define nvtxh_i_is_set(byte) (__atomic_load_n(byte, __ATOMIC_RELAXED) != 0)
#define nvtxh_i_add(sum, value) ((void)__atomic_fetch_add(sum, value, __ATOMIC_RELEASE))
#define nvtxh_i_add_32 nvtxh_i_add
#endif

NVTXH_I_C_END

#endif
