/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_EVENT_H
#define NVTXH_IMPL_EVENT_H

/*
 * Events: what a call site and its attributes are to NVTX; and scopes. Not API; part of impl.h.
 */

/* What is open, in a scope: its domain, whose address has its low bits free, and who has been told.
 */
#define NVTXH_I_OPEN_TOOL 1u
#define NVTXH_I_OPEN_BITS (NVTXH_I_CAST(uintptr_t, 7))
#define NVTXH_I_OPEN_STATS 2u /* then it is not the domain's address, but that of a frame */

NVTXH_I_C_BEGIN

/* A payload that is no number. */
static inline void nvtxh_i_event_attach(struct nvtxh_i_whole_event *event,
                                        struct nvtxh_domain *domain,
                                        const struct nvtxh_i_payload_type *payload_type,
                                        uint64_t payload_bits)
{
    struct nvtxh_i_payload_told *attached = &event->attached;

    payload_type->attach(payload_type, domain, NVTXH_I_BITS(const void *, payload_bits), attached);
    event->nvtx.payloadType = attached->type;
    event->nvtx.reserved0 = attached->count;
    event->nvtx.payload.ullValue = attached->bits;
}

/* The event of a literal message with its attributes. DOMAIN, where it goes, is made by then. */
NVTXH_I_ONCE void nvtxh_i_event(struct nvtxh_i_whole_event *event, const struct nvtxh_i_site *site,
                                struct nvtxh_domain *domain, struct nvtxh_category *category,
                                uint32_t color, const struct nvtxh_i_payload_type *payload_type,
                                uint64_t payload_bits)
{
    struct nvtxh_i_slot *slot = nvtxh_i_registered(site, domain);
    uint32_t id = nvtxh_i_category_id(category), shown = color;
    uintptr_t type = NVTXH_I_BITS(uintptr_t, payload_type);

    if (color == NVTXH_COLOR_AUTO || (!color && (site->flags & NVTXH_I_SITE_AUTO_COLOR)))
        shown = nvtxh_i_auto_color(site->message);
    nvtxh_i_event_fill(&event->nvtx, id, shown, NVTXH_I_CAST(uint32_t, type), payload_bits);
    if (NVTXH_I_UNLIKELY(!slot)) {
        nvtxh_i_event_text(&event->nvtx, site->message);
        (void)nvtxh_i_handle(domain);
    } else {
        /* The message, which comes last. */
        memcpy(&event->nvtx.messageType, &slot->event[4], sizeof(uint64_t[2]));
        if (__atomic_load_n(&slot->category, __ATOMIC_RELAXED) == NVTXH_I_NO_EVENT)
            nvtxh_i_remember(slot, category, color, &event->nvtx);
    }
    if (NVTXH_I_UNLIKELY(type > NVTXH_I_PAYLOAD_LAST))
        nvtxh_i_event_attach(event, domain, payload_type, payload_bits);
}

/*
 * The event with these attributes where they are those of its slot's, but for the payload, and
 * nothing has to be made for it. False: something has. Whoever asks does that elsewhere, in a call
 * that comes last, and so saves no registers.
 */
NVTXH_I_INLINE bool nvtxh_i_event_ready(nvtxEventAttributes_t *event,
                                        const struct nvtxh_i_slot *slot,
                                        struct nvtxh_category *category, uint32_t color,
                                        const struct nvtxh_i_payload_type *payload_type,
                                        uint64_t payload_bits)
{
    uintptr_t type = NVTXH_I_BITS(uintptr_t, payload_type);

    if (NVTXH_I_UNLIKELY(!slot || type > NVTXH_I_PAYLOAD_LAST ||
                         !nvtxh_i_event_is(slot, category, color)))
        return false;
    memcpy(event, &slot->event[0], sizeof(uint64_t[2])); /* as far as the colour */
    event->payloadType = NVTXH_I_CAST(int32_t, type);
    event->reserved0 = 0;
    event->payload.ullValue = payload_bits;
    memcpy(&event->messageType, &slot->event[4], sizeof(uint64_t[2]));
    return true;
}

/* For NVTX's default domain the functions without one: some tools see nothing else (NVTX issue 65).
 */
NVTXH_I_INLINE int nvtxh_i_push_event(struct nvtxh_domain *domain,
                                      const nvtxEventAttributes_t *event, int *ret_depth)
{
    if (!domain && NVTXH_I_NVTX(nvtxRangePushEx))
        *ret_depth = NVTXH_I_NVTX(nvtxRangePushEx)(event);
    else if (domain && NVTXH_I_NVTX(nvtxDomainRangePushEx))
        *ret_depth = NVTXH_I_NVTX(nvtxDomainRangePushEx)(nvtxh_i_handle_of(domain), event);
    else
        return 0;
    return 1;
}

NVTXH_I_INLINE int nvtxh_i_pop_event(struct nvtxh_domain *domain)
{
    if (!domain && NVTXH_I_NVTX(nvtxRangePop))
        return NVTXH_I_NVTX(nvtxRangePop)();
    if (domain && NVTXH_I_NVTX(nvtxDomainRangePop))
        return NVTXH_I_NVTX(nvtxDomainRangePop)(nvtxh_i_handle_of(domain));
    return NVTX_NO_PUSH_POP_TRACKING;
}

NVTXH_I_INLINE uintptr_t nvtxh_i_scope_push(struct nvtxh_domain *domain,
                                            const nvtxEventAttributes_t *event)
{
    int depth; /* says nothing about success: Nsight Systems answers -1 to every push */

    if (!nvtxh_i_push_event(domain, event, &depth))
        return 0;
    return NVTXH_I_BITS(uintptr_t, domain) | NVTXH_I_OPEN_TOOL;
}

