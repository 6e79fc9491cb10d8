/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DEVICE_BEGIN_H
#define NVTXH_DEVICE_BEGIN_H

/* Enqueuing what begins: ranges and marks. Not API; part of device.h. */

NVTXH_I_C_BEGIN

/* What is asked for, and what CUDA says of the stream. */
struct nvtxh_i_device_order {
    enum nvtxh_i_device_verb verb;
    nvtxh_i_status before; /* see nvtxh_i_device_capture() */
    nvtxh_i_stream stream;
    struct nvtxh_device_range *range;
    nvtxh_i_capture_id capture;
    nvtxh_i_graph graph;
    uint64_t previous; /* the token of what ends with it, which is claimed; or 0 */
    uint64_t token;
    uint32_t mode; /* 0: a mark */
};

/* Give a slot to the graph that is being captured. From here on the graph frees it. */
NVTXH_I_COLD_HERE nvtxh_i_status nvtxh_i_device_give(struct nvtxh_i_device_slot *slot,
                                                     const struct nvtxh_i_device_order *order,
                                                     nvtxh_i_user_object *ret_object)
{
    nvtxh_i_status status;

    status = nvtxh_i_cuda_result(
        order->before,
        nvtxh_i_cuda.user_object_create(
            ret_object, NVTXH_I_BITS(void *, order->token), nvtxh_i_host_destroy, 1,
            NVTXH_I_CUDA(cudaUserObjectNoDestructorSync, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)));
    if (status != NVTXH_I_SUCCESS) {
        nvtxh_i_slot_free(slot);
        return status;
    }
    status = nvtxh_i_cuda_result(
        order->before, nvtxh_i_cuda.graph_retain(
                           order->graph, *ret_object, 1,
                           NVTXH_I_CUDA(cudaGraphUserObjectMove, CU_GRAPH_USER_OBJECT_MOVE)));
    if (status != NVTXH_I_SUCCESS)
        (void)nvtxh_i_cuda_result(order->before, nvtxh_i_cuda.user_object_release(*ret_object, 1));
    return status;
}

/* Enqueue what begins a slot that is filled, and ends the previous one. */
NVTXH_I_STRAIGHT nvtxh_i_status nvtxh_i_device_begin(struct nvtxh_i_device_slot *slot,
                                                     const struct nvtxh_i_device_order *order)
{
    bool event_only = order->mode && !(order->mode & NVTXH_DEVICE_INTERVAL);
    uint64_t state = order->token & ~NVTXH_I_CAST(uint64_t, UINT32_MAX), mine;
    nvtxh_i_status status = NVTXH_I_SUCCESS;
    nvtxh_i_user_object object = NVTXH_I_NULL;

    state |= order->capture ? NVTXH_I_SLOT_WAITING | NVTXH_I_SLOT_CAPTURED
             : event_only   ? NVTXH_I_SLOT_OPEN
                            : NVTXH_I_SLOT_WAITING;
    /* From here on the slot may be given up, and be another's. */
    __atomic_store_n(&slot->state, state, __ATOMIC_RELEASE);
    if (NVTXH_I_UNLIKELY(order->capture))
        status = nvtxh_i_device_give(slot, order, &object);
    if (NVTXH_I_UNLIKELY(status != NVTXH_I_SUCCESS))
        return status;
    if (!event_only)
        status = nvtxh_i_device_launch(order->before, order->stream,
                                       order->previous ? nvtxh_i_host_next : nvtxh_i_host_begin,
                                       order->token);
    else if (order->previous)
        status =
            nvtxh_i_device_launch(order->before, order->stream, nvtxh_i_host_end, order->previous);
    if (status == NVTXH_I_SUCCESS)
        return status;
    mine = state;
    if (order->capture)
        (void)nvtxh_i_cuda_result(order->before,
                                  nvtxh_i_cuda.graph_release(order->graph, object, 1));
    else if (nvtxh_i_slot_change(slot, &mine, nvtxh_i_slot_in_phase(state, NVTXH_I_SLOT_ENDING)))
        nvtxh_i_slot_free(slot);
    return status;
}

/* CUDA has answered with STATUS what was asked of the stream. */
NVTXH_I_COLD_HERE nvtxh_i_status nvtxh_i_device_refused(const struct nvtxh_i_device_order *order,
                                                        nvtxh_i_status status)
{
    struct nvtxh_device_range previous = {0};

    nvtxh_i_tally(&nvtxh_i_device.cancelled);
    if (order->verb == NVTXH_I_DEVICE_NEXT)
        previous = *order->range;
    if (nvtxh_i_device_home(previous) && order->capture)
        return status; /* the range stays as it is */
    if (nvtxh_i_device_home(previous) &&
        nvtxh_i_device_claim(nvtxh_i_device_token(previous), NVTXH_I_ANY_CAPTURE) ==
            NVTXH_I_SUCCESS)
        nvtxh_i_device_cancel(nvtxh_i_device_token(previous));
    if (order->range)
        order->range->nvtxh_i_value = 0;
    return status;
}

