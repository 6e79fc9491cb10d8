/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_RANGE_H
#define NVTXH_IMPL_RANGE_H

/* Process ranges. A handle (struct nvtxh_range) has the address of a slot (range_pool.h), and the
 * generation that the slot has while the range is open. The first end with the handle changes the
 * slot's generation, so further ends with the handle or a copy do nothing. Not API. */

#include "../range.h"
#include "attach.h"
#include "format.h"
#include "hooks.h"
#include "range_pool.h"
#include "site_event.h"

NVTXH_I_C_BEGIN

/* Opens a range in a free slot. */
NVTXH_I_INLINE_LOCAL struct nvtxh_range nvtxh_i_range_open(struct nvtxh_i_range_slot *slot) {
    uint32_t generation = slot->generation + 1;
    struct nvtxh_range range = {(nvtxh_i_uint128)generation << 64 | (uintptr_t)slot};

    __atomic_store_n(&slot->generation, generation, __ATOMIC_RELEASE);
    return range;
}

/* Begins a range. EVENT is NULL if no tool listens. */
NVTXH_I_EVENT struct nvtxh_range nvtxh_i_range_begin(const struct nvtxh_i_site *site,
                                                     struct nvtxh_domain *domain,
                                                     const nvtxEventAttributes_t *event) {
    struct nvtxh_range none = {0};
    bool told = event && nvtxh_i_range_can(domain);
    bool counted = nvtxh_i_stats_on();
    struct nvtxh_i_range_slot *slot;

    if (!told && !counted) {
        return none;
    }
    slot = nvtxh_i_range_alloc(nvtxh_i_range_of_thread());
    if (!slot) {
        slot = nvtxh_i_range_more();
    }
    if (!slot) {
        return none;
    }
    slot->told = (uintptr_t)domain | (told ? NVTXH_I_RANGE_TOOL : 0);
    if (told) {
        slot->id = nvtxh_i_range_tell(domain, event);
    }
    if (counted) {
        slot->domain = domain;
        slot->row = 0;
        NVTXH_I_SYMBOL(stats_range_begin)(slot, site);
        slot->told |= slot->row ? NVTXH_I_RANGE_STATS : 0;
    }
    return nvtxh_i_range_open(slot);
}

/* The general case of a start. The functions below take a shorter way if the event is cached and
 * goes to the tool alone. */
NVTXH_I_EVENT struct nvtxh_range nvtxh_i_range_start_any(const struct nvtxh_i_site *site,
                                                         NVTXH_I_ATTR_PARAMETERS) {
    const struct nvtxh_attr a = NVTXH_I_ATTR_GIVEN;
    const nvtxEventAttributes_t *told = NULL;
    struct nvtxh_i_whole_event event;
    struct nvtxh_range none = {0};

    if (!nvtxh_i_active_known() || nvtxh_i_domain_off(domain)) {
        return none;
    }
    if (nvtxh_i_tool_on()) {
        nvtxh_i_event(&event, site, &a);
        told = &event.nvtx;
    }
    return nvtxh_i_range_begin(site, domain, told);
}

NVTXH_I_ENTRY_DEF struct nvtxh_range nvtxh_i_range_start(const struct nvtxh_i_site *site,
                                                         NVTXH_I_ATTR_PARAMETERS) {
    const struct nvtxh_attr a = NVTXH_I_ATTR_GIVEN;
    struct nvtxh_i_range_here *here = nvtxh_i_range_of_thread();
    struct nvtxh_i_range_slot *slot;
    nvtxEventAttributes_t event;

    if (!nvtxh_i_event_ready(&event, site, &a) || !nvtxh_i_range_can(domain) ||
        !(slot = nvtxh_i_range_alloc(here))) {
        return nvtxh_i_range_start_any(site, NVTXH_I_ATTR_ARGUMENTS(domain, a));
    }
    slot->told = (uintptr_t)domain | NVTXH_I_RANGE_TOOL;
    slot->id = nvtxh_i_range_tell(domain, &event);
    return nvtxh_i_range_open(slot);
}

/* Starts a range without attributes. The event of a site in the section nvtxh_sites (core/site.h)
 * has been ready since the tool was found. */
