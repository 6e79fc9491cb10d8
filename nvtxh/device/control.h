/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DEVICE_CONTROL_H
#define NVTXH_DEVICE_CONTROL_H

/* Functions that set the mode, and that count, drain or abandon all ranges; and functions that name
 * streams, devices, events and contexts. Not API. */

#include "../impl/hooks.h"
#include "../impl/nvtx.h"
#include "../impl/say.h"
#include "callbacks.h"
#include "cuda.h"
#include "pool.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>

#define NVTXH_I_MODE_SET 0x80000000u /* in `mode` of the pool: the mode is known */

NVTXH_I_C_BEGIN

/* The flag that the first N bytes of WORD name, in upper or lower case, in any locale; 0: none. */
static inline unsigned nvtxh_i_device_flag_of(const char *word, size_t n) {
    static const char *const names[] = {"interval", "event", "wait", "nocapture"};
    unsigned i;
    size_t k;

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        for (k = 0; k < n && (word[k] | 0x20) == names[i][k]; k++) {
        }
        if (k == n && !names[i][n]) {
            return 1u << i;
        }
    }
    return 0;
}

/* Parses a list of words, separated by commas or spaces. Reports and ignores unknown words. */
static inline unsigned nvtxh_i_device_mode_of(const char *words) {
    unsigned mode = 0, flag;
    char text[200];
    size_t n;

    for (; words && *words; words += n) {
        words += strspn(words, ", ");
        n = strcspn(words, ", ");
        flag = nvtxh_i_device_flag_of(words, n);
        mode |= flag;
        if (flag || !n) {
            continue;
        }
        snprintf(text, sizeof(text),
                 "nvtxh: NVTXH_DEVICE_MODE: \"%.*s\" is unknown; write interval, event, wait, "
                 "nocapture\n",
                 n < 64 ? (int)n : 64, words);
        nvtxh_i_say(text, 0);
    }
    return mode ? mode : NVTXH_DEVICE_INTERVAL;
}

NVTXH_I_LINKONCE void nvtxh_device_set_mode(unsigned mode) {
    mode &=
        NVTXH_DEVICE_INTERVAL | NVTXH_DEVICE_EVENT | NVTXH_DEVICE_WAIT | NVTXH_DEVICE_NO_CAPTURE;
    if (mode && !(mode & (NVTXH_DEVICE_INTERVAL | NVTXH_DEVICE_EVENT))) {
        mode |= NVTXH_DEVICE_INTERVAL;
    }
    __atomic_store_n(&nvtxh_i_device.mode, mode | NVTXH_I_MODE_SET, __ATOMIC_RELAXED);
}

NVTXH_I_LINKONCE unsigned nvtxh_device_mode(void) {
    if (!__atomic_load_n(&nvtxh_i_device.mode, __ATOMIC_RELAXED)) {
        nvtxh_device_set_mode(nvtxh_i_device_mode_of(getenv("NVTXH_DEVICE_MODE")));
    }
    return __atomic_load_n(&nvtxh_i_device.mode, __ATOMIC_RELAXED) & ~NVTXH_I_MODE_SET;
}

NVTXH_I_HOT uint32_t nvtxh_i_device_mode(void) {
    uint32_t mode = __atomic_load_n(&nvtxh_i_device.mode, __ATOMIC_RELAXED);

    return NVTXH_I_UNLIKELY(!mode) ? nvtxh_device_mode() : mode & ~NVTXH_I_MODE_SET;
}

NVTXH_I_ENTRY_DEF nvtxh_i_status nvtxh_i_device_count(struct nvtxh_device_counts *ret_counts) {
    struct nvtxh_device_counts counts = {0, 0, 0, 0, 0, 0};
    uint32_t i, n = __atomic_load_n(&nvtxh_i_device.n_used, __ATOMIC_ACQUIRE);

    if (!ret_counts) {
        return NVTXH_I_BAD_VALUE;
    }
    for (i = 0; i < n; i++) {
        uint64_t state = nvtxh_i_slot_load(&nvtxh_i_slots[i]);
        uint32_t phase = nvtxh_i_slot_phase(state);

        if (phase == NVTXH_I_SLOT_FREE) {
            continue;
        }
        if (state & NVTXH_I_SLOT_CAPTURED) {
            counts.captured++;
        } else if (phase == NVTXH_I_SLOT_OPEN && !(state & NVTXH_I_SLOT_END_SENT)) {
            counts.open++;
        } else {
            counts.pending++;
        }
    }
    counts.lost = __atomic_load_n(&nvtxh_i_device.lost, __ATOMIC_RELAXED);
    counts.cancelled = __atomic_load_n(&nvtxh_i_device.cancelled, __ATOMIC_RELAXED);
    counts.exhausted = __atomic_load_n(&nvtxh_i_device.exhausted, __ATOMIC_RELAXED);
    *ret_counts = counts;
    return NVTXH_I_SUCCESS;
}

