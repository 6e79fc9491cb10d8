/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DEVICE_BEGIN_H
#define NVTXH_DEVICE_BEGIN_H

/* Enqueuing what begins: ranges and marks. Not API; part of device.h. */

NVTXH_I_C_BEGIN

/* Give a slot to the graph that is being captured. From here on the graph frees it. */
static inline nvtxh_i_status nvtxh_i_device_give(struct nvtxh_i_device_slot *slot, uint64_t token,
                                                 nvtxh_i_graph graph,
                                                 nvtxh_i_user_object *ret_object)
{
    nvtxh_i_status before = nvtxh_i_cuda.peek_error(), status;

    status = nvtxh_i_cuda_result(
        before,
        nvtxh_i_cuda.user_object_create(
            ret_object, NVTXH_I_BITS(void *, token), nvtxh_i_host_destroy, 1,
            NVTXH_I_CUDA(cudaUserObjectNoDestructorSync, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)));
    if (status != NVTXH_I_SUCCESS) {
        nvtxh_i_slot_free(slot);
        return status;
    }
    status = nvtxh_i_cuda_result(
        before, nvtxh_i_cuda.graph_retain(
                    graph, *ret_object, 1,
                    NVTXH_I_CUDA(cudaGraphUserObjectMove, CU_GRAPH_USER_OBJECT_MOVE)));
    if (status != NVTXH_I_SUCCESS)
        (void)nvtxh_i_cuda_result(before, nvtxh_i_cuda.user_object_release(*ret_object, 1));
    return status;
}

/* Enqueue what begins a filled slot and ends PREVIOUS, which is claimed, or 0. */
static inline nvtxh_i_status nvtxh_i_device_begin(struct nvtxh_i_device_slot *slot,
                                                  nvtxh_i_graph graph, uint64_t previous)
{
    bool event_only = slot->mode && !(slot->mode & NVTXH_DEVICE_INTERVAL);
    /* Once it waits, the slot may be given up, and be another's. */
    bool captured = slot->capture != 0;
    nvtxh_i_stream stream = slot->stream;
    uint64_t state = nvtxh_i_slot_load(slot), token = nvtxh_i_slot_token(slot, state), mine;
    nvtxh_i_status status = NVTXH_I_SUCCESS, before = nvtxh_i_cuda.peek_error();
    nvtxh_i_user_object object = NVTXH_I_NULL;

    __atomic_store_n(&slot->previous, previous, __ATOMIC_RELAXED);
    state = nvtxh_i_slot_in_phase(state, event_only && !captured ? NVTXH_I_SLOT_OPEN
                                                                 : NVTXH_I_SLOT_WAITING);
    if (captured)
        state |= NVTXH_I_SLOT_CAPTURED;
    __atomic_store_n(&slot->state, state, __ATOMIC_RELEASE);
    if (captured)
        status = nvtxh_i_device_give(slot, token, graph, &object);
    if (status != NVTXH_I_SUCCESS)
        return status;
    if (!event_only)
        status =
            nvtxh_i_device_launch(stream, previous ? nvtxh_i_host_next : nvtxh_i_host_begin, token);
    else if (previous)
        status = nvtxh_i_device_launch(stream, nvtxh_i_host_end, previous);
    if (status == NVTXH_I_SUCCESS)
        return status;
    mine = state;
    if (captured)
        (void)nvtxh_i_cuda_result(before, nvtxh_i_cuda.graph_release(graph, object, 1));
    else if (nvtxh_i_slot_change(slot, &mine, nvtxh_i_slot_in_phase(state, NVTXH_I_SLOT_ENDING)))
        nvtxh_i_slot_free(slot);
    return status;
}

