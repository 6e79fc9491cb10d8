/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DEVICE_LIFE_H
#define NVTXH_DEVICE_LIFE_H

/*
 * The beginning and the end of device ranges in a process, what is asked of all of them at once, and
 * the names of things. Not API; part of device.h.
 */

#include <poll.h>

#define NVTXH_I_MODE_SET 0x80000000u
#define NVTXH_I_BAD_HANDLE NVTXH_I_CUDA(cudaErrorInvalidResourceHandle, CUDA_ERROR_INVALID_HANDLE)

/* dladdr(), which strict C hides, with a struct of our own for its answer. */
struct nvtxh_i_dl_info {
    const char *file;
    void *base;
    const char *symbol;
    void *address;
};

NVTXH_I_C_BEGIN

extern int nvtxh_i_dladdr(const void *address, struct nvtxh_i_dl_info *ret_info) __asm__("dladdr");
NVTXH_I_COLD bool nvtxh_i_device_prepare_once(void);
NVTXH_I_COLD void nvtxh_i_device_on_exit(void);
NVTXH_I_COLD void nvtxh_i_device_in_child(void);

NVTXH_I_ONCE void nvtxh_i_device_on_exit(void)
{
    __atomic_store_n(&nvtxh_i_device.exiting, NVTXH_I_CAST(unsigned char, 1), __ATOMIC_RELEASE);
}

/* The ranges are the parent's: here nothing is going to call for them. */
NVTXH_I_ONCE void nvtxh_i_device_in_child(void)
{
    uint32_t i, n = nvtxh_i_device_used();

    __atomic_store_n(&nvtxh_i_device.free_slots, NVTXH_I_CAST(uint64_t, 0), __ATOMIC_RELAXED);
    for (i = n; i-- > 0;) {
        struct nvtxh_i_device_slot *slot = &nvtxh_i_slots[i];
        uint64_t generation = (nvtxh_i_slot_load(slot) >> 32) + 1;

        __atomic_store_n(&slot->state, generation << 32, __ATOMIC_RELEASE);
        nvtxh_i_slot_put(slot);
    }
    nvtxh_i_device.lost = nvtxh_i_device.cancelled = nvtxh_i_device.exhausted = 0;
}

/* Words of interval, event and wait, separated by commas; others are nobody's. */
static inline unsigned nvtxh_i_device_mode_of(const char *words)
{
    static const char *const names[] = {"interval", "event", "wait"};
    unsigned mode = 0, i;

    for (; words; words = strchr(words, ',') ? strchr(words, ',') + 1 : NVTXH_I_NULL)
        for (i = 0; i < 3; i++) {
            size_t n = strlen(names[i]);

            if (!strncmp(words, names[i], n) && (!words[n] || words[n] == ','))
                mode |= 1u << i;
        }
    return mode;
}

NVTXH_I_LINKONCE void nvtxh_device_set_mode(unsigned mode)
{
    mode &= NVTXH_DEVICE_INTERVAL | NVTXH_DEVICE_EVENT | NVTXH_DEVICE_WAIT;
    if (!(mode & (NVTXH_DEVICE_INTERVAL | NVTXH_DEVICE_EVENT)))
        mode |= NVTXH_DEVICE_INTERVAL;
    __atomic_store_n(&nvtxh_i_device.mode, mode | NVTXH_I_MODE_SET, __ATOMIC_RELAXED);
}

NVTXH_I_LINKONCE unsigned nvtxh_device_mode(void)
{
    uint32_t mode = __atomic_load_n(&nvtxh_i_device.mode, __ATOMIC_RELAXED);

    if (NVTXH_I_UNLIKELY(!mode)) {
        nvtxh_device_set_mode(nvtxh_i_device_mode_of(getenv("NVTXH_DEVICE_MODE")));
        mode = __atomic_load_n(&nvtxh_i_device.mode, __ATOMIC_RELAXED);
    }
    return mode & ~NVTXH_I_MODE_SET;
}

NVTXH_I_STRAIGHT uint32_t nvtxh_i_device_mode(void)
{
    uint32_t mode = __atomic_load_n(&nvtxh_i_device.mode, __ATOMIC_RELAXED);

    return NVTXH_I_UNLIKELY(!mode) ? nvtxh_device_mode() : mode & ~NVTXH_I_MODE_SET;
}

/*
 * Before the first range is enqueued. From then on a stream or a graph may call into this linked object
 * at any time, so that it has to stay.
 */
