/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_EVENT_H
#define NVTXH_IMPL_EVENT_H

/*
 * Events: what a call site and its attributes are to NVTX; scopes and marks. Not API; part of
 * impl.h.
 */

/* What is open, in a scope: its domain, whose address has its low bits free, and who has been told.
 */
#define NVTXH_I_OPEN_TOOL 1u
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
NVTXH_I_LINKONCE void nvtxh_i_event(struct nvtxh_i_whole_event *event,
                                    const struct nvtxh_i_site *site, struct nvtxh_domain *domain,
                                    struct nvtxh_category *category, uint32_t color,
                                    const struct nvtxh_i_payload_type *payload_type,
                                    uint64_t payload_bits)
{
    const struct nvtxh_i_slot *slot = nvtxh_i_registered(site, domain);
    uint32_t id = category ? nvtxh_i_category_id(category) : 0;
    uintptr_t type = NVTXH_I_BITS(uintptr_t, payload_type);

    if (NVTXH_I_UNLIKELY(!slot)) {
        if (color == NVTXH_COLOR_AUTO || (!color && (site->flags & NVTXH_I_SITE_AUTO_COLOR)))
            color = nvtxh_color_of(site->message);
    } else if (color <= NVTXH_COLOR_AUTO && (color | (site->flags & NVTXH_I_SITE_AUTO_COLOR))) {
        color = slot->color;
    }
    nvtxh_i_event_fill(&event->nvtx, id, color, NVTXH_I_CAST(uint32_t, type), payload_bits);
    if (NVTXH_I_UNLIKELY(!slot)) {
        nvtxh_i_event_text(&event->nvtx, site->message);
        (void)nvtxh_i_handle(domain);
    } else {
        /* The message, which comes last. */
        memcpy(&event->nvtx.messageType, &slot->event[4], sizeof(uint64_t[2]));
    }
    if (NVTXH_I_UNLIKELY(type > NVTXH_I_PAYLOAD_LAST))
        nvtxh_i_event_attach(event, domain, payload_type, payload_bits);
}

/*
 * The same where nothing has to be made for it first: its string, domain and category are known.
 * False: it has. Whoever asks does that elsewhere, in a call that comes last, and so saves no
 * registers.
 */
