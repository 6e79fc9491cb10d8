/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CAPTURE_IMPL_H
#define NVTXH_CAPTURE_IMPL_H

/* Begins and ends captures. The open ones are in a short table, which the linked object's lock
 * protects (impl/object.h). CUDA is called without the lock. Not API. */

#include "../impl/all.h"
#include "cuda.h"
#include "types.h"

#include <errno.h>
#include <string.h>

struct nvtxh_i_captures {
    uint64_t last;     /* the number of the newest capture */
    uint32_t process;  /* id of the process that began these captures */
    uint32_t profiled; /* how many open captures have NVTXH_CAPTURE_PROFILER */
    struct {
        uint64_t number; /* of the capture; 0: this element is free */
        nvtxRangeId_t id;
        unsigned flags;
        bool told, scope; /* told: the tool has the range; scope: made by NVTXH_CAPTURE_SCOPE */
    } open[NVTXH_CAPTURE_MAX];
};

NVTXH_I_C_BEGIN

NVTXH_I_LINKONCE struct nvtxh_i_captures nvtxh_i_captures NVTXH_I_LINKED("captures");
NVTXH_I_LINKONCE struct nvtxh_domain nvtxh_i_capture_domain NVTXH_I_LINKED("capture_domain") = {
    "nvtxh.capture", __FILE__, NULL, 0, 0};

/* Under the lock: in a forked child, forgets the parent's captures. */
static inline void nvtxh_i_captures_own(void) {
    uint32_t process = nvtxh_i_getpid();
    size_t i;

    if (nvtxh_i_captures.process == process) {
        return;
    }
    for (i = 0; i < NVTXH_CAPTURE_MAX; i++) {
        nvtxh_i_captures.open[i].number = 0;
    }
    nvtxh_i_captures.profiled = 0;
    nvtxh_i_captures.process = process;
}

/* Under the lock: starts the capture's range. The range's name is a registered string, because
 * Nsight Systems finds only registered strings. False: the tool takes no process ranges. */
static inline bool nvtxh_i_capture_tell(const char *text, nvtxRangeId_t *ret_id) {
    nvtxDomainRangeStartEx_impl_fntype start = NVTXH_I_TOOL_FUNCTION(nvtxDomainRangeStartEx);
    const struct nvtxh_string *string;
    struct nvtxh_i_whole_event event;
    struct nvtxh_attr a;

    if (!start) {
        return false;
    }
    a = nvtxh_i_attr(&nvtxh_i_capture_domain, NULL, 0, nvtxh_i_no_payload());
    string = nvtxh_string_named(a.domain, text);
    nvtxh_i_event(&event, nvtxh_i_string_site(string, NVTXH_I_KIND_RANGE), &a);
    if (!string) {
        nvtxh_i_event_text(&event.nvtx, text);
    }
    *ret_id = start(nvtxh_i_handle(a.domain), &event.nvtx);
    return true;
}

/* Under the lock: the index of capture NUMBER in the table; NVTXH_CAPTURE_MAX if it is not there.
 * NUMBER 0 stands for the newest capture that is not a scope. */
static inline size_t nvtxh_i_capture_find(uint64_t number) {
    size_t i, found = NVTXH_CAPTURE_MAX;
    uint64_t newest = 0;

    for (i = 0; i < NVTXH_CAPTURE_MAX; i++) {
        uint64_t other = nvtxh_i_captures.open[i].number;

        if (number ? other == number : other > newest && !nvtxh_i_captures.open[i].scope) {
            newest = other;
            found = i;
        }
    }
    return found;
}

/* Called if CUDA's profiler could not be started for capture NUMBER. Clears NVTXH_CAPTURE_PROFILER
 * of all open captures, also of those that other threads have begun meanwhile. Drops each capture
 * that had this flag, unless the tool has its range. Returns NUMBER, or 0 if that capture was
 * dropped. */
static inline uint64_t nvtxh_i_capture_without_profiler(uint64_t number) {
    int cancel = 0;
    size_t i;

    if (!nvtxh_i_lock(&cancel)) {
        return number;
    }
    if (nvtxh_i_capture_find(number) < NVTXH_CAPTURE_MAX) { /* else another thread has ended it */
        for (i = 0; i < NVTXH_CAPTURE_MAX; i++) {
            if (!(nvtxh_i_captures.open[i].flags & NVTXH_CAPTURE_PROFILER)) {
                continue;
            }
            nvtxh_i_captures.open[i].flags &= ~NVTXH_CAPTURE_PROFILER;
            if (!nvtxh_i_captures.open[i].told) {
                nvtxh_i_captures.open[i].number = 0;
            }
        }
        nvtxh_i_captures.profiled = 0;
        number = nvtxh_i_capture_find(number) < NVTXH_CAPTURE_MAX ? number : 0;
    }
    nvtxh_i_unlock(cancel);
    return number;
}