NVTXH_I_ENTRY_DEF struct nvtxh_range nvtxh_i_range_start_plain(const struct nvtxh_i_site *site) {
    struct nvtxh_i_range_here *here = nvtxh_i_range_of_thread();
    nvtxRangeStartEx_impl_fntype start;
    const struct nvtxh_i_slot *ready;
    struct nvtxh_i_range_slot *slot;

    if (!nvtxh_i_ready_slot_plain(site, nvtxh_i_tool_alone(), &ready) ||
        !(start = NVTXH_I_TOOL_FUNCTION(nvtxRangeStartEx)) || !(slot = nvtxh_i_range_alloc(here))) {
        return nvtxh_i_range_start_any(site, site->domain, NULL, 0, NULL, 0);
    }
    slot->told = NVTXH_I_RANGE_TOOL;
    slot->id = start(nvtxh_i_event_of(ready));
    return nvtxh_i_range_open(slot);
}

NVTXH_I_ENTRY_DEF struct nvtxh_range nvtxh_i_range_startf(const struct nvtxh_i_site *site,
                                                          const struct nvtxh_attr *a,
                                                          const char *format, ...) {
    struct nvtxh_domain *domain = nvtxh_i_domainf(site, a);
    struct nvtxh_range range = {0};
    struct nvtxh_i_formatted f;
    va_list args;

    if (!nvtxh_i_active_known() || nvtxh_i_domain_off(domain)) {
        return range;
    }
    if (!nvtxh_i_tool_on()) {
        return nvtxh_i_range_begin(site, domain, NULL);
    }
    va_start(args, format);
    nvtxh_i_format(&f, site, a, domain, format, args);
    va_end(args);
    range = nvtxh_i_range_begin(site, domain, &f.event.nvtx);
    nvtxh_i_formatted_free(&f);
    return range;
}

/* Ends the range. False: it has ended before. If true, the caller gives the slot back. */
NVTXH_I_INLINE_LOCAL bool nvtxh_i_range_close(struct nvtxh_range range,
                                              struct nvtxh_i_range_slot **ret_slot) {
    uint32_t generation = (uint32_t)(range.nvtxh_i_value >> 64);

    *ret_slot = (struct nvtxh_i_range_slot *)(uintptr_t)range.nvtxh_i_value;
    return __builtin_expect(__atomic_compare_exchange_n(&(*ret_slot)->generation, &generation,
                                                        generation + 1, false, __ATOMIC_ACQ_REL,
                                                        __ATOMIC_RELAXED),
                            1);
}

/* The general case of an end, which nvtxh_i_range_end() falls back to. */
NVTXH_I_EVENT void nvtxh_i_range_finish(struct nvtxh_i_range_slot *slot,
                                        struct nvtxh_payload_value payload) {
    struct nvtxh_domain *domain = (struct nvtxh_domain *)(slot->told & ~NVTXH_I_RANGE_BITS);
    bool told = slot->told & NVTXH_I_RANGE_TOOL;
    int depth;

    /* If another linked object began the range, this object may not have looked for a tool yet. */
    if (told) {
        (void)nvtxh_listening();
    }
    if ((slot->told & NVTXH_I_RANGE_STATS) && NVTXH_I_IS_LINKED(stats_range_end)) {
        NVTXH_I_SYMBOL(stats_range_end)(slot);
    }
    if (told && payload.nvtxh_i_type && NVTXH_I_IS_LINKED(payload_close) &&
        NVTXH_I_SYMBOL(payload_close)(domain, &slot->id, payload, &depth)) {
    } else if (told) {
        nvtxh_i_range_tell_end(domain, slot->id);
    }
    if (!nvtxh_i_range_give(nvtxh_i_range_of_thread(), slot)) {
        nvtxh_i_range_return(slot);
    }
}

/* Ends a range. Takes the short way, without nvtxh_i_range_finish(), if this thread began the
 * range, only a tool got it, and there is no payload. */
NVTXH_I_ENTRY_DEF void nvtxh_i_range_end(struct nvtxh_range range, NVTXH_I_PAYLOAD_PARAMETERS) {
    struct nvtxh_i_range_here *here;
    struct nvtxh_i_range_slot *slot;
    uintptr_t domain;
    nvtxRangeId_t id;

    if (!nvtxh_i_range_close(range, &slot)) {
        return;
    }
    here = nvtxh_i_range_of_thread();
    /* Read before the slot is given back: from then on, another range may use the slot. */
    domain = slot->told - NVTXH_I_RANGE_TOOL;
    id = slot->id;
    if (NVTXH_I_UNLIKELY((domain & NVTXH_I_RANGE_BITS) || payload_type) ||
        !nvtxh_i_range_give(here, slot)) {
        nvtxh_i_range_finish(slot, NVTXH_I_PAYLOAD_GIVEN);
    } else {
        nvtxh_i_range_tell_end((struct nvtxh_domain *)domain, id);
    }
}

NVTXH_I_C_END

#endif
