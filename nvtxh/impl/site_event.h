/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_SITE_EVENT_H
#define NVTXH_IMPL_SITE_EVENT_H

/* Makes an event from a call site and its attributes. Not API. */

#include "../attr.h"
#include "../color.h"
#include "../core/site.h"
#include "domain.h"
#include "event.h"
#include "slot.h"

#include <string.h>

/* An event, and what its payload points at. */
struct nvtxh_i_whole_event {
    nvtxEventAttributes_t nvtx;
    struct nvtxh_i_payload_encoded attached;
};

NVTXH_I_C_BEGIN

/* Encodes a non-numeric payload, by a call of its type's `attach`. */
static inline void nvtxh_i_event_attach(struct nvtxh_i_whole_event *event,
                                        struct nvtxh_domain *domain,
                                        struct nvtxh_payload_value payload) {
    const struct nvtxh_i_made_by_nvtxh_payload *type = payload.nvtxh_i_type;
    struct nvtxh_i_payload_encoded *attached = &event->attached;

    if (__builtin_expect((uintptr_t)type <= NVTXH_I_PAYLOAD_LAST, 1)) {
        return;
    }
    type->attach(type, domain, (const void *)payload.nvtxh_i_bits, attached);
    event->nvtx.payloadType = attached->type;
    event->nvtx.reserved0 = attached->count;
    event->nvtx.payload.ullValue = attached->bits;
}

/* Fills in EVENT: the site's literal message and the attributes A. When this function returns, the
 * tool has created the domain. */
NVTXH_I_EVENT void nvtxh_i_event(struct nvtxh_i_whole_event *event, const struct nvtxh_i_site *site,
                                 const struct nvtxh_attr *a) {
    struct nvtxh_i_slot *slot = nvtxh_i_registered(site, a->domain);
    uint32_t id = nvtxh_i_category_id(a->category), color = a->color;

    if (color == NVTXH_COLOR_AUTO || (!color && (site->flags & NVTXH_I_SITE_AUTO_COLOR))) {
        color = nvtxh_i_auto_color(site->message);
    }
    nvtxh_i_event_fill(&event->nvtx, id, color, a->payload);
    if (NVTXH_I_UNLIKELY(!slot)) {
        nvtxh_i_event_text(&event->nvtx, site->message);
        (void)nvtxh_i_handle(a->domain);
    } else {
        /* The last two words of an nvtxEventAttributes_t are its message. */
        memcpy(&event->nvtx.messageType, &slot->event[4], sizeof(uint64_t[2]));
        if (__atomic_load_n(&slot->category, __ATOMIC_RELAXED) == NVTXH_I_NO_EVENT) {
            nvtxh_i_remember(slot, a, &event->nvtx);
        }
    }
    nvtxh_i_event_attach(event, a->domain, a->payload);
}

/* Does the slot's cached event have the category and the colour of A? */
NVTXH_I_INLINE_LOCAL bool nvtxh_i_event_is(const struct nvtxh_i_slot *slot,
                                           const struct nvtxh_attr *a) {
    return __builtin_expect(__atomic_load_n(&slot->category, __ATOMIC_ACQUIRE) ==
                                    (uintptr_t)a->category &&
                                slot->color == a->color,
                            1);
}

/* Fills in the event from the slot's cached event, so that nothing has to be looked up. Returns
 * false if A has another category or colour than the cached event, or a non-numeric payload. The
 * caller then calls the general function as a tail call, and so need not save registers. */
NVTXH_I_INLINE_LOCAL bool nvtxh_i_event_from(nvtxEventAttributes_t *event,
                                             const struct nvtxh_i_slot *slot,
                                             const struct nvtxh_attr *a) {
    uintptr_t type = (uintptr_t)a->payload.nvtxh_i_type;

    if (NVTXH_I_UNLIKELY(type > NVTXH_I_PAYLOAD_LAST || !nvtxh_i_event_is(slot, a))) {
        return false;
    }
    memcpy(event, &slot->event[0], sizeof(uint64_t[2])); /* the fields up to the colour */
    event->payloadType = (int32_t)type;
    event->reserved0 = 0;
    event->payload.ullValue = a->payload.nvtxh_i_bits;
    memcpy(&event->messageType, &slot->event[4], sizeof(uint64_t[2]));
    return true;
}

/* nvtxh_i_event_from() with the site's first slot. False, too, if nvtxh_i_ready_slot() is false. */
NVTXH_I_INLINE_LOCAL bool nvtxh_i_event_ready(nvtxEventAttributes_t *event,
                                              const struct nvtxh_i_site *site,
                                              const struct nvtxh_attr *a) {
    const struct nvtxh_i_slot *slot;

    return nvtxh_i_ready_slot(site, a->domain, nvtxh_i_tool_alone(), &slot) &&
           nvtxh_i_event_from(event, slot, a);
}

NVTXH_I_C_END

#endif
