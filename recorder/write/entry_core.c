/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "chain.h"
#include "chain_translate.h"
#include "entry_fast.h"
#include "event.h"
#include "ext_abi.h"
#include "file.h"
#include "handle.h"
#include "losses.h"
#include "memory.h"
#include "registry.h"
#include "session.h"
#include "stream.h"
#include "subscribe.h"
#include "tentative.h"
#include "text.h"
#include "../format/clock.h"

#include <stddef.h>
#include <string.h>

/* The callbacks of NVTX's core modules, and the entry point, which NVTX calls for each executable and shared object
 * that contains NVTX, with the object's own table of callbacks. All tables get the same callbacks. */

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
    BUFFER_OWNED struct buffer text;
    registry_name(REC_CATEGORY, handle_default_domain, category, utf8_make(&text, name));
}

static void thread_a(uint32_t tid, const char *name)
{
    registry_name(REC_THREAD, 0, tid, name);
}

static void thread_w(uint32_t tid, const wchar_t *name)
{
    BUFFER_OWNED struct buffer text;
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
    BUFFER_OWNED struct buffer text;
    registry_name(REC_CATEGORY, handle_domain(domain), category, utf8_make(&text, name));
}

static nvtxStringHandle_t register_a(nvtxDomainHandle_t domain, const char *text)
{
    return handle_make(registry_intern(REC_REGISTERED, handle_domain(domain), text), HANDLE_STRING);
}

static nvtxStringHandle_t register_w(nvtxDomainHandle_t domain, const wchar_t *wide_text)
{
    BUFFER_OWNED struct buffer text;
    return register_a(domain, utf8_make(&text, wide_text));
}

static nvtxDomainHandle_t create_a(const char *name)
{
    return handle_of_domain(registry_intern(REC_DOMAIN, 0, name), name);
}

static nvtxDomainHandle_t create_w(const wchar_t *name)
{
    BUFFER_OWNED struct buffer text;
    return create_a(utf8_make(&text, name));
}

static void destroy(nvtxDomainHandle_t domain)
{
    if (domain) {
        registry_note(REC_GONE, handle_domain(domain), 0, NULL, 0);
    }
}

/* --- resources: names of CUDA, CUDA runtime and OpenCL objects; a program's own; synchronization ------ */

/* Resource types of NVTX, repeated here because the headers that define them need those of CUDA and OpenCL. */
enum { CUDA = 4 << 16, CUDART = 5 << 16, OPENCL = 6 << 16 };

static uint32_t keep_resource(uint32_t domain, struct rec_resource fixed, const char *name,
                              bool unique)
{
    BUFFER_OWNED struct buffer b;

    buffer_init(&b);
    buffer_add(&b, &fixed, sizeof(fixed));
    buffer_add(&b, name, losses_text_size(name, REC_TEXT_MAX / 2));
    if (b.failed) {
        losses_count(REC_LOSS_NAMES);
        return 0;
    }
    return registry_resource(domain, buffer_bytes(&b), b.used, unique);
}

static void *create_named(uint32_t domain, struct rec_resource fixed, int32_t type,
                          nvtxMessageValue_t message)
{
    BUFFER_OWNED struct buffer wide;
    const char *text = utf8_make(&wide, type == NVTX_MESSAGE_TYPE_UNICODE ? message.unicode : NULL);

    fixed.name = type == NVTX_MESSAGE_TYPE_REGISTERED ? handle_string(message.registered) : 0;
    const char *name = type == NVTX_MESSAGE_TYPE_ASCII ? message.ascii : text;
    return handle_make(keep_resource(domain, fixed, name, true), HANDLE_RESOURCE);
}

/* --- names: the object comes first, an int or a pointer ----------------------------------------- */

#define NAMING(function, object, kind)                                                             \
    static void function##_a(object thing, const char *name)                                       \
    {                                                                                              \
        keep_resource(0, (struct rec_resource){.identifier = (uint64_t)thing, .type = (kind)},     \
                      name, false);                                                                \
    }                                                                                              \
    static void function##_w(object thing, const wchar_t *wide)                                    \
    {                                                                                              \
        BUFFER_OWNED struct buffer name;                                                           \
        function##_a(thing, utf8_make(&name, wide));                                               \
    }
NAMING(cu_device, int, CUDA + 1)
NAMING(cu_context, uintptr_t, CUDA + 2)
NAMING(cu_stream, uintptr_t, CUDA + 3)
NAMING(cu_event, uintptr_t, CUDA + 4)
NAMING(cuda_device, int, CUDART + 0)
NAMING(cuda_stream, uintptr_t, CUDART + 1)
NAMING(cuda_event, uintptr_t, CUDART + 2)
NAMING(cl_device, uintptr_t, OPENCL + 1)
NAMING(cl_context, uintptr_t, OPENCL + 2)
NAMING(cl_queue, uintptr_t, OPENCL + 3)
NAMING(cl_memory, uintptr_t, OPENCL + 4)
NAMING(cl_sampler, uintptr_t, OPENCL + 5)
NAMING(cl_program, uintptr_t, OPENCL + 6)
NAMING(cl_event, uintptr_t, OPENCL + 7)

/* --- resources of the program's own ----------------------------------------------------------- */

static nvtxResourceHandle_t resource_create(nvtxDomainHandle_t domain, nvtxResourceAttributes_t *a)
{
    if (!a || !ext_size_is_plausible(a->size, sizeof(*a))) {
        losses_count(REC_LOSS_RESOURCE);
        return NULL;
    }
    struct rec_resource fixed = {.identifier = a->identifier.ullValue,
                                 .type = (uint32_t)a->identifierType};
    return create_named(handle_domain(domain), fixed, a->messageType, a->message);
}