NVTXH_I_ONCE bool nvtxh_i_device_prepare_once(void)
{
    struct nvtxh_i_dl_info info;
    int cancel = 0, saved_errno = errno;
    bool locked = nvtxh_i_lock(&cancel);

    if (!nvtxh_i_device.ready && nvtxh_i_cuda_load()) {
        if (nvtxh_i_dladdr(&nvtxh_i_device, &info) && info.file)
            (void)dlopen(info.file, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
        pthread_atfork(NVTXH_I_NULL, NVTXH_I_NULL, nvtxh_i_device_in_child);
        atexit(nvtxh_i_device_on_exit);
        __atomic_store_n(&nvtxh_i_device.ready, NVTXH_I_CAST(unsigned char, 1), __ATOMIC_RELEASE);
    }
    if (locked)
        nvtxh_i_unlock(cancel);
    errno = saved_errno;
    return nvtxh_i_device.ready;
}

NVTXH_I_STRAIGHT bool nvtxh_i_device_prepare(void)
{
    return __atomic_load_n(&nvtxh_i_device.ready, __ATOMIC_ACQUIRE) ||
           nvtxh_i_device_prepare_once();
}

NVTXH_I_ONCE nvtxh_i_status nvtxh_i_device_count(struct nvtxh_device_counts *ret_counts)
{
    struct nvtxh_device_counts counts = {0, 0, 0, 0, 0, 0};
    uint32_t i, n = nvtxh_i_device_used();

    if (!ret_counts)
        return NVTXH_I_CUDA(cudaErrorInvalidValue, CUDA_ERROR_INVALID_VALUE);
    for (i = 0; i < n; i++) {
        uint64_t state = nvtxh_i_slot_load(&nvtxh_i_slots[i]);
        uint32_t phase = nvtxh_i_slot_phase(state);

        if (phase == NVTXH_I_SLOT_FREE)
            continue;
        if (state & NVTXH_I_SLOT_CAPTURED)
            counts.captured++;
        else if (phase == NVTXH_I_SLOT_OPEN && !(state & NVTXH_I_SLOT_END_SENT))
            counts.open++;
        else
            counts.pending++;
    }
    counts.lost = __atomic_load_n(&nvtxh_i_device.lost, __ATOMIC_RELAXED);
    counts.cancelled = __atomic_load_n(&nvtxh_i_device.cancelled, __ATOMIC_RELAXED);
    counts.exhausted = __atomic_load_n(&nvtxh_i_device.exhausted, __ATOMIC_RELAXED);
    *ret_counts = counts;
    return NVTXH_I_SUCCESS;
}

NVTXH_I_LINKONCE nvtxh_i_status nvtxh_device_drain(int timeout_ms)
{
    struct nvtxh_device_counts counts;
    int turn, waited_ms = 0, saved_errno = errno;

    for (turn = 0;; turn++) {
        (void)nvtxh_i_device_count(&counts);
        if (!counts.pending || (timeout_ms >= 0 && waited_ms >= timeout_ms))
            break;
        if (turn < 100) {
            sched_yield();
        } else {
            poll(NVTXH_I_NULL, 0, 1);
            waited_ms += timeout_ms >= 0;
        }
    }
    errno = saved_errno;
    return counts.pending ? NVTXH_I_CUDA(cudaErrorNotReady, CUDA_ERROR_NOT_READY) : NVTXH_I_SUCCESS;
}

NVTXH_I_LINKONCE nvtxh_i_status nvtxh_device_abandon(void)
{
    uint32_t i, n = nvtxh_i_device_used();

    for (i = 0; i < n; i++) {
        struct nvtxh_i_device_slot *slot = &nvtxh_i_slots[i];
        uint64_t state = nvtxh_i_slot_load(slot), to;
        uint32_t phase;

        do {
            phase = nvtxh_i_slot_phase(state);
            to = phase == NVTXH_I_SLOT_BEGINNING
                     ? state | NVTXH_I_SLOT_OVER
                     : nvtxh_i_slot_in_phase(state, NVTXH_I_SLOT_ENDING);
        } while (phase != NVTXH_I_SLOT_FREE && phase != NVTXH_I_SLOT_ENDING &&
                 !(state & NVTXH_I_SLOT_CAPTURED) && !nvtxh_i_slot_change(slot, &state, to));
        if (phase == NVTXH_I_SLOT_FREE || phase == NVTXH_I_SLOT_ENDING ||
            (state & NVTXH_I_SLOT_CAPTURED))
            continue;
        if (!(state & NVTXH_I_SLOT_OVER)) /* or it has been counted */
            nvtxh_i_tally(&nvtxh_i_device.lost);
        if (phase == NVTXH_I_SLOT_OPEN)
            nvtxh_i_slot_tell_end(slot, slot->id, false);
        if (phase != NVTXH_I_SLOT_BEGINNING)
            nvtxh_i_slot_free(slot);
    }
    return NVTXH_I_SUCCESS;
}

/* --- names: the tool's own functions, whose types are those of CUDA's handles -------------------- */

#define NVTXH_I_NAMER(function) NVTXH_I_NVTX(function)
#define NVTXH_I_NAME_CUDA(runtime, driver, type, handle, name)                                     \
    do {                                                                                           \
        void (*tell)(type, const char *);                                                          \
                                                                                                   \
        if (nvtxh_listening() && NVTXH_I_NAMER(NVTXH_I_CUDA(runtime, driver))) {                   \
            memcpy(&tell, &NVTXH_I_NAMER(NVTXH_I_CUDA(runtime, driver)), sizeof(tell));            \
            tell(handle, name);                                                                    \
        }                                                                                          \
    } while (0)

NVTXH_I_LINKONCE void nvtxh_stream_name(nvtxh_i_stream stream, const char *name)
{
    NVTXH_I_NAME_CUDA(nvtxNameCudaStreamA, nvtxNameCuStreamA, nvtxh_i_stream, stream, name);
}

NVTXH_I_LINKONCE void nvtxh_device_name(int device, const char *name)
{
    NVTXH_I_NAME_CUDA(nvtxNameCudaDeviceA, nvtxNameCuDeviceA, int, device, name);
}

NVTXH_I_LINKONCE void nvtxh_event_name(NVTXH_I_CUDA(cudaEvent_t, CUevent) event, const char *name)
{
    NVTXH_I_NAME_CUDA(nvtxNameCudaEventA, nvtxNameCuEventA, NVTXH_I_CUDA(cudaEvent_t, CUevent),
                      event, name);
}

NVTXH_I_LINKONCE void nvtxh_context_name(struct CUctx_st *context, const char *name)
{
    NVTXH_I_NAME_CUDA(nvtxNameCuContextA, nvtxNameCuContextA, struct CUctx_st *, context, name);
}

NVTXH_I_C_END

#endif
