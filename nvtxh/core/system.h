/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CORE_SYSTEM_H
#define NVTXH_CORE_SYSTEM_H

/* Process and thread ids, pages of memory, and a lock that survives a fork. This header includes
 * headers of the C library, so in nvtxh/ only the implementation includes this header. Not API. */

#include "compiler.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#if !defined(__cplusplus) && !defined(__USE_MISC)
extern long syscall(long number, ...); /* which strict C (-std=c11) hides */
#endif

NVTXH_I_INLINE uint32_t nvtxh_i_getpid(void) {
    return (uint32_t)getpid();
}

/* NVTX identifies a thread by this number, not by pthread_self(). */
NVTXH_I_INLINE uint32_t nvtxh_i_gettid(void) {
    return (uint32_t)syscall(SYS_gettid);
}

/* The process id in the upper half, the thread id in the lower. */
NVTXH_I_INLINE uint64_t nvtxh_i_self(void) {
    return (uint64_t)nvtxh_i_getpid() << 32 | nvtxh_i_gettid();
}

/* MAP_ANONYMOUS, which strict C hides. */
#ifdef MAP_ANONYMOUS
#define NVTXH_I_ANONYMOUS MAP_ANONYMOUS
#else
#define NVTXH_I_ANONYMOUS 0x20
#endif

/* LeakSanitizer looks for pointers in pages from mmap only if the pages are registered. nvtxh keeps
 * a tool's handles in such pages, so nvtxh_i_map() registers them. */
#if defined(__SANITIZE_ADDRESS__)
#define NVTXH_I_LEAKS_SOUGHT 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(leak_sanitizer)
#define NVTXH_I_LEAKS_SOUGHT 1
#endif
#endif
#ifdef NVTXH_I_LEAKS_SOUGHT
NVTXH_I_C_BEGIN
extern void __lsan_register_root_region(const void *memory, size_t size);
NVTXH_I_C_END
#endif

/* Zeroed pages, which the caller frees with munmap; NULL if there is no memory. Does not call
 * malloc, because a signal handler may need pages. */
static inline void *nvtxh_i_map(size_t size, int flags) {
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | NVTXH_I_ANONYMOUS | flags, -1, 0);

    if (memory == MAP_FAILED) {
        return NULL;
    }
#ifdef NVTXH_I_LEAKS_SOUGHT
    __lsan_register_root_region(memory, size);
#endif
    return memory;
}

/* Has longjmp left a function that began with its frame at BEGAN and has not returned? If not, the
 * caller, with its frame at HERE, runs in a signal handler that has interrupted that function. A
 * handler runs on the alternate stack, or further down on the same stack, with at least the
 * kernel's signal frame in between. So if HERE is less than `least` bytes below BEGAN, or above it,
 * the caller is in no handler: longjmp has left the function. If `least` were larger than that
 * frame, a call in a handler could be taken for one after a jump. If `least` is too small, a call
 * after a jump counts as one in a handler, until a call from further up notices the jump. */
NVTXH_I_INLINE bool nvtxh_i_is_left(uintptr_t began, uintptr_t here) {
    /* The kernel's signal frame takes 864 bytes on riscv64 in QEMU, elsewhere more than 1,000.
     * With ThreadSanitizer, 460 bytes are between BEGAN and HERE: it calls a handler later, in the
     * next call of the C library. Without a handler in between, the recorder's own functions take
     * at most 300 bytes, or 390 without optimization. */
    const uintptr_t least = 392;
    struct {
        void *start;
        int flags;
        size_t size;
    } other = {NULL, 0, 0}; /* stack_t, which strict C hides */
    bool began_there, is_there;

    syscall(SYS_sigaltstack, NULL, &other);
    began_there = began - (uintptr_t)other.start < other.size;
    is_there = other.flags & 1; /* SS_ONSTACK */
    if (began_there != is_there) {
        return began_there;
    }
    return here > began - least;
}

/* Takes a lock, which is the process id of its holder, or 0. After a fork, the holder may be a
 * thread that the child does not have, so a lock with another process's id counts as free. Signals
 * are blocked while the lock is held, because a handler that waited for it would wait for ever. */
NVTXH_I_INLINE void nvtxh_i_spin_lock(uint32_t *lock, uint64_t *ret_signals) {
    uint32_t process = nvtxh_i_getpid(), owner = 0;
    uint64_t all = ~(uint64_t)0;

    syscall(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, &all, ret_signals, sizeof(all));
    while (!__atomic_compare_exchange_n(lock, &owner, process, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
        if (owner == process) {
            owner = 0;
            sched_yield();
        }
    }
}

NVTXH_I_INLINE void nvtxh_i_spin_unlock(uint32_t *lock, const uint64_t *blocked) {
    __atomic_store_n(lock, 0u, __ATOMIC_RELEASE);
    syscall(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, blocked, NULL, sizeof(*blocked));
}

#endif
