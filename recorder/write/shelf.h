/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_SHELF_H
#define NVTXH_WRITE_SHELF_H
/* Slots for pointers. Any thread or signal handler may put one there or take one away, without a lock. All zero is
 * empty. */
#include <stdbool.h>
#include <stddef.h>

/* Puts a pointer into one of the first `places` slots; false: all of them are taken. */
static inline bool shelf_put(void **shelf, size_t places, void *thing)
{
    for (size_t i = 0; i < places; i++) {
        void *empty = NULL;
        if (__atomic_compare_exchange_n(&shelf[i], &empty, thing, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
            return true;
        }
    }
    return false;
}

/* Takes a pointer away; NULL: the shelf is empty. */
static inline void *shelf_get(void **shelf, size_t places)
{
    for (size_t i = 0; i < places; i++) {
        if (__atomic_load_n(&shelf[i], __ATOMIC_RELAXED)) {
            void *thing = __atomic_exchange_n(&shelf[i], NULL, __ATOMIC_ACQUIRE);
            if (thing) {
                return thing;
            }
        }
    }
    return NULL;
}

#endif /* NVTXH_WRITE_SHELF_H */
