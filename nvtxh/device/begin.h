/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DEVICE_BEGIN_H
#define NVTXH_DEVICE_BEGIN_H

/* Enqueues marks and the beginnings of ranges: nvtxh_i_device_reserve() finds out what to enqueue
 * and takes a slot (a range's record, pool.h), and nvtxh_i_device_put() enqueues the range. Not
 * API. */

#include "../impl/all.h"
#include "calls.h"
#include "control.h"
#include "end.h"
#include "entry.h"
#include "lane.h"
#include "pool.h"
#include "process.h"
#include "ranges.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

NVTXH_I_C_BEGIN

/* What the caller asks for, and what CUDA says about the stream. */
struct nvtxh_i_device_order {
    enum nvtxh_i_device_action action;
    nvtxh_i_status before; /* CUDA's error before the action: see calls.h */
    nvtxh_i_stream stream;
    struct nvtxh_device_range *range;
    nvtxh_i_capture_id capture; /* the capture's number; 0: the stream is not being captured */
    nvtxh_i_graph graph;        /* the graph that the capture builds */
    /* For `next`: the token of the range to end, whose end this thread has claimed; 0: none. */
    uint64_t previous;
    struct nvtxh_i_device_slot *slot; /* NULL: nothing is to be enqueued */
    uint64_t token;
    uint32_t mode; /* what nvtxh_device_mode() says; of a mark: 0 */
};

/* Makes the graph that is being captured the slot's owner. When the graph is gone, CUDA calls
 * nvtxh_i_host_destroy(), which frees the slot. */
NVTXH_I_COLD nvtxh_i_status nvtxh_i_device_give(const struct nvtxh_i_device_order *order) {
    nvtxh_i_user_object object = NULL;
    nvtxh_i_status status = nvtxh_i_cuda_result(
        order->before,
        nvtxh_i_cuda.user_object_create(
            &object, (void *)order->token, nvtxh_i_host_destroy, 1,
            NVTXH_I_CUDA(cudaUserObjectNoDestructorSync, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)));
    if (status != NVTXH_I_SUCCESS) {
        nvtxh_i_host_destroy((void *)order->token);
        return status;
    }
    status = nvtxh_i_cuda_result(
        order->before, nvtxh_i_cuda.graph_retain(
                           order->graph, object, 1,
                           NVTXH_I_CUDA(cudaGraphUserObjectMove, CU_GRAPH_USER_OBJECT_MOVE)));
    if (status != NVTXH_I_SUCCESS) {
        (void)nvtxh_i_cuda_result(order->before, nvtxh_i_cuda.user_object_release(object, 1));
    }
    return status;
}

/* Cancels the range and, for `next`, the previous range, because CUDA is not loaded or has returned
 * the error STATUS when asked about the stream. */
NVTXH_I_COLD nvtxh_i_status nvtxh_i_device_refused(const struct nvtxh_i_device_order *order,
                                                   nvtxh_i_status status) {
    bool ends = order->action == NVTXH_I_DEVICE_NEXT && nvtxh_i_device_home(*order->range);

    nvtxh_i_tally(&nvtxh_i_device.cancelled);
    if (ends && order->capture) {
        return status; /* the previous range stays open */
    }
    if (ends) {
        nvtxh_i_device_claim_and_cancel(nvtxh_i_device_token(*order->range));
    }
    if (order->range) {
        order->range->nvtxh_i_value = 0;
    }
    return status;
}

/* For `next`: claims the end of the previous range. */
NVTXH_I_HOT nvtxh_i_status nvtxh_i_device_claim_previous(struct nvtxh_i_device_order *order) {
    uint64_t token = nvtxh_i_device_token(*order->range);
    nvtxh_i_status status = nvtxh_i_device_claim(token, order->capture);

    if (NVTXH_I_UNLIKELY(status != NVTXH_I_SUCCESS)) {
        if (status != NVTXH_I_OTHER_CAPTURE) {
            order->range->nvtxh_i_value = 0;
        }
        return status;
    }
    order->previous = token;
    return NVTXH_I_SUCCESS;
}