/* A range of another linked object is ended there; then there is none. */
NVTXH_I_COLD_HERE nvtxh_i_status nvtxh_i_device_end_there(nvtxh_i_stream stream,
                                                          struct nvtxh_device_range *range)
{
    nvtxh_i_status status = nvtxh_i_device_home(*range)->end(stream, *range);

    if (status == NVTXH_I_SUCCESS)
        range->nvtxh_i_value = 0;
    return status;
}

/* A slot for what is to be enqueued, up to its event; NULL, with a status, for nothing. */
NVTXH_I_STRAIGHT struct nvtxh_i_device_slot *nvtxh_i_device_take(struct nvtxh_i_device_order *order,
                                                                 nvtxh_i_status *ret_status)
{
    struct nvtxh_device_range *range = order->range;
    struct nvtxh_i_device_slot *slot;
    bool next = order->verb == NVTXH_I_DEVICE_NEXT;

    order->previous = 0;
    if (order->verb != NVTXH_I_DEVICE_MARK && NVTXH_I_UNLIKELY(!range)) {
        *ret_status = NVTXH_I_CUDA(cudaErrorInvalidValue, CUDA_ERROR_INVALID_VALUE);
        return NVTXH_I_NULL;
    }
    if (NVTXH_I_UNLIKELY(nvtxh_i_device_exiting())) {
        *ret_status = nvtxh_i_device_none(order->verb, order->stream, range);
        return NVTXH_I_NULL;
    }
    if (next && nvtxh_i_device_home(*range) &&
        NVTXH_I_UNLIKELY(nvtxh_i_device_home(*range) != &nvtxh_i_device)) {
        *ret_status = nvtxh_i_device_end_there(order->stream, range);
        if (*ret_status != NVTXH_I_SUCCESS)
            return NVTXH_I_NULL;
    }
    *ret_status = NVTXH_I_CUDA(cudaErrorInitializationError, CUDA_ERROR_NOT_INITIALIZED);
    order->capture = 0;
    order->graph = NVTXH_I_NULL;
    if (nvtxh_i_device_prepare()) {
        order->before = nvtxh_i_cuda.peek_error();
        *ret_status =
            nvtxh_i_device_capture(order->before, order->stream, &order->capture, &order->graph);
    }
    if (NVTXH_I_UNLIKELY(*ret_status != NVTXH_I_SUCCESS)) {
        *ret_status = nvtxh_i_device_refused(order, *ret_status);
        return NVTXH_I_NULL;
    }
    if (next && nvtxh_i_device_home(*range)) {
        *ret_status = nvtxh_i_device_claim(nvtxh_i_device_token(*range), order->capture);
        if (NVTXH_I_UNLIKELY(*ret_status != NVTXH_I_SUCCESS)) {
            if (*ret_status !=
                NVTXH_I_CUDA(cudaErrorStreamCaptureIsolation, CUDA_ERROR_STREAM_CAPTURE_ISOLATION))
                range->nvtxh_i_value = 0;
            return NVTXH_I_NULL;
        }
        order->previous = nvtxh_i_device_token(*range);
    }
    if (range)
        range->nvtxh_i_value = 0;
    slot = nvtxh_i_slot_take(&order->token);
    if (NVTXH_I_UNLIKELY(!slot)) {
        if (order->previous)
            (void)nvtxh_i_device_end_claimed(order->before, order->stream, order->previous);
        *ret_status = NVTXH_I_CUDA(cudaErrorMemoryAllocation, CUDA_ERROR_OUT_OF_MEMORY);
        return NVTXH_I_NULL;
    }
    order->mode = order->verb == NVTXH_I_DEVICE_MARK ? 0 : nvtxh_i_device_mode();
    return slot;
}

/* The slot has its event: enqueue it. */
NVTXH_I_STRAIGHT nvtxh_i_status nvtxh_i_device_put(struct nvtxh_i_device_slot *slot,
                                                   const struct nvtxh_i_device_order *order,
                                                   struct nvtxh_domain *domain)
{
    nvtxh_i_status status;

