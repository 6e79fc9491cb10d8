/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DEVICE_BEGIN_H
#define NVTXH_DEVICE_BEGIN_H

/* Enqueuing what begins: ranges and marks. Not API. */

#include "../impl/all.h"
#include "calls.h"
#include "control.h"
#include "end.h"
#include "pool.h"
#include "process.h"

#if NVTXH_I_IMPL

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

NVTXH_I_C_BEGIN

/* What is asked for, and what CUDA says of the stream. */
struct nvtxh_i_device_order {
    enum nvtxh_i_device_verb verb;
    nvtxh_i_status before; /* see calls.h */
    nvtxh_i_stream stream;
    struct nvtxh_device_range *range;
    nvtxh_i_capture_id capture;
    nvtxh_i_graph graph;
    uint64_t previous;                /* the token of what ends with it, which is claimed; or 0 */
    struct nvtxh_i_device_slot *slot; /* NULL: nothing is to be enqueued */
    uint64_t token;
    uint32_t mode; /* 0: a mark */
};

/* Give the slot to the graph that is being captured. From here on the graph frees it. */
NVTXH_I_COLD_HERE nvtxh_i_status nvtxh_i_device_give(const struct nvtxh_i_device_order *order)
{
    nvtxh_i_user_object object = NVTXH_I_NULL;
    nvtxh_i_status status = nvtxh_i_cuda_result(
        order->before,
        nvtxh_i_cuda.user_object_create(
            &object, NVTXH_I_BITS(void *, order->token), nvtxh_i_host_destroy, 1,
            NVTXH_I_CUDA(cudaUserObjectNoDestructorSync, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)));
    if (status != NVTXH_I_SUCCESS) {
        nvtxh_i_slot_free(order->slot);
        return status;
    }
    status = nvtxh_i_cuda_result(
        order->before, nvtxh_i_cuda.graph_retain(
                           order->graph, object, 1,
                           NVTXH_I_CUDA(cudaGraphUserObjectMove, CU_GRAPH_USER_OBJECT_MOVE)));
    if (status != NVTXH_I_SUCCESS)
        (void)nvtxh_i_cuda_result(order->before, nvtxh_i_cuda.user_object_release(object, 1));
    return status;
}

/* CUDA has answered with STATUS what was asked of the stream. */
NVTXH_I_COLD_HERE nvtxh_i_status nvtxh_i_device_refused(const struct nvtxh_i_device_order *order,
                                                        nvtxh_i_status status)
{
    bool ends = order->verb == NVTXH_I_DEVICE_NEXT && nvtxh_i_device_home(*order->range);

    nvtxh_i_tally(&nvtxh_i_device.cancelled);
    if (ends && order->capture)
        return status; /* the range stays as it is */
    if (ends)
        nvtxh_i_device_claim_and_cancel(nvtxh_i_device_token(*order->range));
    if (order->range)
        order->range->nvtxh_i_value = 0;
    return status;
}

/* Find out what is to be enqueued, and take a slot for it, up to its event. */
NVTXH_I_STRAIGHT nvtxh_i_status nvtxh_i_device_take(struct nvtxh_i_device_order *order,
                                                    enum nvtxh_i_device_verb verb,
                                                    nvtxh_i_stream stream,
                                                    struct nvtxh_device_range *range)
{
    nvtxh_i_status status;

    order->verb = verb;
    order->stream = stream;
    order->range = range;
    order->capture = 0;
    order->graph = NVTXH_I_NULL;
    order->previous = 0;
    order->slot = NVTXH_I_NULL;
    if (verb != NVTXH_I_DEVICE_MARK && NVTXH_I_UNLIKELY(!range))
        return NVTXH_I_BAD_VALUE;
    if (NVTXH_I_UNLIKELY(nvtxh_i_device_exiting()))
        return nvtxh_i_device_none(verb, stream, range);
    if (verb == NVTXH_I_DEVICE_NEXT && nvtxh_i_device_home(*range) &&
        NVTXH_I_UNLIKELY(nvtxh_i_device_home(*range) != &nvtxh_i_device)) {
        status = nvtxh_i_device_home(*range)->end(stream, *range);
        if (status != NVTXH_I_SUCCESS)
            return status;
        range->nvtxh_i_value = 0;
    }
    status = NVTXH_I_CUDA(cudaErrorInitializationError, CUDA_ERROR_NOT_INITIALIZED);
    if (nvtxh_i_device_prepare()) {
        order->before = nvtxh_i_cuda.peek_error();
        status = nvtxh_i_device_capture(order->before, stream, &order->capture, &order->graph);
    }
    if (NVTXH_I_UNLIKELY(status != NVTXH_I_SUCCESS))
        return nvtxh_i_device_refused(order, status);
    order->mode = nvtxh_i_device_mode();
    if (NVTXH_I_UNLIKELY(order->capture) && (order->mode & NVTXH_DEVICE_NO_CAPTURE))
        return nvtxh_i_device_none(verb, stream, range);
    if (verb == NVTXH_I_DEVICE_NEXT && nvtxh_i_device_home(*range)) {
        status = nvtxh_i_device_claim(nvtxh_i_device_token(*range), order->capture);
        if (NVTXH_I_UNLIKELY(status != NVTXH_I_SUCCESS)) {
            if (status != NVTXH_I_OTHER_CAPTURE)
                range->nvtxh_i_value = 0;
            return status;
        }
        order->previous = nvtxh_i_device_token(*range);
    }
    if (range)
        range->nvtxh_i_value = 0;
    if (verb == NVTXH_I_DEVICE_MARK)
        order->mode = 0;
    order->slot = nvtxh_i_slot_take(&order->token);
    if (NVTXH_I_UNLIKELY(!order->slot)) {
        if (order->previous)
            (void)nvtxh_i_device_end_claimed(order->before, stream, order->previous);
        return NVTXH_I_CUDA(cudaErrorMemoryAllocation, CUDA_ERROR_OUT_OF_MEMORY);
    }
    return NVTXH_I_SUCCESS;
}