NVTXH_I_INLINE bool nvtxh_i_event_ready(nvtxEventAttributes_t *event,
                                        const struct nvtxh_i_site *site,
                                        struct nvtxh_domain *domain,
                                        struct nvtxh_category *category, uint32_t color,
                                        const struct nvtxh_i_payload_type *payload_type,
                                        uint64_t payload_bits)
{
    const struct nvtxh_i_slot *slot = nvtxh_i_slot_of(site);
    uintptr_t type = NVTXH_I_BITS(uintptr_t, payload_type);
    uintptr_t bits = NVTXH_I_BITS(uintptr_t, category);
    uint32_t id = NVTXH_I_CAST(uint32_t, bits >> 1); /* of NVTXH_CATEGORY_ID, and of none */

    if (NVTXH_I_UNLIKELY(!nvtxh_i_slot_is(slot, domain) || type > NVTXH_I_PAYLOAD_LAST))
        return false;
    if (NVTXH_I_UNLIKELY(color <= NVTXH_COLOR_AUTO &&
                         (color | (site->flags & NVTXH_I_SITE_AUTO_COLOR))))
        return false;
    if (category && !(bits & 1)) {
        id = __atomic_load_n(&category->nvtxh_i_id, __ATOMIC_ACQUIRE);
        if (NVTXH_I_UNLIKELY(!id))
            return false;
    }
    nvtxh_i_event_fill(event, id, color, NVTXH_I_CAST(uint32_t, type), payload_bits);
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

/* Whatever nvtxh_i_scope_enter leaves: the first event of a site, of a domain, of a category. */
NVTXH_I_LINKONCE uintptr_t nvtxh_i_scope_enter_any(const struct nvtxh_i_site *site,
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

NVTXH_I_LINKONCE uintptr_t nvtxh_i_scope_enter(const struct nvtxh_i_site *site,
                                               struct nvtxh_domain *domain,
                                               struct nvtxh_category *category, uint32_t color,
                                               const struct nvtxh_i_payload_type *payload_type,
                                               uint64_t payload_bits)
{
    nvtxEventAttributes_t event;

    if (NVTXH_I_UNLIKELY(nvtxh_i_stats_on()))
        return nvtxh_i_stats_enter(site, domain, category, color, payload_type, payload_bits);
    if (!nvtxh_i_event_ready(&event, site, domain, category, color, payload_type, payload_bits))
        return nvtxh_i_scope_enter_any(site, domain, category, color, payload_type, payload_bits);
    return nvtxh_i_scope_push(domain, &event);
}

/* In a domain, with statistics, or the first event of the object or of a site by itself. */
NVTXH_I_LINKONCE uintptr_t nvtxh_i_scope_enter_any_plain(const struct nvtxh_i_site *site)
{
    if (nvtxh_i_stats_on())
        return nvtxh_i_stats_enter_plain(site);
    return nvtxh_i_scope_enter_any(site, site->domain, NVTXH_I_NULL, 0, NVTXH_I_NULL, 0);
}

/*
 * Without attributes the event is ready, and with a site in the section has been since the tool was
 * found.
 */
NVTXH_I_LINKONCE uintptr_t nvtxh_i_scope_enter_plain(const struct nvtxh_i_site *site)
{
    const struct nvtxh_i_slot *slot;

    if (__atomic_load_n(&nvtxh_i_state.active, __ATOMIC_ACQUIRE) != NVTXH_I_TOOL || site->domain ||
        !NVTXH_I_NVTX(nvtxRangePushEx) || !(slot = nvtxh_i_slot_of(site)))
        return nvtxh_i_scope_enter_any_plain(site);
    return nvtxh_i_scope_push(NVTXH_I_NULL,
                              NVTXH_I_BITS(const nvtxEventAttributes_t *, &slot->event[0]));
}

NVTXH_I_LINKONCE uintptr_t nvtxh_i_scope_enterf(const struct nvtxh_i_site *site, const char *format,
                                                ...)
{
    struct nvtxh_i_message message;
    nvtxEventAttributes_t event;
    uintptr_t open = 0;
    va_list args;

    if (!nvtxh_i_tool_on() && nvtxh_i_stats_on())
        return nvtxh_i_stats_enter_plain(site);
    if (nvtxh_i_tool_on()) {
        va_start(args, format);
        nvtxh_i_format(&message, format, args);
        va_end(args);
        nvtxh_i_eventf(&event, site, message.text);
        open = nvtxh_i_scope_push(site->domain, &event);
        nvtxh_i_free_message(&message);
    }
    return nvtxh_i_stats_on() ? nvtxh_i_stats_begin(site, site->domain, open) : open;
}

NVTXH_I_LINKONCE void nvtxh_i_scope_leave(uintptr_t open)
{
    if (NVTXH_I_UNLIKELY(open & NVTXH_I_OPEN_STATS))
        nvtxh_i_stats_leave(open);
    else
        nvtxh_i_pop_event(NVTXH_I_BITS(struct nvtxh_domain *, open & ~NVTXH_I_CAST(uintptr_t, 7)));
}

NVTXH_I_INLINE void nvtxh_i_mark_event(struct nvtxh_domain *domain,
                                       const nvtxEventAttributes_t *event)
{
    if (!domain && NVTXH_I_NVTX(nvtxMarkEx))
        NVTXH_I_NVTX(nvtxMarkEx)(event);
    else if (domain && NVTXH_I_NVTX(nvtxDomainMarkEx))
        NVTXH_I_NVTX(nvtxDomainMarkEx)(nvtxh_i_handle_of(domain), event);
}

NVTXH_I_LINKONCE void nvtxh_i_mark_at(const struct nvtxh_i_site *site, struct nvtxh_domain *domain,
                                      struct nvtxh_category *category, uint32_t color,
                                      const struct nvtxh_i_payload_type *payload_type,
                                      uint64_t payload_bits)
{
    struct nvtxh_i_whole_event event;

    if (nvtxh_i_stats_on()) {
        nvtxh_i_stats_mark(site, domain);
        if (!nvtxh_i_tool_on())
            return;
    }
    nvtxh_i_event(&event, site, domain, category, color, payload_type, payload_bits);
    nvtxh_i_mark_event(domain, &event.nvtx);
}

NVTXH_I_LINKONCE void nvtxh_i_mark_atf(const struct nvtxh_i_site *site, const char *format, ...)
{
    struct nvtxh_i_message message;
    nvtxEventAttributes_t event;
    va_list args;

    if (nvtxh_i_stats_on()) {
        nvtxh_i_stats_mark(site, site->domain);
        if (!nvtxh_i_tool_on())
            return;
    }
    va_start(args, format);
    nvtxh_i_format(&message, format, args);
    va_end(args);
    nvtxh_i_eventf(&event, site, message.text);
    nvtxh_i_mark_event(site->domain, &event);
    nvtxh_i_free_message(&message);
}

NVTXH_I_C_END

#endif