static void resource_destroy(nvtxResourceHandle_t handle)
{
    if (handle) {
        registry_resource_gone(handle_resource(handle));
    }
}

/* --- synchronization -------------------------------------------------------------------------- */

static void *sync_create(nvtxDomainHandle_t domain, const struct chain_sync *a)
{
    if (!a || !ext_size_is_plausible(a->size, sizeof(*a))) {
        losses_count(REC_LOSS_SYNC);
        return NULL;
    }
    return create_named(handle_domain(domain),
                        (struct rec_resource){.type = REC_RESOURCE_SYNC_USER}, a->message_type,
                        a->message);
}

static void sync_event(void *handle, enum rec_sync what)
{
    uint32_t body[2] = {handle_resource(handle), what};

    if (body[0]) {
        event_extended(0, REC_EXTENDED_SYNC, &(struct stream_piece){body, sizeof(body)}, 1);
    }
}

static void acquire_start(void *handle)
{
    sync_event(handle, REC_SYNC_ACQUIRE_START);
}

static void acquire_failed(void *handle)
{
    sync_event(handle, REC_SYNC_ACQUIRE_FAILED);
}

static void acquire_success(void *handle)
{
    sync_event(handle, REC_SYNC_ACQUIRE_SUCCESS);
}

static void releasing(void *handle)
{
    sync_event(handle, REC_SYNC_RELEASING);
}

/* --- subscription ----------------------------------------------------------------------------- */

#define CORE(name, function) CALLBACK(CORE, NVTX_CBID_CORE_##name, function)
#define CORE2(name, function) CALLBACK(CORE2, NVTX_CBID_CORE2_##name, function)

#define NAMES(module, what, function)                                                              \
    CALLBACK(module, NVTX_CBID_##module##_Name##what##A, function##_a),                            \
        CALLBACK(module, NVTX_CBID_##module##_Name##what##W, function##_w)

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
    CALLBACK(CORE2, NVTX_CBID_CORE2_DomainResourceCreate, resource_create),
    CALLBACK(CORE2, NVTX_CBID_CORE2_DomainResourceDestroy, resource_destroy),
    NAMES(CUDA, CuDevice, cu_device),
    NAMES(CUDA, CuContext, cu_context),
    NAMES(CUDA, CuStream, cu_stream),
    NAMES(CUDA, CuEvent, cu_event),
    NAMES(CUDART, CudaDevice, cuda_device),
    NAMES(CUDART, CudaStream, cuda_stream),
    NAMES(CUDART, CudaEvent, cuda_event),
    NAMES(OPENCL, ClDevice, cl_device),
    NAMES(OPENCL, ClContext, cl_context),
    NAMES(OPENCL, ClCommandQueue, cl_queue),
    NAMES(OPENCL, ClMemObject, cl_memory),
    NAMES(OPENCL, ClSampler, cl_sampler),
    NAMES(OPENCL, ClProgram, cl_program),
    NAMES(OPENCL, ClEvent, cl_event),
    CALLBACK(SYNC, NVTX_CBID_SYNC_DomainSyncUserCreate, sync_create),
    CALLBACK(SYNC, NVTX_CBID_SYNC_DomainSyncUserDestroy, resource_destroy),
    CALLBACK(SYNC, NVTX_CBID_SYNC_DomainSyncUserAcquireStart, acquire_start),
    CALLBACK(SYNC, NVTX_CBID_SYNC_DomainSyncUserAcquireFailed, acquire_failed),
    CALLBACK(SYNC, NVTX_CBID_SYNC_DomainSyncUserAcquireSuccess, acquire_success),
    CALLBACK(SYNC, NVTX_CBID_SYNC_DomainSyncUserReleasing, releasing),
    {0},
};

/* Replacements of callbacks above, used if the clock is a counter of the processor, the default domain is recorded and
 * has no captures, and short ranges are kept. */
static const struct callback fast_callbacks[] = {
    CORE(RangePushEx, entry_fast_push),
    CORE(RangePushA, entry_fast_push_text),
    CORE(RangePop, entry_fast_pop),
    CORE2(DomainRangePushEx, entry_fast_domain_push),
    CORE2(DomainRangePop, entry_fast_domain_pop),
    {0},
};

static const struct {
    NvtxCallbackModule module;
    enum rec_loss loss;
} modules[] = {
    {NVTX_CB_MODULE_CUDA, REC_LOSS_CUDA},
    {NVTX_CB_MODULE_CUDART, REC_LOSS_CUDART},
    {NVTX_CB_MODULE_OPENCL, REC_LOSS_OPENCL},
    {NVTX_CB_MODULE_SYNC, REC_LOSS_SYNC},
};

/* Fills the tables with functions that count: calls that a recording cannot hold are counted by kind, so that nobody
 * takes the recording for complete. Call it before the known callbacks are put in. */
static void subscribe_unsupported(const NvtxExportTableCallbacks *exported)
{
    NvtxFunctionTable table;
    unsigned size;

    for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
        if (!exported->GetModuleFunctionTable(modules[i].module, &table, &size) || !table) {
            continue;
        }
        for (unsigned id = 1; id < size; id++) { /* 0 is no function */
            if (table[id]) {
                *table[id] = (NvtxFunctionPointer)losses_function(modules[i].loss);
            }
        }
    }
}

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
    subscribe_unsupported(exported);
    subscribe(ours, callbacks);
    if (file_clock != REC_CLOCK_MONOTONIC && handle_default_usual() && !tentative_wanted()) {
        subscribe(ours, fast_callbacks);
    }
    if (ours != exported) {
        chain_end(exported);
    }
    return 1;
}
