/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DEVICE_PROCESS_H
#define NVTXH_DEVICE_PROCESS_H

/* Device ranges and the life of the process: the first range, a fork, the exit. Not API. */

#include "../impl/object.h"
#include "calls.h"
#include "pool.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

NVTXH_I_C_BEGIN

/* Strict C hides dladdr(). A Dl_info is four pointers; the first is the file's name. */
extern int nvtxh_i_dladdr(const void *address, const char *ret_info[4]) __asm__("dladdr");

static inline bool nvtxh_i_device_exiting(void) {
    return __atomic_load_n(&nvtxh_i_device.exiting, __ATOMIC_ACQUIRE);
}

NVTXH_I_COLD void nvtxh_i_device_on_exit(void) {
    __atomic_store_n(&nvtxh_i_device.exiting, (unsigned char)1, __ATOMIC_RELEASE);
}

/* In a forked child: frees all slots, because nothing in the child ends the parent's ranges. */
NVTXH_I_COLD void nvtxh_i_device_in_child(void) {
    uint32_t i, n = __atomic_load_n(&nvtxh_i_device.n_used, __ATOMIC_ACQUIRE);

    __atomic_store_n(&nvtxh_i_device.free_slots, (uint64_t)0, __ATOMIC_RELAXED);
    for (i = n; i-- > 0;) {
        struct nvtxh_i_device_slot *slot = &nvtxh_i_slots[i];
        uint64_t generation = (nvtxh_i_slot_load(slot) >> 32) + 1;

        __atomic_store_n(&slot->state, generation << 32, __ATOMIC_RELEASE);
        nvtxh_i_slot_put(slot);
    }
    nvtxh_i_device.lost = nvtxh_i_device.cancelled = nvtxh_i_device.exhausted = 0;
}

/* Prepares for the first range: finds CUDA's functions, and keeps this linked object loaded,
 * because from then on a stream or a graph may call into it at any time. False: CUDA's functions
 * were not found. */
NVTXH_I_COLD bool nvtxh_i_device_prepare_once(void) {
    const char *info[4];
    int cancel = 0, saved_errno = errno;
    bool locked = nvtxh_i_lock(&cancel);

    if (!nvtxh_i_device.ready && nvtxh_i_cuda_load()) {
        if (nvtxh_i_dladdr(&nvtxh_i_device, info) && info[0]) {
            (void)dlopen(info[0], RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
        }
        pthread_atfork(NULL, NULL, nvtxh_i_device_in_child);
        atexit(nvtxh_i_device_on_exit);
        __atomic_store_n(&nvtxh_i_device.ready, (unsigned char)1, __ATOMIC_RELEASE);
    }
    if (locked) {
        nvtxh_i_unlock(cancel);
    }
    errno = saved_errno;
    return nvtxh_i_device.ready;
}

NVTXH_I_HOT bool nvtxh_i_device_prepare(void) {
    return __atomic_load_n(&nvtxh_i_device.ready, __ATOMIC_ACQUIRE) ||
           nvtxh_i_device_prepare_once();
}

NVTXH_I_C_END

#endif
