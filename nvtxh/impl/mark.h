/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_MARK_H
#define NVTXH_IMPL_MARK_H

/* Marks. Not API. */

#include "../mark.h"
#include "format.h"
#include "hooks.h"
#include "site_event.h"

NVTXH_I_C_BEGIN

/* Counts a mark if statistics listen. Does a tool listen? */
NVTXH_I_INLINE_LOCAL bool nvtxh_i_mark_count(const struct nvtxh_i_site *site,
                                             struct nvtxh_domain *domain) {
    if (!nvtxh_i_active_known() || nvtxh_i_domain_off(domain)) {
        return false;
    }
    if (nvtxh_i_stats_on()) {
        NVTXH_I_SYMBOL(stats_mark)(site, domain);
    }
    return nvtxh_i_tool_on();
}

NVTXH_I_ENTRY_DEF void nvtxh_i_mark_at(const struct nvtxh_i_site *site, NVTXH_I_ATTR_PARAMETERS) {
    const struct nvtxh_attr a = NVTXH_I_ATTR_GIVEN;
    struct nvtxh_i_whole_event event;

    if (nvtxh_i_stats_alone()) {
        NVTXH_I_SYMBOL(stats_mark)(site, domain);
    } else if (nvtxh_i_mark_count(site, domain)) {
        nvtxh_i_event(&event, site, &a);
        nvtxh_i_mark_event(domain, &event.nvtx);
    }
}

NVTXH_I_ENTRY_DEF void nvtxh_i_mark_plain(const struct nvtxh_i_site *site) {
    const struct nvtxh_i_slot *slot;

    if (nvtxh_i_ready_slot_plain(site, nvtxh_i_tool_alone(), &slot)) {
        nvtxh_i_mark_event(NULL, nvtxh_i_event_of(slot));
    } else {
        nvtxh_i_mark_at(site, site->domain, NULL, 0, NULL, 0);
    }
}

NVTXH_I_EVENT NVTXH_I_FORMAT(4, 0) void nvtxh_i_mark_format(const struct nvtxh_i_site *site,
                                                            const struct nvtxh_attr *a,
                                                            struct nvtxh_domain *domain,
                                                            const char *format, va_list args) {
    struct nvtxh_i_formatted f;

    if (nvtxh_i_mark_count(site, domain)) {
        nvtxh_i_format(&f, site, a, domain, format, args);
        nvtxh_i_mark_event(domain, &f.event.nvtx);
        nvtxh_i_formatted_free(&f);
    }
}

NVTXH_I_ENTRY_DEF void nvtxh_i_mark_atf(const struct nvtxh_i_site *site, const struct nvtxh_attr *a,
                                        const char *format, ...) {
    struct nvtxh_domain *domain = nvtxh_i_domainf(site, a);
    va_list args;

    if (nvtxh_i_stats_alone()) {
        NVTXH_I_SYMBOL(stats_mark)(site, domain);
        return;
    }
    va_start(args, format);
    nvtxh_i_mark_format(site, a, domain, format, args);
    va_end(args);
}

NVTXH_I_C_END

#endif
