/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The callbacks, and which of them the test tool subscribes to. */
#include "tool.h"

#include <errno.h>
#include <stdlib.h>

#define EVENT_FROM(given, domain, with_domain)                                                     \
    struct log_event event = {0};                                                                  \
    tool_begin();                                                                                  \
    tool_fill(&event, domain, with_domain, given)
#define EVENT_NAMED(message)                                                                       \
    struct log_event event = {.text = tool_copy(message), .by_name_only = true};                   \
    tool_begin()
#define DOMAIN(handle) ((struct domain *)(handle))

static int push_ex(const nvtxEventAttributes_t *given) {
    EVENT_FROM(given, NULL, false);
    return tool_push(NULL, &event);
}

static int push_a(const char *message) {
    EVENT_NAMED(message);
    return tool_push(NULL, &event);
}

static int pop_plain(void) {
    return tool_pop(NULL, NULL);
}

static void mark_ex(const nvtxEventAttributes_t *given) {
    EVENT_FROM(given, NULL, false);
    event.kind = LOG_MARK;
    tool_note(&event, NULL);
}

static void mark_a(const char *message) {
    EVENT_NAMED(message);
    event.kind = LOG_MARK;
    tool_note(&event, NULL);
}

static nvtxRangeId_t start_ex(const nvtxEventAttributes_t *given) {
    EVENT_FROM(given, NULL, false);
    return tool_start(NULL, &event);
}

static nvtxRangeId_t start_a(const char *message) {
    EVENT_NAMED(message);
    return tool_start(NULL, &event);
}

static void end_plain(nvtxRangeId_t id) {
    tool_end(NULL, id, NULL);
}

static void category(uint32_t number, const char *text) {
    tool_name(LOG_CATEGORY, NULL, number, text);
}

static void thread(uint32_t tid, const char *text) {
    tool_name(LOG_THREAD, NULL, tid, text);
}

static int domain_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *given) {
    EVENT_FROM(given, DOMAIN(domain), true);
    return tool_push(DOMAIN(domain), &event);
}

static int domain_pop(nvtxDomainHandle_t domain) {
    return tool_pop(DOMAIN(domain), NULL);
}

static void domain_mark(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *given) {
    EVENT_FROM(given, DOMAIN(domain), true);
    event.kind = LOG_MARK;
    tool_note(&event, DOMAIN(domain));
}

static nvtxRangeId_t domain_start(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *given) {
    EVENT_FROM(given, DOMAIN(domain), true);
    return tool_start(DOMAIN(domain), &event);
}

static void domain_end(nvtxDomainHandle_t domain, nvtxRangeId_t id) {
    tool_end(DOMAIN(domain), id, NULL);
    errno = EBADMSG; /* as a tool may */
}

static void domain_category(nvtxDomainHandle_t domain, uint32_t number, const char *text) {
    tool_name(LOG_CATEGORY, DOMAIN(domain), number, text);
}

static void domain_destroy(nvtxDomainHandle_t domain) {
    tool_name(LOG_DESTROY, DOMAIN(domain), 0, NULL);
}

/* Handles live for ever: a tool that gives memory back would hide use after the end. */
static nvtxDomainHandle_t domain_create(const char *text) {
    static struct domain quiet = {NULL};
    struct domain *domain = &quiet;

    if (!tool.silent) {
        domain = (struct domain *)calloc(1, sizeof(*domain));
        if (!domain)
            abort();
        domain->name = tool_copy(text);
    }
    tool_name(LOG_DOMAIN, NULL, 0, text);
    return tool.null_handles ? NULL : (nvtxDomainHandle_t)domain;
}

static nvtxStringHandle_t string_register(nvtxDomainHandle_t domain, const char *text) {
    static struct string quiet = {NULL, NULL};
    struct string *string = &quiet;

    if (!tool.silent) {
        string = (struct string *)calloc(1, sizeof(*string));
        if (!string)
            abort();
        string->domain = DOMAIN(domain);
        string->text = tool_copy(text);
    }
    tool_name(LOG_STRING, DOMAIN(domain), 0, text);
    return tool.null_handles ? NULL : (nvtxStringHandle_t)string;
}

/* --- names of CUDA's objects; CUDA's headers are not needed for them ----------------------------- */

static void resource(enum log_resource what, const char *text) {
    struct log_event event = {
        .kind = LOG_RESOURCE, .result = what, .text = tool.silent ? NULL : tool_copy(text)};

    tool_begin();
    tool_note(&event, NULL);
}

static void cuda_device(int device, const char *text) {
    (void)device;
    resource(LOG_CUDA_DEVICE, text);
}