NVTXH_I_ENTRY_DEF uint64_t nvtxh_i_capture_begin(const char *name, unsigned flags, bool scope) {
    bool listening = nvtxh_listening(), start_profiler = false;
    int cancel = 0, saved_errno = errno;
    uint64_t number = 0;
    size_t i;

    if ((!listening && (nvtxh_i_disabled() || !(flags & NVTXH_CAPTURE_PROFILER))) ||
        !nvtxh_i_lock(&cancel)) {
        return 0;
    }
    nvtxh_i_captures_own();
    for (i = 0; i < NVTXH_CAPTURE_MAX && nvtxh_i_captures.open[i].number; i++) {
    }
    if (i < NVTXH_CAPTURE_MAX) {
        bool told =
            listening && nvtxh_i_capture_tell(name ? name : "", &nvtxh_i_captures.open[i].id);

        if (told || (flags & NVTXH_CAPTURE_PROFILER)) {
            number = __atomic_add_fetch(&nvtxh_i_captures.last, 1, __ATOMIC_RELAXED);
            nvtxh_i_captures.open[i].number = number;
            nvtxh_i_captures.open[i].flags = flags;
            nvtxh_i_captures.open[i].told = told;
            nvtxh_i_captures.open[i].scope = scope;
            start_profiler = (flags & NVTXH_CAPTURE_PROFILER) && !nvtxh_i_captures.profiled++;
        }
    }
    nvtxh_i_unlock(cancel);
    if (start_profiler &&
        !nvtxh_i_capture_call("cudaProfilerStart", "cuProfilerStart", NVTXH_I_CONTEXT_ANY)) {
        number = nvtxh_i_capture_without_profiler(number);
    }
    errno = saved_errno;
    return number;
}

static inline void nvtxh_i_capture_wait(bool all_devices) {
    (void)nvtxh_i_capture_call("cudaDeviceSynchronize", "cuCtxSynchronize", NVTXH_I_CONTEXT_OURS);
    if (all_devices) {
        (void)nvtxh_i_driver_call("cuCtxSynchronize", NVTXH_I_CONTEXT_ALL);
    }
}

NVTXH_I_ENTRY_DEF bool nvtxh_i_capture_end(uint64_t number) {
    bool stop_profiler = false, found;
    int cancel = 0, saved_errno = errno;
    nvtxRangeId_t id = 0;
    unsigned flags = 0;
    bool told = false;
    size_t i;

    if (!nvtxh_i_lock(&cancel)) {
        return false;
    }
    nvtxh_i_captures_own();
    i = nvtxh_i_capture_find(number);
    found = i < NVTXH_CAPTURE_MAX;
    if (found) {
        id = nvtxh_i_captures.open[i].id;
        flags = nvtxh_i_captures.open[i].flags;
        told = nvtxh_i_captures.open[i].told;
        nvtxh_i_captures.open[i].number = 0;
        stop_profiler = (flags & NVTXH_CAPTURE_PROFILER) && !--nvtxh_i_captures.profiled;
    }
    nvtxh_i_unlock(cancel);
    if (flags & (NVTXH_CAPTURE_WAIT | NVTXH_CAPTURE_WAIT_ALL)) {
        nvtxh_i_capture_wait(flags & NVTXH_CAPTURE_WAIT_ALL);
    }
    if (stop_profiler) {
        (void)nvtxh_i_capture_call("cudaProfilerStop", "cuProfilerStop", NVTXH_I_CONTEXT_ANY);
    }
    if (told) {
        nvtxh_i_range_tell_end(&nvtxh_i_capture_domain, id);
    }
    errno = saved_errno;
    return found;
}

NVTXH_I_LINKONCE bool nvtxh_capture_start(const char *name, unsigned flags) {
    return nvtxh_i_capture_begin(name, flags, false) != 0;
}

NVTXH_I_LINKONCE bool nvtxh_capture_stop(void) {
    return __atomic_load_n(&nvtxh_i_captures.last, __ATOMIC_RELAXED) && nvtxh_i_capture_end(0);
}

NVTXH_I_LINKONCE bool nvtxh_capture_enabled(void) {
    return nvtxh_listening() && NVTXH_I_TOOL_FUNCTION(nvtxDomainRangeStartEx);
}

NVTXH_I_LINKONCE bool nvtxh_capture_active(void) {
    bool active = false;
    int cancel = 0;
    size_t i;

    if (!__atomic_load_n(&nvtxh_i_captures.last, __ATOMIC_RELAXED) || !nvtxh_i_lock(&cancel)) {
        return false;
    }
    nvtxh_i_captures_own();
    for (i = 0; i < NVTXH_CAPTURE_MAX; i++) {
        active |= nvtxh_i_captures.open[i].number != 0;
    }
    nvtxh_i_unlock(cancel);
    return active;
}

NVTXH_I_C_END

#endif
