/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_SCOPE_H
#define NVTXH_IMPL_SCOPE_H

/* Scopes: what their beginning and end send to the tool and the statistics. Not API. */

#include "../scope.h"
#include "format.h"
#include "hooks.h"
#include "site_event.h"

NVTXH_I_C_BEGIN

NVTXH_I_INLINE_LOCAL uintptr_t nvtxh_i_scope_push(struct nvtxh_domain *domain,
                                                  const nvtxEventAttributes_t *event) {
    int depth;

    if (!nvtxh_i_push_event(domain, event, &depth)) {
        return 0;
    }
    return (uintptr_t)domain | NVTXH_I_OPEN_TOOL;
}

/* The general case of a beginning. The functions below fall back to it: for example, if statistics
 * listen, too, or if the site has no cached event with this domain, category and colour. */
NVTXH_I_EVENT uintptr_t nvtxh_i_scope_enter_any(const struct nvtxh_i_site *site,
                                                NVTXH_I_ATTR_PARAMETERS) {
    const struct nvtxh_attr a = NVTXH_I_ATTR_GIVEN;
    struct nvtxh_i_whole_event event;
    uintptr_t open = 0;

    if (!nvtxh_i_active_known() || nvtxh_i_domain_off(domain)) {
        return 0;
    }
    if (nvtxh_i_tool_on()) {
        nvtxh_i_event(&event, site, &a);
        open = nvtxh_i_scope_push(domain, &event.nvtx);
    }
    return nvtxh_i_stats_on() ? NVTXH_I_SYMBOL(stats_begin)(site, domain, open) : open;
}

NVTXH_I_ENTRY_DEF uintptr_t nvtxh_i_scope_enter(const struct nvtxh_i_site *site,
                                                NVTXH_I_ATTR_PARAMETERS) {
    const struct nvtxh_attr a = NVTXH_I_ATTR_GIVEN;
    bool alone = nvtxh_i_tool_alone();
    const struct nvtxh_i_slot *slot;
    nvtxEventAttributes_t event;

    if (NVTXH_I_UNLIKELY(!alone) && nvtxh_i_stats_alone()) {
        return NVTXH_I_SYMBOL(stats_enter)(site, domain);
    }
    if (!nvtxh_i_ready_slot(site, domain, alone, &slot)) {
        return nvtxh_i_scope_enter_any(site, NVTXH_I_ATTR_ARGUMENTS(domain, a));
    }
    if (!payload_type && nvtxh_i_event_is(slot, &a)) {
        return nvtxh_i_scope_push(domain, nvtxh_i_event_of(slot));
    }
    if (!nvtxh_i_event_from(&event, slot, &a)) {
        return nvtxh_i_scope_enter_any(site, NVTXH_I_ATTR_ARGUMENTS(domain, a));
    }
    return nvtxh_i_scope_push(domain, &event);
}

/* Begins a scope without attributes: sends the cached event as it is. For a site in the section
 * nvtxh_sites (core/site.h), this event has been ready since the tool was found. */
NVTXH_I_ENTRY_DEF uintptr_t nvtxh_i_scope_enter_plain(const struct nvtxh_i_site *site) {
    bool alone = nvtxh_i_tool_alone();
    nvtxRangePushEx_impl_fntype push;
    const struct nvtxh_i_slot *slot;

    if (NVTXH_I_UNLIKELY(!alone) && nvtxh_i_stats_alone()) {
        return NVTXH_I_SYMBOL(stats_enter_plain)(site);
    }
    if (NVTXH_I_UNLIKELY(!nvtxh_i_ready_slot_plain(site, alone, &slot) ||
                         !(push = NVTXH_I_TOOL_FUNCTION(nvtxRangePushEx)))) {
        return nvtxh_i_scope_enter_any(site, site->domain, NULL, 0, NULL, 0);
    }
    push(nvtxh_i_event_of(slot));
    return NVTXH_I_OPEN_TOOL;
}

NVTXH_I_EVENT NVTXH_I_FORMAT(4, 0) uintptr_t
    nvtxh_i_scope_format(const struct nvtxh_i_site *site, const struct nvtxh_attr *a,
                         struct nvtxh_domain *domain, const char *format, va_list args) {
    struct nvtxh_i_formatted f;
    uintptr_t open = 0;

    if (!nvtxh_i_active_known() || nvtxh_i_domain_off(domain)) {
        return 0;
    }
    if (nvtxh_i_tool_on()) {
        nvtxh_i_format(&f, site, a, domain, format, args);
        open = nvtxh_i_scope_push(domain, &f.event.nvtx);
        nvtxh_i_formatted_free(&f);
    }
    return nvtxh_i_stats_on() ? NVTXH_I_SYMBOL(stats_begin)(site, domain, open) : open;
}

NVTXH_I_ENTRY_DEF uintptr_t nvtxh_i_scope_enterf(const struct nvtxh_i_site *site,
                                                 const struct nvtxh_attr *a, const char *format,
                                                 ...) {
    struct nvtxh_domain *domain = nvtxh_i_domainf(site, a);
    uintptr_t open;
    va_list args;

    if (nvtxh_i_stats_alone()) {
        return a ? NVTXH_I_SYMBOL(stats_enter)(site, domain)
                 : NVTXH_I_SYMBOL(stats_enter_plain)(site);
    }
    va_start(args, format);
    open = nvtxh_i_scope_format(site, a, domain, format, args);
    va_end(args);
    return open;
}

NVTXH_I_ENTRY_DEF void nvtxh_i_scope_leave(uintptr_t open) {
    if (open <= NVTXH_I_OPEN_BITS) { /* no address: NVTX's default domain */
        nvtxh_i_pop_event(NULL);
    } else if (NVTXH_I_UNLIKELY(open & NVTXH_I_OPEN_STATS)) {
        NVTXH_I_SYMBOL(stats_leave)(open);
    } else {
        nvtxh_i_pop_event((struct nvtxh_domain *)(open & ~NVTXH_I_OPEN_BITS));
    }
}

NVTXH_I_C_END

#endif