NVTXH_I_HOT nvtxh_i_status nvtxh_i_device_reserve(struct nvtxh_i_device_order *order,
                                                  enum nvtxh_i_device_action action,
                                                  nvtxh_i_stream stream,
                                                  struct nvtxh_device_range *range) {
    nvtxh_i_status status;

    __builtin_memset(order, 0, sizeof(*order));
    order->action = action;
    order->stream = stream;
    order->range = range;
    if (action != NVTXH_I_DEVICE_MARK && NVTXH_I_UNLIKELY(!range)) {
        return NVTXH_I_BAD_VALUE;
    }
    if (NVTXH_I_UNLIKELY(nvtxh_i_device_exiting())) {
        return nvtxh_i_device_none(action, stream, range);
    }
    if (action == NVTXH_I_DEVICE_NEXT && nvtxh_i_device_home(*range) &&
        NVTXH_I_UNLIKELY(nvtxh_i_device_home(*range) != &nvtxh_i_device)) {
        status = nvtxh_i_device_home(*range)->end(stream, *range);
        if (status != NVTXH_I_OTHER_CAPTURE) {
            range->nvtxh_i_value = 0;
        }
        if (status != NVTXH_I_SUCCESS) {
            return status;
        }
    }
    status = NVTXH_I_CUDA(cudaErrorInitializationError, CUDA_ERROR_NOT_INITIALIZED);
    if (nvtxh_i_device_prepare()) {
        order->before = nvtxh_i_cuda.peek_error();
        status = nvtxh_i_device_capture(order->before, stream, &order->capture, &order->graph);
    }
    if (NVTXH_I_UNLIKELY(status != NVTXH_I_SUCCESS)) {
        return nvtxh_i_device_refused(order, status);
    }
    order->mode = nvtxh_i_device_mode();
    if (NVTXH_I_UNLIKELY(!order->mode ||
                         (order->capture && (order->mode & NVTXH_DEVICE_NO_CAPTURE)))) {
        return nvtxh_i_device_none(action, stream, range);
    }
    if (action == NVTXH_I_DEVICE_NEXT && nvtxh_i_device_home(*range)) {
        status = nvtxh_i_device_claim_previous(order);
        if (NVTXH_I_UNLIKELY(status != NVTXH_I_SUCCESS)) {
            return status;
        }
    }
    if (range) {
        range->nvtxh_i_value = 0;
    }
    if (action == NVTXH_I_DEVICE_MARK) {
        order->mode = 0;
    }
    order->slot = nvtxh_i_slot_alloc(&order->token);
    if (NVTXH_I_UNLIKELY(!order->slot)) {
        if (order->previous) {
            (void)nvtxh_i_device_end_claimed(order->before, stream, order->previous);
        }
        return NVTXH_I_NO_MEMORY;
    }
    return NVTXH_I_SUCCESS;
}

/* Called when CUDA has refused the beginning of the range: frees the slot if its state is still
 * STATE. In a capture the graph keeps the slot: after an error the graph's handle may be invalid,
 * and taking the slot from the graph would need a valid handle. */
NVTXH_I_COLD void nvtxh_i_device_undo(const struct nvtxh_i_device_order *order, uint64_t state) {
    uint64_t ending = nvtxh_i_slot_in_phase(state, NVTXH_I_SLOT_ENDING);

    if (!order->capture && nvtxh_i_slot_change(order->slot, &state, ending)) {
        nvtxh_i_slot_free(order->slot);
    }
}

/* Enqueues the range's beginning and, for `next`, the end of the previous range. The caller has set
 * slot->event. */
