/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The entry point that NVTX calls, and the callbacks of NVTX's core modules. NVTX calls the entry point once for every
 * executable and shared object that contains NVTX, each time with that object's own table of callbacks. All tables get
 * the same functions.
 */
#include "chain.h"
#include "entry_fast.h"
#include "event.h"
#include "file.h"
#include "handle.h"
#include "registry.h"
#include "session.h"
#include "subscribe.h"
#include "tentative.h"
#include "unsupported.h"
#include "utf8.h"
#include "../format/clock.h"

#define EXPORT __attribute__((visibility("default")))

/* The attributes of an event with nothing but a message. */
#define ONLY(kind, member, text)                                                                   \
    &(nvtxEventAttributes_t)                                                                       \
    {                                                                                              \
        .version = NVTX_VERSION, .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,                            \
        .messageType = NVTX_MESSAGE_TYPE_##kind, .message.member = (text)                          \
    }
#define ASCII(text) ONLY(ASCII, ascii, text)
#define WIDE(text) ONLY(UNICODE, unicode, text)

/* --- the core module: the default domain ------------------------------------------------------ */

static void mark_ex(const nvtxEventAttributes_t *a)
{
    event_mark(handle_default_domain, a);
}

static void mark_a(const char *text)
{
    event_mark(handle_default_domain, ASCII(text));
}

static void mark_w(const wchar_t *text)
{
    event_mark(handle_default_domain, WIDE(text));
}

static nvtxRangeId_t start_ex(const nvtxEventAttributes_t *a)
{
    return event_start(handle_default_domain, a);
}

static nvtxRangeId_t start_a(const char *text)
{
    return event_start(handle_default_domain, ASCII(text));
}

static nvtxRangeId_t start_w(const wchar_t *text)
{
    return event_start(handle_default_domain, WIDE(text));
}

static void end(nvtxRangeId_t id)
{
    event_end(handle_default_domain, id);
}

static int push_ex(const nvtxEventAttributes_t *a)
{
    return event_push(handle_default_domain, a);
}

static int push_a(const char *text)
{
    return event_push_text(text);
}

static int push_w(const wchar_t *text)
{
    return event_push(handle_default_domain, WIDE(text));
}

static int pop(void)
{
    return event_pop(handle_default_domain, clock_ticks(file_clock));
}

static void category_a(uint32_t category, const char *name)
{
    registry_name(REC_CATEGORY, handle_default_domain, category, name);
}

static void category_w(uint32_t category, const wchar_t *name)
{
    UTF8_OWNED struct utf8 text;
    registry_name(REC_CATEGORY, handle_default_domain, category, utf8_make(&text, name));
}

static void thread_a(uint32_t tid, const char *name)
{
    registry_name(REC_THREAD, 0, tid, name);
}

static void thread_w(uint32_t tid, const wchar_t *name)
{
    UTF8_OWNED struct utf8 text;
    registry_name(REC_THREAD, 0, tid, utf8_make(&text, name));
}

/* --- the core2 module: domains ---------------------------------------------------------------- */

static void domain_mark(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a)
{
    event_mark(handle_domain(domain), a);
}

static nvtxRangeId_t domain_start(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a)
{
    return event_start(handle_domain(domain), a);
}

static void domain_end(nvtxDomainHandle_t domain, nvtxRangeId_t id)
{
    event_end(handle_domain(domain), id);
}

static int domain_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a)
{
    return event_push(handle_domain(domain), a);
}

static int domain_pop(nvtxDomainHandle_t domain)
{
    return event_pop(handle_domain(domain), clock_ticks(file_clock));
}

static void domain_category_a(nvtxDomainHandle_t domain, uint32_t category, const char *name)
{
    registry_name(REC_CATEGORY, handle_domain(domain), category, name);
}

static void domain_category_w(nvtxDomainHandle_t domain, uint32_t category, const wchar_t *name)
{
    UTF8_OWNED struct utf8 text;
    registry_name(REC_CATEGORY, handle_domain(domain), category, utf8_make(&text, name));
}

