/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_EVENT_H
#define NVTXH_IMPL_EVENT_H

/* Fills in NVTX's event attributes, and calls the tool's functions with them. Not API.
 *
 * For NVTX's default domain (NULL), the tool's functions without a domain parameter are called,
 * because some tools have only these functions (NVTX issue 65). */

#include "../attr.h"
#include "../color.h"
#include "../config.h"
#include "domain.h"
#include "nvtx.h"

NVTXH_I_C_BEGIN

/* The colour for a message. Not inlined, so that a file has one copy of the code. */
NVTXH_I_EVENT uint32_t nvtxh_i_auto_color(const char *message) {
    return nvtxh_color_of(message);
}

/* Sets every field but the message, each once: zeroing the struct first would double the cost. */
NVTXH_I_INLINE_LOCAL void nvtxh_i_event_fill(nvtxEventAttributes_t *event, uint32_t category,
                                             uint32_t color, struct nvtxh_payload_value payload) {
    event->version = NVTX_VERSION;
    event->size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event->category = category;
    event->colorType = color ? NVTX_COLOR_ARGB : NVTX_COLOR_UNKNOWN;
    event->color = color;
    event->payloadType = (int32_t)(uintptr_t)payload.nvtxh_i_type;
    event->reserved0 = 0;
    event->payload.ullValue = payload.nvtxh_i_bits;
}

NVTXH_I_INLINE_LOCAL void nvtxh_i_event_text(nvtxEventAttributes_t *event, const char *text) {
    event->messageType = text ? NVTX_MESSAGE_TYPE_ASCII : NVTX_MESSAGE_UNKNOWN;
    event->message.ascii = text;
}

/* Sends a push. Returns 1 if the tool takes pushes, else 0. The depth cannot show this, because
 * Nsight Systems returns the depth -1 for every push. */
NVTXH_I_INLINE_LOCAL int nvtxh_i_push_event(struct nvtxh_domain *domain,
                                            const nvtxEventAttributes_t *event, int *ret_depth) {
    if (domain) {
        nvtxDomainRangePushEx_impl_fntype push = NVTXH_I_TOOL_FUNCTION(nvtxDomainRangePushEx);

        if (!push) {
            return 0;
        }
        *ret_depth = push(nvtxh_i_handle_of(domain), event);
    } else {
        nvtxRangePushEx_impl_fntype push = NVTXH_I_TOOL_FUNCTION(nvtxRangePushEx);

        if (!push) {
            return 0;
        }
        *ret_depth = push(event);
    }
    return 1;
}

NVTXH_I_INLINE_LOCAL int nvtxh_i_pop_event(struct nvtxh_domain *domain) {
    if (domain) {
        nvtxDomainRangePop_impl_fntype pop = NVTXH_I_TOOL_FUNCTION(nvtxDomainRangePop);

        return pop ? pop(nvtxh_i_handle_of(domain)) : NVTX_NO_PUSH_POP_TRACKING;
    } else {
        nvtxRangePop_impl_fntype pop = NVTXH_I_TOOL_FUNCTION(nvtxRangePop);

        return pop ? pop() : NVTX_NO_PUSH_POP_TRACKING;
    }
}

NVTXH_I_INLINE_LOCAL void nvtxh_i_mark_event(struct nvtxh_domain *domain,
                                             const nvtxEventAttributes_t *event) {
    if (domain) {
        nvtxDomainMarkEx_impl_fntype mark = NVTXH_I_TOOL_FUNCTION(nvtxDomainMarkEx);

        if (mark) {
            mark(nvtxh_i_handle_of(domain), event);
        }
    } else {
        nvtxMarkEx_impl_fntype mark = NVTXH_I_TOOL_FUNCTION(nvtxMarkEx);

        if (mark) {
            mark(event);
        }
    }
}

/* Does the tool take process ranges in this domain? */
NVTXH_I_INLINE_LOCAL bool nvtxh_i_range_can(const struct nvtxh_domain *domain) {
    return domain ? (bool)NVTXH_I_TOOL_FUNCTION(nvtxDomainRangeStartEx)
                  : (bool)NVTXH_I_TOOL_FUNCTION(nvtxRangeStartEx);
}

/* Starts a process range. Returns the tool's id; 0 if the tool takes no ranges in this domain. */
NVTXH_I_INLINE_LOCAL nvtxRangeId_t nvtxh_i_range_tell(const struct nvtxh_domain *domain,
                                                      const nvtxEventAttributes_t *event) {
    if (domain) {
        nvtxDomainRangeStartEx_impl_fntype start = NVTXH_I_TOOL_FUNCTION(nvtxDomainRangeStartEx);

        return start ? start(nvtxh_i_handle_of(domain), event) : 0;
    } else {
        nvtxRangeStartEx_impl_fntype start = NVTXH_I_TOOL_FUNCTION(nvtxRangeStartEx);

        return start ? start(event) : 0;
    }
}

NVTXH_I_INLINE_LOCAL void nvtxh_i_range_tell_end(const struct nvtxh_domain *domain,
                                                 nvtxRangeId_t id) {
    if (domain) {
        nvtxDomainRangeEnd_impl_fntype end = NVTXH_I_TOOL_FUNCTION(nvtxDomainRangeEnd);

        if (end) {
            end(nvtxh_i_handle_of(domain), id);
        }
    } else {
        nvtxRangeEnd_impl_fntype end = NVTXH_I_TOOL_FUNCTION(nvtxRangeEnd);

        if (end) {
            end(id);
        }
    }
}

NVTXH_I_C_END

#endif
