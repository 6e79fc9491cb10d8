/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DEVICE_ORDER_H
#define NVTXH_DEVICE_ORDER_H

/* The first half of nvtxh_device_start(), _next() and _mark(): finds out what to enqueue, and takes a slot. Not API. */

#include "calls.h"
#include "control.h"
#include "end.h"
#include "entry.h"
#include "pool.h"
#include "process.h"
#include "timed.h"

#if NVTXH_I_IMPL

NVTXH_I_C_BEGIN

/* What the caller asks for, and what CUDA says about the stream. */
struct nvtxh_i_device_order {
    enum nvtxh_i_device_verb verb;
    nvtxh_i_status before; /* CUDA's error before the verb: see calls.h */
    nvtxh_i_stream stream;
    struct nvtxh_device_range *range;
    nvtxh_i_capture_id capture; /* the capture's number; 0: the stream is not being captured */
    nvtxh_i_graph graph;        /* that the capture builds */
    /* For `next`: token of the range that ends here, whose end is claimed (see end.h). Otherwise 0. */
    uint64_t previous;
    struct nvtxh_i_device_slot *slot; /* NULL: nothing is to be enqueued */
    uint64_t token;
    uint32_t mode;                      /* what nvtxh_device_mode() says; for a mark only TIMED is kept */
    bool no_host;                       /* mode NO_HOST is set, which is not kept in `mode` */
    struct nvtxh_i_device_clock *clock; /* NULL: the range is not timed */
};

/* Gives the slot to the graph that is being captured. CUDA calls nvtxh_i_host_destroy() when the graph is gone. */
NVTXH_I_COLD nvtxh_i_status nvtxh_i_device_give(const struct nvtxh_i_device_order *order)
{
    nvtxh_i_user_object object = NVTXH_I_NULL;
    nvtxh_i_status status = nvtxh_i_cuda_result(
        order->before, nvtxh_i_cuda.user_object_create(
                           &object, NVTXH_I_BITS(void *, order->token), nvtxh_i_host_destroy, 1,
                           NVTXH_I_CUDA(cudaUserObjectNoDestructorSync, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)));
    if (status != NVTXH_I_SUCCESS) {
        nvtxh_i_host_destroy(NVTXH_I_BITS(void *, order->token));
        return status;
    }
    status = nvtxh_i_cuda_result(
        order->before, nvtxh_i_cuda.graph_retain(order->graph, object, 1,
                                                 NVTXH_I_CUDA(cudaGraphUserObjectMove, CU_GRAPH_USER_OBJECT_MOVE)));
    if (status != NVTXH_I_SUCCESS)
        (void)nvtxh_i_cuda_result(order->before, nvtxh_i_cuda.user_object_release(object, 1));
    return status;
}

/* Called if CUDA has returned the error STATUS when asked about the stream. */
NVTXH_I_COLD nvtxh_i_status nvtxh_i_device_refused(const struct nvtxh_i_device_order *order, nvtxh_i_status status)
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

/* Finds the clock for mode TIMED. False: the range cannot be timed, and NO_HOST forbids host functions. */
NVTXH_I_STRAIGHT bool nvtxh_i_device_time(struct nvtxh_i_device_order *order)
{
    order->no_host = order->mode & NVTXH_DEVICE_NO_HOST;
    if ((order->mode & NVTXH_DEVICE_TIMED) && nvtxh_i_deferred_can())
        order->clock = nvtxh_i_clock_now(order->before);
    if (order->clock && NVTXH_I_UNLIKELY(__atomic_load_n(&nvtxh_i_timed.n_replayed, __ATOMIC_RELAXED)))
        nvtxh_i_timed_look(order->before);
    order->mode &= ~NVTXH_DEVICE_NO_HOST;
    if (!order->clock)
        order->mode &= ~NVTXH_DEVICE_TIMED;
    return order->clock || !order->no_host;
}

NVTXH_I_STRAIGHT void nvtxh_i_device_order_init(struct nvtxh_i_device_order *order, enum nvtxh_i_device_verb verb,
                                                nvtxh_i_stream stream, struct nvtxh_device_range *range)
{
    order->verb = verb;
    order->stream = stream;
    order->range = range;
    order->capture = 0;
    order->graph = NVTXH_I_NULL;
    order->previous = 0;
    order->slot = NVTXH_I_NULL;
    order->clock = NVTXH_I_NULL;
}

/* Finds out what to enqueue, and takes a slot for it. */
NVTXH_I_STRAIGHT nvtxh_i_status nvtxh_i_device_take(struct nvtxh_i_device_order *order, enum nvtxh_i_device_verb verb,
                                                    nvtxh_i_stream stream, struct nvtxh_device_range *range)
{
    nvtxh_i_status status;

    nvtxh_i_device_order_init(order, verb, stream, range);
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
    if (NVTXH_I_UNLIKELY(!order->mode || (order->capture && (order->mode & NVTXH_DEVICE_NO_CAPTURE))))
        return nvtxh_i_device_none(verb, stream, range);
    if (NVTXH_I_UNLIKELY(order->mode & (NVTXH_DEVICE_TIMED | NVTXH_DEVICE_NO_HOST)) && !nvtxh_i_device_time(order))
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
        order->mode &= NVTXH_DEVICE_TIMED;
    if (NVTXH_I_UNLIKELY(order->clock && nvtxh_i_slots_used_up()))
        nvtxh_i_timed_resolve(order->before, UINT32_MAX);
    order->slot = nvtxh_i_slot_take(&order->token);
    if (NVTXH_I_UNLIKELY(!order->slot)) {
        if (order->previous)
            (void)nvtxh_i_device_end_claimed(order->before, stream, order->previous);
        return NVTXH_I_NO_MEMORY;
    }
    return NVTXH_I_SUCCESS;
}

NVTXH_I_C_END

#endif
#endif