/*
 * CUDA has refused what would begin the slot, whose state was STATE. In a capture the slot goes with the graph,
 * whose handle may be invalid after an error.
 */
NVTXH_I_COLD_HERE void nvtxh_i_device_take_back(const struct nvtxh_i_device_order *order,
                                                uint64_t state)
{
    uint64_t ending = nvtxh_i_slot_in_phase(state, NVTXH_I_SLOT_ENDING);

    if (!order->capture && nvtxh_i_slot_change(order->slot, &state, ending))
        nvtxh_i_slot_free(order->slot);
}

/* The slot has its event: enqueue what begins it, and ends the previous one. */
NVTXH_I_STRAIGHT nvtxh_i_status nvtxh_i_device_put(const struct nvtxh_i_device_order *order,
                                                   struct nvtxh_domain *domain)
{
    bool event_only = order->mode && !(order->mode & NVTXH_DEVICE_INTERVAL);
    uint64_t state = order->token & ~NVTXH_I_CAST(uint64_t, UINT32_MAX);
    struct nvtxh_i_device_slot *slot = order->slot;
    nvtxh_i_status status = NVTXH_I_SUCCESS;

    slot->domain = domain;
    __atomic_store_n(&slot->stream, order->stream, __ATOMIC_RELEASE);
    __atomic_store_n(&slot->mode, order->mode, __ATOMIC_RELEASE);
    __atomic_store_n(&slot->capture, order->capture, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->previous, order->previous, __ATOMIC_RELEASE);
    state |= order->capture ? NVTXH_I_SLOT_WAITING | NVTXH_I_SLOT_CAPTURED
             : event_only   ? NVTXH_I_SLOT_OPEN
                            : NVTXH_I_SLOT_WAITING;
    /* From here on the slot may be given up, and be another's. */
    __atomic_store_n(&slot->state, state, __ATOMIC_RELEASE);
    if (NVTXH_I_UNLIKELY(order->capture))
        status = nvtxh_i_device_give(order);
    if (__builtin_expect(status == NVTXH_I_SUCCESS, 1)) {
        if (!event_only)
            status = nvtxh_i_device_launch(order->before, order->stream,
                                           order->previous ? nvtxh_i_host_next : nvtxh_i_host_begin,
                                           order->token);
        else if (order->previous)
            status = nvtxh_i_device_launch(order->before, order->stream, nvtxh_i_host_end,
                                           order->previous);
        if (NVTXH_I_UNLIKELY(status != NVTXH_I_SUCCESS))
            nvtxh_i_device_take_back(order, state);
    }
    if (NVTXH_I_UNLIKELY(status != NVTXH_I_SUCCESS)) {
        nvtxh_i_tally(&nvtxh_i_device.cancelled);
        if (order->previous)
            nvtxh_i_device_cancel(order->previous);
    } else if (order->range) {
        *order->range = nvtxh_i_device_range(&nvtxh_i_device, order->token);
    }
    return status;
}

/*
 * The event of a slot where it does not lie ready. A payload that is no number is left out: it would have
 * changed by the time it reaches the tool.
 */
NVTXH_I_FN_EVENT(void nvtxh_i_device_fill(nvtxEventAttributes_t *event,
                                          const struct nvtxh_i_site *site,
                                          const struct nvtxh_attr *a))
{
    struct nvtxh_attr attributes = *a;
    struct nvtxh_i_whole_event whole;

    if (NVTXH_I_BITS(uintptr_t, a->payload.nvtxh_i_type) > NVTXH_I_PAYLOAD_LAST)
        attributes.payload = nvtxh_i_no_payload();
    nvtxh_i_event(&whole, site, &attributes);
    *event = whole.nvtx;
}

NVTXH_I_ONCE nvtxh_i_status nvtxh_i_device_do(const struct nvtxh_i_site *site,
                                              enum nvtxh_i_device_verb verb, nvtxh_i_stream stream,
                                              struct nvtxh_device_range *range,
                                              const struct nvtxh_attr *a)
{
    struct nvtxh_i_device_order order;
    nvtxh_i_status status = nvtxh_i_device_take(&order, verb, stream, range);

    if (NVTXH_I_UNLIKELY(!order.slot))
        return status;
    if (!nvtxh_i_event_ready(&order.slot->event,
                             nvtxh_i_ready(site, a->domain, nvtxh_i_tool_alone()), a))
        nvtxh_i_device_fill(&order.slot->event, site, a);
    return nvtxh_i_device_put(&order, a->domain);
}

NVTXH_I_ONCE nvtxh_i_status nvtxh_i_device_dof(const struct nvtxh_i_site *site,
                                               enum nvtxh_i_device_verb verb, nvtxh_i_stream stream,
                                               struct nvtxh_device_range *range, const char *format,
                                               ...)
{
    int length, saved_errno = errno;
    struct nvtxh_i_device_order order;
    nvtxh_i_status status = nvtxh_i_device_take(&order, verb, stream, range);
    va_list args;

    if (!order.slot)
        return status;
    va_start(args, format);
    length = vsnprintf(order.slot->text, sizeof(order.slot->text), format, args);
    va_end(args);
    if (length >= NVTXH_I_DEVICE_TEXT)
        nvtxh_i_cut(order.slot->text, sizeof(order.slot->text), length);
    errno = saved_errno;
    nvtxh_i_eventf(&order.slot->event, site, length < 0 ? format : order.slot->text);
    return nvtxh_i_device_put(&order, site->domain);
}

NVTXH_I_C_END

#endif
#endif