/* A slot for what is to be enqueued, up to its event; NULL, with a status, for nothing. */
static inline struct nvtxh_i_device_slot *nvtxh_i_device_take(unsigned verb, nvtxh_i_stream stream,
                                                              struct nvtxh_device_range *range,
                                                              nvtxh_i_graph *ret_graph,
                                                              uint64_t *ret_previous,
                                                              nvtxh_i_status *ret_status)
{
    struct nvtxh_device_range previous = {NVTXH_I_NULL, 0};
    struct nvtxh_i_device_slot *slot;
    nvtxh_i_capture_id capture = 0;

    *ret_previous = 0;
    if (verb != NVTXH_I_DEVICE_MARK && !range) {
        *ret_status = NVTXH_I_CUDA(cudaErrorInvalidValue, CUDA_ERROR_INVALID_VALUE);
        return NVTXH_I_NULL;
    }
    if (verb == NVTXH_I_DEVICE_NEXT)
        previous = *range;
    if (nvtxh_i_device_exiting()) {
        *ret_status =
            nvtxh_i_device_none(NVTXH_I_CAST(enum nvtxh_i_device_verb, verb), stream, range);
        return NVTXH_I_NULL;
    }
    if (previous.nvtxh_i_home && previous.nvtxh_i_home != &nvtxh_i_device) {
        *ret_status = previous.nvtxh_i_home->end(stream, previous); /* of another linked object */
        previous.nvtxh_i_home = NVTXH_I_NULL;
        if (*ret_status != NVTXH_I_SUCCESS)
            return NVTXH_I_NULL;
    }
    *ret_status = nvtxh_i_device_prepare()
                      ? nvtxh_i_device_capture(stream, &capture, ret_graph)
                      : NVTXH_I_CUDA(cudaErrorInitializationError, CUDA_ERROR_NOT_INITIALIZED);
    if (*ret_status != NVTXH_I_SUCCESS) {
        nvtxh_i_tally(&nvtxh_i_device.cancelled);
        if (previous.nvtxh_i_home && capture)
            return NVTXH_I_NULL; /* the range stays as it is */
        if (previous.nvtxh_i_home &&
            nvtxh_i_device_claim(previous.nvtxh_i_token, NVTXH_I_ANY_CAPTURE) == NVTXH_I_SUCCESS)
            nvtxh_i_device_cancel(previous.nvtxh_i_token);
    } else if (previous.nvtxh_i_home) {
        *ret_status = nvtxh_i_device_claim(previous.nvtxh_i_token, capture);
        if (*ret_status ==
            NVTXH_I_CUDA(cudaErrorStreamCaptureIsolation, CUDA_ERROR_STREAM_CAPTURE_ISOLATION))
            return NVTXH_I_NULL;
        *ret_previous = *ret_status == NVTXH_I_SUCCESS ? previous.nvtxh_i_token : 0;
    }
    if (range)
        range->nvtxh_i_home = NVTXH_I_NULL;
    if (*ret_status != NVTXH_I_SUCCESS)
        return NVTXH_I_NULL;
    slot = nvtxh_i_slot_take();
    if (!slot) {
        if (*ret_previous)
            (void)nvtxh_i_device_end_claimed(stream, *ret_previous);
        *ret_status = NVTXH_I_CUDA(cudaErrorMemoryAllocation, CUDA_ERROR_OUT_OF_MEMORY);
        return NVTXH_I_NULL;
    }
    __atomic_store_n(&slot->stream, stream, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->capture, capture, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->mode, verb == NVTXH_I_DEVICE_MARK ? 0 : nvtxh_device_mode(),
                     __ATOMIC_RELAXED);
    return slot;
}

/* The slot has its event: enqueue it. */
static inline nvtxh_i_status nvtxh_i_device_put(struct nvtxh_i_device_slot *slot,
                                                struct nvtxh_domain *domain,
                                                const nvtxEventAttributes_t *event,
                                                struct nvtxh_device_range *range,
                                                nvtxh_i_graph graph, uint64_t previous)
{
    uint64_t token = nvtxh_i_slot_token(slot, nvtxh_i_slot_load(slot));
    nvtxh_i_status status;

    slot->domain = domain;
    memcpy(slot->event, event, sizeof(slot->event));
    status = nvtxh_i_device_begin(slot, graph, previous);
    if (status != NVTXH_I_SUCCESS) {
        nvtxh_i_tally(&nvtxh_i_device.cancelled);
        if (previous)
            nvtxh_i_device_cancel(previous);
    } else if (range) {
        range->nvtxh_i_home = &nvtxh_i_device;
        range->nvtxh_i_token = token;
    }
    return status;
}

NVTXH_I_LINKONCE nvtxh_i_status nvtxh_i_device_do(const struct nvtxh_i_site *site, uint64_t what,
                                                  nvtxh_i_stream stream,
                                                  struct nvtxh_device_range *range,
                                                  struct nvtxh_domain *domain,
                                                  struct nvtxh_category *category, uint64_t payload)
{
    struct nvtxh_i_device_slot *slot;
    struct nvtxh_i_whole_event event;
    nvtxh_i_graph graph = NVTXH_I_NULL;
    nvtxh_i_status status;
    uint64_t previous;

    slot = nvtxh_i_device_take(what & 0xff, stream, range, &graph, &previous, &status);
    if (!slot)
        return status;
    nvtxh_i_event(&event, site, domain, category, NVTXH_I_CAST(uint32_t, what >> 32),
                  NVTXH_I_BITS(const struct nvtxh_i_payload_type *,
                               NVTXH_I_CAST(uintptr_t, (what >> 8) & 0xff)),
                  payload);
    return nvtxh_i_device_put(slot, domain, &event.nvtx, range, graph, previous);
}

NVTXH_I_LINKONCE nvtxh_i_status nvtxh_i_device_dof(const struct nvtxh_i_site *site,
                                                   enum nvtxh_i_device_verb verb,
                                                   nvtxh_i_stream stream,
                                                   struct nvtxh_device_range *range,
                                                   const char *format, ...)
{
    int length, saved_errno = errno;
    struct nvtxh_i_device_slot *slot;
    nvtxEventAttributes_t event;
    nvtxh_i_graph graph = NVTXH_I_NULL;
    nvtxh_i_status status;
    uint64_t previous;
    va_list args;

    slot = nvtxh_i_device_take(verb, stream, range, &graph, &previous, &status);
    if (!slot)
        return status;
    va_start(args, format);
    length = vsnprintf(slot->text, sizeof(slot->text), format, args);
    va_end(args);
    if (length >= NVTXH_I_CAST(int, sizeof(slot->text)))
        nvtxh_i_cut(slot->text, sizeof(slot->text), length);
    errno = saved_errno;
    nvtxh_i_eventf(&event, site, length < 0 ? format : slot->text);
    return nvtxh_i_device_put(slot, site->domain, &event, range, graph, previous);
}

NVTXH_I_C_END

#endif