    slot->domain = domain;
    __atomic_store_n(&slot->stream, order->stream, __ATOMIC_RELEASE);
    __atomic_store_n(&slot->mode, order->mode, __ATOMIC_RELEASE);
    __atomic_store_n(&slot->capture, order->capture, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->previous, order->previous, __ATOMIC_RELEASE);
    status = nvtxh_i_device_begin(slot, order);
    if (NVTXH_I_UNLIKELY(status != NVTXH_I_SUCCESS)) {
        nvtxh_i_tally(&nvtxh_i_device.cancelled);
        if (order->previous)
            nvtxh_i_device_cancel(order->previous);
    } else if (order->range) {
        *order->range = nvtxh_i_device_range(&nvtxh_i_device, order->token);
    }
    return status;
}

NVTXH_I_STRAIGHT struct nvtxh_attr nvtxh_i_device_attr(uint64_t what, struct nvtxh_domain *domain,
                                                       struct nvtxh_category *category,
                                                       uint64_t payload)
{
    struct nvtxh_payload_value value;

    value.nvtxh_i_type = NVTXH_I_BITS(const struct nvtxh_i_payload_type *,
                                      NVTXH_I_CAST(uintptr_t, (what >> 8) & 0xff));
    value.nvtxh_i_bits = payload;
    return nvtxh_i_attr(domain, category, NVTXH_I_CAST(uint32_t, what >> 32), value);
}

/* The event of a slot where it does not lie ready. */
NVTXH_I_EVENT void nvtxh_i_device_fill(struct nvtxh_i_device_slot *slot,
                                       const struct nvtxh_i_site *site, uint64_t what,
                                       struct nvtxh_domain *domain, struct nvtxh_category *category,
                                       uint64_t payload);
NVTXH_I_ONCE void nvtxh_i_device_fill(struct nvtxh_i_device_slot *slot,
                                      const struct nvtxh_i_site *site, uint64_t what,
                                      struct nvtxh_domain *domain, struct nvtxh_category *category,
                                      uint64_t payload)
{
    const struct nvtxh_attr a = nvtxh_i_device_attr(what, domain, category, payload);
    struct nvtxh_i_whole_event event;

    nvtxh_i_event(&event, site, &a);
    memcpy(slot->event, &event.nvtx, sizeof(slot->event));
}

NVTXH_I_ONCE nvtxh_i_status nvtxh_i_device_do(const struct nvtxh_i_site *site, uint64_t what,
                                              nvtxh_i_stream stream,
                                              struct nvtxh_device_range *range,
                                              struct nvtxh_domain *domain,
                                              struct nvtxh_category *category, uint64_t payload)
{
    struct nvtxh_i_device_order order;
    struct nvtxh_i_device_slot *slot;
    nvtxh_i_status status;

    const struct nvtxh_attr a = nvtxh_i_device_attr(what, domain, category, payload);
    order.verb = NVTXH_I_CAST(enum nvtxh_i_device_verb, what & 0xff);
    order.stream = stream;
    order.range = range;
    slot = nvtxh_i_device_take(&order, &status);
    if (NVTXH_I_UNLIKELY(!slot))
        return status;
    if (!nvtxh_i_event_ready(NVTXH_I_BITS(nvtxEventAttributes_t *, &slot->event[0]),
                             nvtxh_i_ready(site, domain, nvtxh_i_tool_alone()), &a))
        nvtxh_i_device_fill(slot, site, what, domain, category, payload);
    return nvtxh_i_device_put(slot, &order, domain);
}

NVTXH_I_ONCE nvtxh_i_status nvtxh_i_device_dof(const struct nvtxh_i_site *site,
                                               enum nvtxh_i_device_verb verb, nvtxh_i_stream stream,
                                               struct nvtxh_device_range *range, const char *format,
                                               ...)
{
    int length, saved_errno = errno;
    struct nvtxh_i_device_order order;
    struct nvtxh_i_device_slot *slot;
    nvtxEventAttributes_t event;
    nvtxh_i_status status;
    va_list args;

    order.verb = verb;
    order.stream = stream;
    order.range = range;
    slot = nvtxh_i_device_take(&order, &status);
    if (!slot)
        return status;
    va_start(args, format);
    length = vsnprintf(slot->text, sizeof(slot->text), format, args);
    va_end(args);
    if (length >= NVTXH_I_CAST(int, sizeof(slot->text)))
        nvtxh_i_cut(slot->text, sizeof(slot->text), length);
    errno = saved_errno;
    nvtxh_i_eventf(&event, site, length < 0 ? format : slot->text);
    memcpy(slot->event, &event, sizeof(slot->event));
    return nvtxh_i_device_put(slot, &order, site->domain);
}

NVTXH_I_C_END

#endif