static void cuda_stream(void *stream, const char *text) {
    (void)stream;
    resource(LOG_CUDA_STREAM, text);
}

static void cuda_event(void *event, const char *text) {
    (void)event;
    resource(LOG_CUDA_EVENT, text);
}

static void cu_device(int device, const char *text) {
    (void)device;
    resource(LOG_CU_DEVICE, text);
}

static void cu_context(void *context, const char *text) {
    (void)context;
    resource(LOG_CU_CONTEXT, text);
}

static void cu_stream(void *stream, const char *text) {
    (void)stream;
    resource(LOG_CU_STREAM, text);
}

static void cu_event(void *event, const char *text) {
    (void)event;
    resource(LOG_CU_EVENT, text);
}

/* --- what it subscribes to -------------------------------------------------------------------- */

static void set(NvtxFunctionTable table, unsigned size, unsigned id, NvtxFunctionPointer function,
                bool wanted) {
    if (wanted && id < size)
        *table[id] = function;
}

#define SET(id, function, wanted) set(table, size, id, (NvtxFunctionPointer)(function), wanted)

static void subscribe(const NvtxExportTableCallbacks *callbacks) {
    bool pushes = !tool_is("mark") && !tool_is("thread"), others = pushes && !tool_is("pushpop"),
         plain, domains;
    NvtxFunctionTable table;
    unsigned size;

    plain = !tool_is("core2");
    domains = !tool_is("core");
    if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size) && plain) {
        SET(NVTX_CBID_CORE_RangePushEx, push_ex, pushes);
        SET(NVTX_CBID_CORE_RangePushA, push_a, pushes);
        SET(NVTX_CBID_CORE_RangePop, pop_plain, pushes);
        SET(NVTX_CBID_CORE_MarkEx, mark_ex, others || tool_is("mark"));
        SET(NVTX_CBID_CORE_MarkA, mark_a, others || tool_is("mark"));
        SET(NVTX_CBID_CORE_RangeStartEx, start_ex, others);
        SET(NVTX_CBID_CORE_RangeStartA, start_a, others);
        SET(NVTX_CBID_CORE_RangeEnd, end_plain, others);
        SET(NVTX_CBID_CORE_NameCategoryA, category, others);
        SET(NVTX_CBID_CORE_NameOsThreadA, thread, others || tool_is("thread"));
    }
    if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) && domains) {
        SET(NVTX_CBID_CORE2_DomainRangePushEx, domain_push, pushes);
        SET(NVTX_CBID_CORE2_DomainRangePop, domain_pop, pushes);
        SET(NVTX_CBID_CORE2_DomainMarkEx, domain_mark, others || tool_is("mark"));
        SET(NVTX_CBID_CORE2_DomainRangeStartEx, domain_start, others);
        SET(NVTX_CBID_CORE2_DomainRangeEnd, domain_end, others);
        SET(NVTX_CBID_CORE2_DomainNameCategoryA, domain_category, others);
        SET(NVTX_CBID_CORE2_DomainRegisterStringA, string_register, others && !tool_is("nostring"));
        SET(NVTX_CBID_CORE2_DomainCreateA, domain_create, others && !tool_is("nodomain"));
        SET(NVTX_CBID_CORE2_DomainDestroy, domain_destroy, others);
    }
    if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CUDART, &table, &size)) {
        SET(NVTX_CBID_CUDART_NameCudaDeviceA, cuda_device, others);
        SET(NVTX_CBID_CUDART_NameCudaStreamA, cuda_stream, others);
        SET(NVTX_CBID_CUDART_NameCudaEventA, cuda_event, others);
    }
    if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CUDA, &table, &size)) {
        SET(NVTX_CBID_CUDA_NameCuDeviceA, cu_device, others);
        SET(NVTX_CBID_CUDA_NameCuContextA, cu_context, others);
        SET(NVTX_CBID_CUDA_NameCuStreamA, cu_stream, others);
        SET(NVTX_CBID_CUDA_NameCuEventA, cu_event, others);
    }
}

/* Found by this name. */
int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get);

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get) {
    const NvtxExportTableCallbacks *callbacks =
        (const NvtxExportTableCallbacks *)get(NVTX_ETID_CALLBACKS);

    tool.null_handles = tool_is("null");
    tool.uncounted = tool_is("uncounted");
    tool.slow = tool_is("slow");
    tool.silent = tool_is("silent");
    tool_name(LOG_INIT, NULL, 0, NULL);
    if (tool_is("fail") || !callbacks)
        return 0;
    subscribe(callbacks);
    return !tool_is("faillate");
}