static nvtxStringHandle_t register_a(nvtxDomainHandle_t domain, const char *text)
{
    return handle_make(registry_intern(REC_REGISTERED, handle_domain(domain), text), HANDLE_STRING);
}

static nvtxStringHandle_t register_w(nvtxDomainHandle_t domain, const wchar_t *wide_text)
{
    UTF8_OWNED struct utf8 text;
    return register_a(domain, utf8_make(&text, wide_text));
}

static nvtxDomainHandle_t create_a(const char *name)
{
    return handle_of_domain(registry_intern(REC_DOMAIN, 0, name), name);
}

static nvtxDomainHandle_t create_w(const wchar_t *name)
{
    UTF8_OWNED struct utf8 text;
    return create_a(utf8_make(&text, name));
}

static void destroy(nvtxDomainHandle_t domain)
{
    if (domain) {
        registry_note(REC_GONE, handle_domain(domain), 0, NULL, 0);
    }
}

/* --- subscription ----------------------------------------------------------------------------- */

#define CORE(name, function) CALLBACK(CORE, NVTX_CBID_CORE_##name, function)
#define CORE2(name, function) CALLBACK(CORE2, NVTX_CBID_CORE2_##name, function)

static const struct callback callbacks[] = {
    CORE(MarkEx, mark_ex),
    CORE(MarkA, mark_a),
    CORE(MarkW, mark_w),
    CORE(RangeStartEx, start_ex),
    CORE(RangeStartA, start_a),
    CORE(RangeStartW, start_w),
    CORE(RangeEnd, end),
    CORE(RangePushEx, push_ex),
    CORE(RangePushA, push_a),
    CORE(RangePushW, push_w),
    CORE(RangePop, pop),
    CORE(NameCategoryA, category_a),
    CORE(NameCategoryW, category_w),
    CORE(NameOsThreadA, thread_a),
    CORE(NameOsThreadW, thread_w),
    CORE2(DomainMarkEx, domain_mark),
    CORE2(DomainRangeStartEx, domain_start),
    CORE2(DomainRangeEnd, domain_end),
    CORE2(DomainRangePushEx, domain_push),
    CORE2(DomainRangePop, domain_pop),
    CORE2(DomainNameCategoryA, domain_category_a),
    CORE2(DomainNameCategoryW, domain_category_w),
    CORE2(DomainRegisterStringA, register_a),
    CORE2(DomainRegisterStringW, register_w),
    CORE2(DomainCreateA, create_a),
    CORE2(DomainCreateW, create_w),
    CORE2(DomainDestroy, destroy),
    {0},
};

/* These take the place of the same callbacks above if the clock is a counter of the processor, the default domain is
 * recorded and has no captures, and short ranges are kept. */
static const struct callback fast_callbacks[] = {
    CORE(RangePushEx, entry_fast_push),
    CORE(RangePushA, entry_fast_push_text),
    CORE(RangePop, entry_fast_pop),
    CORE2(DomainRangePushEx, entry_fast_domain_push),
    CORE2(DomainRangePop, entry_fast_domain_pop),
    {0},
};

EXPORT int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_export_table);

EXPORT int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_export_table)
{
    const NvtxExportTableCallbacks *exported = get_export_table(NVTX_ETID_CALLBACKS);

    if (!exported || exported->struct_size < sizeof(*exported)) {
        return 0;
    }
    if (!session_init()) {
        return chain_instead(get_export_table);
    }
    const NvtxExportTableCallbacks *ours = chain_begin(get_export_table, exported);
    unsupported_subscribe(exported);
    subscribe(ours, callbacks);
    subscribe(ours, entry_resource_callbacks);
    if (file_clock != REC_CLOCK_MONOTONIC && handle_default_usual() && !tentative_wanted()) {
        subscribe(ours, fast_callbacks);
    }
    if (ours != exported) {
        chain_end(exported);
    }
    return 1;
}
