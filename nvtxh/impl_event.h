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

NVTXH_I_C_BEGIN

/* The event of a literal message with its attributes. DOMAIN, where it goes, is made by then. */
NVTXH_I_LINKONCE void nvtxh_i_event(nvtxEventAttributes_t *event, const struct nvtxh_i_site *site,
                                    struct nvtxh_domain *domain, struct nvtxh_category *category,
                                    uint32_t color, uint32_t payload_type, uint64_t payload_bits)
{
    const struct nvtxh_i_slot *slot = nvtxh_i_registered(site, domain);
    uint32_t id = category ? nvtxh_i_category_id(category) : 0;

    if (NVTXH_I_UNLIKELY(!slot)) {
        if (color == NVTXH_COLOR_AUTO || (!color && (site->flags & NVTXH_I_SITE_AUTO_COLOR)))
            color = nvtxh_color_of(site->message);
        nvtxh_i_event_fill(event, id, color, payload_type, payload_bits);
        nvtxh_i_event_text(event, site->message);
        (void)nvtxh_i_handle(domain);
        return;
    }
    if (color <= NVTXH_COLOR_AUTO && (color | (site->flags & NVTXH_I_SITE_AUTO_COLOR)))
        color = slot->color;
    nvtxh_i_event_fill(event, id, color, payload_type, payload_bits);
    /* The message, which comes last. */
    memcpy(&event->messageType, &slot->event[4], sizeof(uint64_t[2]));
}

/* The event of a formatted message, which has to outlive it. */
NVTXH_I_LINKONCE void nvtxh_i_eventf(nvtxEventAttributes_t *event, const struct nvtxh_i_site *site,
                                     const char *text)
{
    uint32_t color = site->flags & NVTXH_I_SITE_AUTO_COLOR ? nvtxh_color_of(text) : 0;

    nvtxh_i_event_fill(event, 0, color, 0, 0);
    nvtxh_i_event_text(event, text);
    (void)nvtxh_i_handle(site->domain);
}

/* Cut TEXT, of SIZE bytes with its terminator, so that its end says how long it was meant to be. */
static inline void nvtxh_i_cut(char *text, size_t size, int length)
{
    char mark[48];
    size_t n = NVTXH_I_CAST(size_t, snprintf(mark, sizeof(mark), "... [%d bytes]", length));
    size_t end = size - 1 - n;

    while (end && (text[end] & 0xc0) == 0x80) /* not within a character */
        end--;
    memcpy(text + end, mark, n + 1);
}

NVTXH_I_LINKONCE void nvtxh_i_format(struct nvtxh_i_message *message, const char *format,
                                     va_list args)
{
    int saved_errno = errno, length;
    va_list again;

    message->heap = NVTXH_I_NULL;
    message->text = message->here;
    va_copy(again, args);
    length = vsnprintf(message->here, sizeof(message->here), format, args);
    if (length < 0) {
        message->text = format; /* a wide character that cannot be converted */
    } else if (NVTXH_I_CAST(size_t, length) >= sizeof(message->here)) {
        size_t size =
            NVTXH_I_CAST(size_t, length > NVTXH_I_TEXT_MAX ? NVTXH_I_TEXT_MAX : length) + 1;

        message->heap = NVTXH_I_CAST(char *, malloc(size));
        if (message->heap) {
            message->text = message->heap;
            vsnprintf(message->heap, size, format, again);
            if (length > NVTXH_I_TEXT_MAX)
                nvtxh_i_cut(message->heap, size, length);
        } else {
            nvtxh_i_cut(message->here, sizeof(message->here), length);
        }
    }
    va_end(again);
    errno = saved_errno;
}

static inline void nvtxh_i_free_message(struct nvtxh_i_message *message)
{
    free(message->heap);
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

NVTXH_I_LINKONCE uintptr_t nvtxh_i_scope_enter(const struct nvtxh_i_site *site,
                                               struct nvtxh_domain *domain,
                                               struct nvtxh_category *category, uint32_t color,
                                               uint32_t payload_type, uint64_t payload_bits)
{
    nvtxEventAttributes_t event;

    nvtxh_i_event(&event, site, domain, category, color, payload_type, payload_bits);
    return nvtxh_i_scope_push(domain, &event);
}

/* Without attributes the event is ready. */
NVTXH_I_LINKONCE uintptr_t nvtxh_i_scope_enter_plain(const struct nvtxh_i_site *site)
{
    struct nvtxh_domain *domain = site->domain;
    const struct nvtxh_i_slot *slot;

    if (!nvtxh_i_active_known())
        return 0;
    slot = nvtxh_i_registered(site, domain);
    if (NVTXH_I_UNLIKELY(!slot))
        return nvtxh_i_scope_enter(site, domain, NVTXH_I_NULL, 0, 0, 0);
    return nvtxh_i_scope_push(domain, NVTXH_I_BITS(const nvtxEventAttributes_t *, &slot->event[0]));
}

NVTXH_I_LINKONCE uintptr_t nvtxh_i_scope_enterf(const struct nvtxh_i_site *site, const char *format,
                                                ...)
{
    struct nvtxh_i_message message;
    nvtxEventAttributes_t event;
    uintptr_t open;
    va_list args;

    va_start(args, format);
    nvtxh_i_format(&message, format, args);
    va_end(args);
    nvtxh_i_eventf(&event, site, message.text);
    open = nvtxh_i_scope_push(site->domain, &event);
    nvtxh_i_free_message(&message);
    return open;
}

NVTXH_I_LINKONCE void nvtxh_i_scope_leave(uintptr_t open)
{
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
                                      uint32_t payload_type, uint64_t payload_bits)
{
    nvtxEventAttributes_t event;

    nvtxh_i_event(&event, site, domain, category, color, payload_type, payload_bits);
    nvtxh_i_mark_event(domain, &event);
}

NVTXH_I_LINKONCE void nvtxh_i_mark_atf(const struct nvtxh_i_site *site, const char *format, ...)
{
    struct nvtxh_i_message message;
    nvtxEventAttributes_t event;
    va_list args;

    va_start(args, format);
    nvtxh_i_format(&message, format, args);
    va_end(args);
    nvtxh_i_eventf(&event, site, message.text);
    nvtxh_i_mark_event(site->domain, &event);
    nvtxh_i_free_message(&message);
}

NVTXH_I_C_END

#endif