NVTXH_I_HOT nvtxh_i_status nvtxh_i_device_put(struct nvtxh_i_device_order *order,
                                              struct nvtxh_domain *domain) {
    uint64_t state = order->token & ~(uint64_t)UINT32_MAX;
    struct nvtxh_i_device_slot *slot = order->slot;
    nvtxh_i_status status = NVTXH_I_SUCCESS;
    bool event_only = order->mode && !(order->mode & NVTXH_DEVICE_INTERVAL);

    slot->scope = nvtxh_i_lane_of(order->stream, domain);
    slot->domain = domain;
    __atomic_store_n(&slot->stream, order->stream, __ATOMIC_RELEASE);
    __atomic_store_n(&slot->mode, order->mode, __ATOMIC_RELEASE);
    __atomic_store_n(&slot->capture, order->capture, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->previous, order->previous, __ATOMIC_RELEASE);
    if (order->capture) {
        state |= NVTXH_I_SLOT_WAITING | NVTXH_I_SLOT_CAPTURED;
    } else {
        state |= event_only ? NVTXH_I_SLOT_OPEN : NVTXH_I_SLOT_WAITING;
    }
    /* From here on another thread may abandon the range, and reuse its slot. */
    __atomic_store_n(&slot->state, state, __ATOMIC_RELEASE);
    if (NVTXH_I_UNLIKELY(order->capture)) {
        status = nvtxh_i_device_give(order);
    }
    if (__builtin_expect(status == NVTXH_I_SUCCESS, 1)) {
        if (!event_only) {
            status = nvtxh_i_device_launch(order->before, order->stream,
                                           order->previous ? nvtxh_i_host_next : nvtxh_i_host_begin,
                                           order->token);
        } else if (order->previous) {
            status = nvtxh_i_device_launch(order->before, order->stream, nvtxh_i_host_end,
                                           order->previous);
        }
        if (NVTXH_I_UNLIKELY(status != NVTXH_I_SUCCESS)) {
            nvtxh_i_device_undo(order, state);
        }
    }
    if (NVTXH_I_UNLIKELY(status != NVTXH_I_SUCCESS)) {
        nvtxh_i_tally(&nvtxh_i_device.cancelled);
        if (order->previous) {
            nvtxh_i_device_cancel(order->previous);
        }
    } else if (order->range) {
        *order->range = nvtxh_i_device_range(&nvtxh_i_device, order->token);
    }
    return status;
}

/* Fills a slot's event. Called if the call site has no cached event that fits. Leaves out a payload
 * that is a pointer, because the object may change before the event reaches the tool. */
NVTXH_I_EVENT void nvtxh_i_device_fill(nvtxEventAttributes_t *event,
                                       const struct nvtxh_i_site *site,
                                       const struct nvtxh_attr *a) {
    struct nvtxh_attr attributes = *a;
    struct nvtxh_i_whole_event whole;

    if ((uintptr_t)a->payload.nvtxh_i_type > NVTXH_I_PAYLOAD_LAST) {
        attributes.payload = nvtxh_i_no_payload();
    }
    nvtxh_i_event(&whole, site, &attributes);
    *event = whole.nvtx;
}

NVTXH_I_ENTRY_DEF nvtxh_i_status nvtxh_i_device_do(const struct nvtxh_i_site *site,
                                                   enum nvtxh_i_device_action action,
                                                   nvtxh_i_stream stream,
                                                   struct nvtxh_device_range *range,
                                                   const struct nvtxh_attr *a) {
    struct nvtxh_i_device_order order;
    nvtxh_i_status status;

    if (nvtxh_i_domain_off(a->domain)) {
        return nvtxh_i_device_none(action, stream, range);
    }
    status = nvtxh_i_device_reserve(&order, action, stream, range);
    if (NVTXH_I_UNLIKELY(!order.slot)) {
        return status;
    }
    if (!nvtxh_i_event_ready(&order.slot->event, site, a)) {
        nvtxh_i_device_fill(&order.slot->event, site, a);
    }
    return nvtxh_i_device_put(&order, a->domain);
}

NVTXH_I_ENTRY_DEF nvtxh_i_status nvtxh_i_device_dof(const struct nvtxh_i_site *site,
                                                    enum nvtxh_i_device_action action,
                                                    nvtxh_i_stream stream,
                                                    struct nvtxh_device_range *range,
                                                    const char *format, ...) {
    int length, saved_errno = errno;
    struct nvtxh_i_device_order order;
    nvtxh_i_status status;
    struct nvtxh_i_whole_event event;
    va_list args;

    if (nvtxh_i_domain_off(site->domain)) {
        return nvtxh_i_device_none(action, stream, range);
    }
    status = nvtxh_i_device_reserve(&order, action, stream, range);
    if (!order.slot) {
        return status;
    }
    va_start(args, format);
    length = vsnprintf(order.slot->text, sizeof(order.slot->text), format, args);
    va_end(args);
    if (length >= NVTXH_I_DEVICE_TEXT) {
        nvtxh_i_cut(order.slot->text, sizeof(order.slot->text), length);
    }
    errno = saved_errno;
    nvtxh_i_eventf(&event, site, NULL, site->domain, length < 0 ? format : order.slot->text);
    order.slot->event = event.nvtx;
    return nvtxh_i_device_put(&order, site->domain);
}

NVTXH_I_C_END

#endif
