/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_MARK_H
#define NVTXH_IMPL_MARK_H

/*
 * Marks. Not API; part of impl.h.
 */

NVTXH_I_C_BEGIN

NVTXH_I_INLINE void nvtxh_i_mark_event(struct nvtxh_domain *domain,
                                       const nvtxEventAttributes_t *event)
{
    if (!domain && NVTXH_I_NVTX(nvtxMarkEx))
        NVTXH_I_NVTX(nvtxMarkEx)(event);
    else if (domain && NVTXH_I_NVTX(nvtxDomainMarkEx))
        NVTXH_I_NVTX(nvtxDomainMarkEx)(nvtxh_i_handle_of(domain), event);
}

NVTXH_I_ONCE void nvtxh_i_mark_at(const struct nvtxh_i_site *site, struct nvtxh_domain *domain,
                                  struct nvtxh_category *category, uint32_t color,
                                  const struct nvtxh_i_payload_type *payload_type,
                                  uint64_t payload_bits)
{
    struct nvtxh_i_whole_event event;

    if (!nvtxh_i_active_known())
        return;
    if (nvtxh_i_stats_on()) {
        nvtxh_i_stats_mark(site, domain);
        if (!nvtxh_i_tool_on())
            return;
    }
    nvtxh_i_event(&event, site, domain, category, color, payload_type, payload_bits);
    nvtxh_i_mark_event(domain, &event.nvtx);
}

NVTXH_I_ONCE void nvtxh_i_mark_plain(const struct nvtxh_i_site *site)
{
    const struct nvtxh_i_slot *slot = nvtxh_i_ready(site, NVTXH_I_NULL, nvtxh_i_tool_alone());

    if (slot)
        nvtxh_i_mark_event(NVTXH_I_NULL, nvtxh_i_event_of(slot));
    else
        nvtxh_i_mark_at(site, site->domain, NVTXH_I_NULL, 0, NVTXH_I_NULL, 0);
}

NVTXH_I_ONCE void nvtxh_i_mark_atf(const struct nvtxh_i_site *site, const char *format, ...)
{
    struct nvtxh_i_message message;
    nvtxEventAttributes_t event;

    if (nvtxh_i_stats_on()) {
        nvtxh_i_stats_mark(site, site->domain);
        if (!nvtxh_i_tool_on())
            return;
    }
    NVTXH_I_FORMAT_MESSAGE(&message, format);
    nvtxh_i_eventf(&event, site, message.text);
    nvtxh_i_mark_event(site->domain, &event);
    nvtxh_i_free_message(&message);
}

NVTXH_I_C_END

#endif