NVTXH_I_LINKONCE nvtxh_i_status nvtxh_device_drain(int timeout_ms) {
    struct nvtxh_device_counts counts;
    int turn, waited_ms = 0, saved_errno = errno;

    for (turn = 0;; turn++) {
        (void)nvtxh_i_device_count(&counts);
        if (!counts.pending || (timeout_ms >= 0 && waited_ms >= timeout_ms)) {
            break;
        }
        if (turn < 100) {
            sched_yield();
        } else {
            /* select(), because -std=c11 hides nanosleep(), and gcc 12 warns of poll() with
             * _FORTIFY_SOURCE=3. */
            struct timeval millisecond = {0, 1000};
            select(0, NULL, NULL, NULL, &millisecond);
            waited_ms += timeout_ms >= 0;
        }
    }
    errno = saved_errno;
    return counts.pending ? NVTXH_I_CUDA(cudaErrorNotReady, CUDA_ERROR_NOT_READY) : NVTXH_I_SUCCESS;
}

/* Gives up the range of a slot that no graph holds. If a thread is reporting the range's beginning
 * to the tool, this function only sets OVER, and that thread frees the slot. */
static inline void nvtxh_i_slot_abandon(struct nvtxh_i_device_slot *slot) {
    uint64_t state = nvtxh_i_slot_load(slot), to;
    uint32_t phase;

    do {
        phase = nvtxh_i_slot_phase(state);
        if (phase == NVTXH_I_SLOT_FREE || phase == NVTXH_I_SLOT_ENDING ||
            (state & NVTXH_I_SLOT_CAPTURED)) {
            return;
        }
        to = phase == NVTXH_I_SLOT_BEGINNING ? state | NVTXH_I_SLOT_OVER
                                             : nvtxh_i_slot_in_phase(state, NVTXH_I_SLOT_ENDING);
    } while (!nvtxh_i_slot_change(slot, &state, to));
    if (!(state & NVTXH_I_SLOT_OVER)) { /* OVER: the range has ended, or is counted as lost */
        nvtxh_i_tally(&nvtxh_i_device.lost);
    }
    if (phase == NVTXH_I_SLOT_OPEN) {
        nvtxh_i_slot_tell_end(slot, slot->id, false);
    }
    if (phase != NVTXH_I_SLOT_BEGINNING) {
        nvtxh_i_slot_free(slot);
    }
}

NVTXH_I_LINKONCE nvtxh_i_status nvtxh_device_abandon(void) {
    uint32_t i, n = __atomic_load_n(&nvtxh_i_device.n_used, __ATOMIC_ACQUIRE);

    for (i = 0; i < n; i++) {
        nvtxh_i_slot_abandon(&nvtxh_i_slots[i]);
    }
    return NVTXH_I_SUCCESS;
}

/* nvtxh_stream_name() and the like: they pass CUDA's handle and the name to the tool's function. */
#define NVTXH_I_NAMER(name_it, type, runtime, driver)                                              \
    NVTXH_I_LINKONCE void name_it(type handle, const char *name) {                                 \
        void (*tell)(type, const char *) = NULL; /* read once: it may become NULL */               \
                                                                                                   \
        if (nvtxh_listening()) {                                                                   \
            memcpy(&tell, &NVTXH_I_CUDA(NVTXH_I_NVTX(runtime), NVTXH_I_NVTX(driver)),              \
                   sizeof(tell));                                                                  \
        }                                                                                          \
        if (tell) {                                                                                \
            tell(handle, name);                                                                    \
        }                                                                                          \
    }
/* clang-format off */
NVTXH_I_NAMER(nvtxh_stream_name, nvtxh_i_stream, nvtxNameCudaStreamA, nvtxNameCuStreamA)
NVTXH_I_NAMER(nvtxh_device_name, int, nvtxNameCudaDeviceA, nvtxNameCuDeviceA)
NVTXH_I_NAMER(nvtxh_event_name, nvtxh_i_cuda_event, nvtxNameCudaEventA, nvtxNameCuEventA)
NVTXH_I_NAMER(nvtxh_context_name, struct CUctx_st *, nvtxNameCuContextA, nvtxNameCuContextA)
/* clang-format on */

NVTXH_I_C_END

#endif