/* Whatever the short ways leave: the first event of a site, of a domain, of a category. */
NVTXH_I_ONCE uintptr_t nvtxh_i_scope_enter_any(const struct nvtxh_i_site *site,
                                               struct nvtxh_domain *domain,
                                               struct nvtxh_category *category, uint32_t color,
                                               const struct nvtxh_i_payload_type *payload_type,
                                               uint64_t payload_bits)
{
    struct nvtxh_i_whole_event event;

    if (!nvtxh_i_active_known())
        return 0;
    if (nvtxh_i_stats_on())
        return nvtxh_i_stats_enter(site, domain, category, color, payload_type, payload_bits);
    nvtxh_i_event(&event, site, domain, category, color, payload_type, payload_bits);
    return nvtxh_i_scope_push(domain, &event.nvtx);
}

NVTXH_I_ONCE uintptr_t nvtxh_i_scope_enter(const struct nvtxh_i_site *site,
                                           struct nvtxh_domain *domain,
                                           struct nvtxh_category *category, uint32_t color,
                                           const struct nvtxh_i_payload_type *payload_type,
                                           uint64_t payload_bits)
{
    bool alone = nvtxh_i_tool_alone();
    nvtxEventAttributes_t event;

    if (NVTXH_I_UNLIKELY(!alone) && nvtxh_i_stats_on())
        return nvtxh_i_stats_enter(site, domain, category, color, payload_type, payload_bits);
    if (!nvtxh_i_event_ready(&event, nvtxh_i_ready(site, domain, alone), category, color,
                             payload_type, payload_bits))
        return nvtxh_i_scope_enter_any(site, domain, category, color, payload_type, payload_bits);
    return nvtxh_i_scope_push(domain, &event);
}

NVTXH_I_ONCE uintptr_t nvtxh_i_scope_enter_same(const struct nvtxh_i_site *site,
                                                struct nvtxh_domain *domain,
                                                struct nvtxh_category *category, uint32_t color)
{
    bool alone = nvtxh_i_tool_alone();
    const struct nvtxh_i_slot *slot;

    if (NVTXH_I_UNLIKELY(!alone) && nvtxh_i_stats_on())
        return nvtxh_i_stats_enter(site, domain, category, color, NVTXH_I_NULL, 0);
    slot = nvtxh_i_ready(site, domain, alone);
    if (NVTXH_I_UNLIKELY(!slot || !nvtxh_i_event_is(slot, category, color)))
        return nvtxh_i_scope_enter(site, domain, category, color, NVTXH_I_NULL, 0);
    return nvtxh_i_scope_push(domain, nvtxh_i_event_of(slot));
}

/* Whatever these leave: with statistics, or the first event of the object or of a site by itself. */
NVTXH_I_ONCE uintptr_t nvtxh_i_scope_enter_any_plain(const struct nvtxh_i_site *site)
{
    if (nvtxh_i_stats_alone())
        return nvtxh_i_stats_enter_plain(site);
    return nvtxh_i_scope_enter_any(site, site->domain, NVTXH_I_NULL, 0, NVTXH_I_NULL, 0);
}

/*
 * Without attributes the event is ready, and with a site in the section has been since the tool was
 * found.
 */
NVTXH_I_ONCE uintptr_t nvtxh_i_scope_enter_plain(const struct nvtxh_i_site *site)
{
    if (!nvtxh_i_tool_alone() || !NVTXH_I_NVTX(nvtxRangePushEx))
        return nvtxh_i_scope_enter_any_plain(site);
    NVTXH_I_NVTX(nvtxRangePushEx)(nvtxh_i_event_of(nvtxh_i_table_slot(site)));
    return NVTXH_I_OPEN_TOOL;
}

NVTXH_I_ONCE uintptr_t nvtxh_i_scope_enter_own(const struct nvtxh_i_site *site)
{
    const struct nvtxh_i_slot *slot = __atomic_load_n(nvtxh_i_own_slot(site), __ATOMIC_ACQUIRE);

    if (!slot || !nvtxh_i_tool_alone_own() || !NVTXH_I_NVTX(nvtxRangePushEx))
        return nvtxh_i_scope_enter_any_plain(site);
    NVTXH_I_NVTX(nvtxRangePushEx)(nvtxh_i_event_of(slot));
    return NVTXH_I_OPEN_TOOL;
}

NVTXH_I_ONCE uintptr_t nvtxh_i_scope_enterf(const struct nvtxh_i_site *site, const char *format,
                                            ...)
{
    struct nvtxh_i_message message;
    nvtxEventAttributes_t event;
    uintptr_t open = 0;

    if (nvtxh_i_stats_alone())
        return nvtxh_i_stats_enter_plain(site);
    if (nvtxh_i_tool_on()) {
        NVTXH_I_FORMAT_MESSAGE(&message, format);
        nvtxh_i_eventf(&event, site, message.text);
        open = nvtxh_i_scope_push(site->domain, &event);
        nvtxh_i_free_message(&message);
    }
    return nvtxh_i_stats_on() ? nvtxh_i_stats_begin(site, site->domain, open) : open;
}

NVTXH_I_ONCE void nvtxh_i_scope_leave(uintptr_t open)
{
    if (open <= NVTXH_I_OPEN_BITS && NVTXH_I_NVTX(nvtxRangePop))
        NVTXH_I_NVTX(nvtxRangePop)();
    else if (NVTXH_I_UNLIKELY(open & NVTXH_I_OPEN_STATS))
        nvtxh_i_stats_leave(open);
    else
        nvtxh_i_pop_event(NVTXH_I_BITS(struct nvtxh_domain *, open & ~NVTXH_I_OPEN_BITS));
}

NVTXH_I_C_END

#endif
