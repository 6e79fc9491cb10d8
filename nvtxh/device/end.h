/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DEVICE_END_H
#define NVTXH_DEVICE_END_H

/* Enqueues the ends of ranges. Not API. */

#include "callbacks.h"
#include "calls.h"
#include "entry.h"
#include "pool.h"

NVTXH_I_C_BEGIN

NVTXH_I_LINKONCE struct nvtxh_i_device_pool nvtxh_i_device = {
    nvtxh_i_device_end, 0, 0, 0, 0, 0, 0, 0, 0};

/* Claims the end of a range: sets END_SENT, which only one thread can do, once. A range must end in
 * the stream capture that it began in: CAPTURE is the number of the caller's capture, or 0. Callers
 * that cancel a range pass ANY_CAPTURE. */
NVTXH_I_HOT nvtxh_i_status nvtxh_i_device_claim(uint64_t token, nvtxh_i_capture_id capture) {
    struct nvtxh_i_device_slot *slot = nvtxh_i_slot_at(token);
    uint64_t state;

    if (!slot) {
        return NVTXH_I_BAD_HANDLE;
    }
    state = nvtxh_i_slot_load(slot);
    do {
        if (!nvtxh_i_slot_holds(state, token) || nvtxh_i_slot_phase(state) == NVTXH_I_SLOT_ENDING ||
            (state & (NVTXH_I_SLOT_END_SENT | NVTXH_I_SLOT_OVER))) {
            return NVTXH_I_BAD_HANDLE;
        }
        if (capture != NVTXH_I_ANY_CAPTURE &&
            capture != __atomic_load_n(&slot->capture, __ATOMIC_RELAXED)) {
            return NVTXH_I_OTHER_CAPTURE;
        }
    } while (!nvtxh_i_slot_change(slot, &state, state | NVTXH_I_SLOT_END_SENT));
    return NVTXH_I_SUCCESS;
}

/* Cancels a range that the caller has claimed, because CUDA has refused its end. */
NVTXH_I_COLD void nvtxh_i_device_cancel(uint64_t token) {
    struct nvtxh_i_device_slot *slot = nvtxh_i_slot_at(token);
    uint64_t state = nvtxh_i_slot_load(slot);

    nvtxh_i_tally(&nvtxh_i_device.cancelled);
    while (nvtxh_i_slot_holds(state, token) && (state & NVTXH_I_SLOT_CAPTURED)) {
        if (nvtxh_i_slot_change(slot, &state, state & ~(uint64_t)NVTXH_I_SLOT_END_SENT)) {
            return; /* without END_SENT, no replay begins the range */
        }
    }
    nvtxh_i_token_end(token, false);
}

NVTXH_I_COLD void nvtxh_i_device_claim_and_cancel(uint64_t token) {
    if (nvtxh_i_device_claim(token, NVTXH_I_ANY_CAPTURE) == NVTXH_I_SUCCESS) {
        nvtxh_i_device_cancel(token);
    }
}

/* Enqueues the end of a range that the caller has claimed. */
NVTXH_I_HOT nvtxh_i_status nvtxh_i_device_end_claimed(nvtxh_i_status before, nvtxh_i_stream stream,
                                                      uint64_t token) {
    nvtxh_i_status status = nvtxh_i_device_launch(before, stream, nvtxh_i_host_end, token);

    if (status != NVTXH_I_SUCCESS) {
        nvtxh_i_device_cancel(token);
    }
    return status;
}

NVTXH_I_ENTRY_DEF nvtxh_i_status nvtxh_i_device_end(nvtxh_i_stream stream,
                                                    struct nvtxh_device_range range) {
    uint64_t token = nvtxh_i_device_token(range);
    nvtxh_i_capture_id capture;
    nvtxh_i_graph graph;
    nvtxh_i_status status, before;

    if (nvtxh_i_device_home(range) != &nvtxh_i_device) {
        return nvtxh_i_device_home(range)->end(stream, range);
    }
    before = nvtxh_i_cuda.peek_error();
    status = nvtxh_i_device_capture(before, stream, &capture, &graph);
    if (capture && status != NVTXH_I_SUCCESS) {
        return status; /* ranges begun in this capture are lost; others stay open */
    }
    if (status == NVTXH_I_SUCCESS) {
        status = nvtxh_i_device_claim(token, capture);
    } else {
        nvtxh_i_device_claim_and_cancel(token);
    }
    return status == NVTXH_I_SUCCESS ? nvtxh_i_device_end_claimed(before, stream, token) : status;
}

NVTXH_I_ENTRY_DEF void nvtxh_i_device_scope_end(uint64_t token) {
    struct nvtxh_i_device_slot *slot = nvtxh_i_slot_at(token);
    nvtxh_i_stream stream = __atomic_load_n(&slot->stream, __ATOMIC_ACQUIRE);
    uint32_t mode = __atomic_load_n(&slot->mode, __ATOMIC_ACQUIRE);
    uint64_t state = nvtxh_i_slot_load(slot); /* read last: shows if stream and mode are valid */
    nvtxh_i_capture_mode capture_mode;
    nvtxh_i_status status, before;

    if (!nvtxh_i_slot_holds(state, token)) {
        return; /* abandoned */
    }
    status = nvtxh_i_device_end(stream, nvtxh_i_device_range(&nvtxh_i_device, token));
    if (status != NVTXH_I_SUCCESS) {
        nvtxh_i_device_claim_and_cancel(token);
    }
    if (status != NVTXH_I_SUCCESS || !(mode & NVTXH_DEVICE_WAIT) ||
        (state & NVTXH_I_SLOT_CAPTURED)) {
        return;
    }
    before = nvtxh_i_cuda.peek_error();
    capture_mode = nvtxh_i_capture_mode_set(NVTXH_I_CAPTURE_RELAXED);
    (void)nvtxh_i_cuda_result(before, nvtxh_i_cuda.synchronize(stream));
    (void)nvtxh_i_capture_mode_set(capture_mode);
}

NVTXH_I_C_END

#endif
