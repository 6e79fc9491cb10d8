/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tool.h"
#include "tool_translate.h"
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
#include "record_write.h"
#include "text.h"
#include "../format/clock.h"

#include <stddef.h>

/* The callbacks of NVTX's core modules, and the entry point. NVTX calls the entry point for each
 * executable and shared object that contains NVTX. Each such object has its own tables of
 * callbacks; all objects get the same callbacks. */

/* --- resources: named CUDA and OpenCL objects; the program's resources and locks -------------- */

static uint32_t keep_resource(uint32_t domain, struct rec_resource fixed, const char *name,
                              bool unique) {
    BUFFER(b);
    buffer_add(&b, &fixed, sizeof(fixed));
    buffer_add(&b, name, losses_text_size(name, REC_TEXT_MAX / 2));
    if (b.failed) {
        losses_count(REC_LOSS_NAMES);
        return 0;
    }
    return registry_resource(domain, buffer_bytes(&b), b.used, unique);
}

static void *create_named(nvtxDomainHandle_t handle, struct rec_resource fixed, int32_t type,
                          nvtxMessageValue_t message) {
    uint32_t domain = handle_domain(handle);

    BUFFER(wide);
    const char *text = utf8_make(&wide, type == NVTX_MESSAGE_TYPE_UNICODE ? message.unicode : NULL);

    fixed.name = type == NVTX_MESSAGE_TYPE_REGISTERED ? handle_string(message.registered) : 0;
    const char *name = type == NVTX_MESSAGE_TYPE_ASCII ? message.ascii : text;
    return handle_of_resource(domain, keep_resource(domain, fixed, name, true));
}

static void *create_resource(nvtxDomainHandle_t domain, const nvtxResourceAttributes_t *a) {
    if (!a || !ext_size_is_plausible(a->size, sizeof(*a))) {
        losses_count(REC_LOSS_RESOURCE);
        return NULL;
    }
    struct rec_resource fixed = {.identifier = a->identifier.ullValue,
                                 .type = (uint32_t)a->identifierType};
    return create_named(domain, fixed, a->messageType, a->message);
}

static void *create_sync(nvtxDomainHandle_t domain, const struct tool_sync *a) {
    if (!a || !ext_size_is_plausible(a->size, sizeof(*a))) {
        losses_count(REC_LOSS_SYNC);
        return NULL;
    }
    struct rec_resource fixed = {.type = REC_RESOURCE_SYNC_USER};
    return create_named(domain, fixed, a->messageType, a->message);
}

static void destroy_resource(void *handle) {
    uint32_t domain;

    if (handle) {
        registry_resource_gone(handle_resource(handle, &domain));
    }
}

static void sync_event(void *handle, enum rec_sync what) {
    uint32_t domain, body[2] = {handle_resource(handle, &domain), what};

    if (body[0]) {
        event_extended(domain, REC_EXTENDED_SYNC, &(struct stream_piece){body, sizeof(body)}, 1);
    }
}

/* --- domains and their strings ---------------------------------------------------------------- */

static void *create_domain(const char *name) {
    return handle_of_domain(registry_intern(REC_DOMAIN, 0, name), name);
}

static void destroy_domain(nvtxDomainHandle_t domain) {
    if (domain) {
        registry_domain_gone(handle_domain(domain));
    }
}

static void *register_string(nvtxDomainHandle_t domain, const char *text) {
    return handle_make(registry_intern(REC_REGISTERED, handle_domain(domain), text), HANDLE_STRING);
}

/* --- the calls: X(module, name, type of the result, parameters, what the recorder does) ------- */

/* With CALL_FUNCTION for X, the list defines the callbacks; CALL_ENTRY makes their table. */
#define CALL_FUNCTION(module, name, type, params, ...)                                             \
    static type module##_##name params {                                                           \
        __VA_ARGS__;                                                                               \
    }
#define CALL_ENTRY(module, name, ...)                                                              \
    CALLBACK(module, NVTX_CBID_##module##_##name, module##_##name),

/* The attributes of an event that has only a message. */
#define ONLY(kind, member, text)                                                                   \
    &(nvtxEventAttributes_t) {                                                                     \
        .version = NVTX_VERSION, .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,                            \
        .messageType = NVTX_MESSAGE_TYPE_##kind, .message.member = (text)                          \
    }
#define ASCII(text) ONLY(ASCII, ascii, text)
#define WIDE(text) ONLY(UNICODE, unicode, text)

/* Runs `call`. In it, the variable `name` is the parameter `wide` in UTF-8. */
#define UTF8(call)                                                                                 \
    BUFFER(text);                                                                                  \
    const char *name = utf8_make(&text, wide);                                                     \
    call

/* Functions that name objects. The first parameter is the object, an int or a pointer. */
#define NAMES(X, module, what, object, resource)                                                   \
    X(module, Name##what##A, void, (object o, const char *name),                                   \
      struct rec_resource r = {.identifier = (uint64_t)o, .type = resource};                       \
      keep_resource(0, r, name, false))                                                            \
    X(module, Name##what##W, void, (object o, const wchar_t *wide),                                \
      UTF8(module##_Name##what##A(o, name)))

/* NVTX's types of resources. The headers that define them need headers of CUDA and OpenCL. */
enum { CUDA = 4 << 16, CUDART = 5 << 16, OPENCL = 6 << 16 };

#define EX const nvtxEventAttributes_t *a
#define DEFAULT handle_default_domain
#define DOMAIN handle_domain(d)

#define ALL(X)                                                                                     \
    X(CORE, MarkEx, void, (EX), event_mark(DEFAULT, a))                                            \
    X(CORE, MarkA, void, (const char *text), event_mark(DEFAULT, ASCII(text)))                     \
    X(CORE, MarkW, void, (const wchar_t *text), event_mark(DEFAULT, WIDE(text)))                   \
    X(CORE, RangeStartEx, nvtxRangeId_t, (EX), return event_start(DEFAULT, a))                     \
    X(CORE, RangeStartA, nvtxRangeId_t, (const char *text),                                        \
      return event_start(DEFAULT, ASCII(text)))                                                    \
    X(CORE, RangeStartW, nvtxRangeId_t, (const wchar_t *text),                                     \
      return event_start(DEFAULT, WIDE(text)))                                                     \
    X(CORE, RangeEnd, void, (nvtxRangeId_t id), event_end(DEFAULT, id, NULL, 0))                   \
    X(CORE, RangePushEx, int, (EX), return event_push(DEFAULT, a))                                 \
    X(CORE, RangePushA, int, (const char *text), return event_push(DEFAULT, ASCII(text)))          \
    X(CORE, RangePushW, int, (const wchar_t *text), return event_push(DEFAULT, WIDE(text)))        \
    X(CORE, RangePop, int, (void), return event_pop(DEFAULT, NULL, 0, clock_ticks(file_clock)))    \
    X(CORE, NameCategoryA, void, (uint32_t id, const char *name),                                  \
      registry_name(REC_CATEGORY, DEFAULT, id, name))                                              \
    X(CORE, NameCategoryW, void, (uint32_t id, const wchar_t *wide),                               \
      UTF8(CORE_NameCategoryA(id, name)))                                                          \
    X(CORE, NameOsThreadA, void, (uint32_t tid, const char *name),                                 \
      registry_name(REC_THREAD, 0, tid, name))                                                     \
    X(CORE, NameOsThreadW, void, (uint32_t tid, const wchar_t *wide),                              \
      UTF8(CORE_NameOsThreadA(tid, name)))                                                         \
    X(CORE2, DomainMarkEx, void, (void *d, EX), event_mark(DOMAIN, a))                             \
    X(CORE2, DomainRangeStartEx, nvtxRangeId_t, (void *d, EX), return event_start(DOMAIN, a))      \
    X(CORE2, DomainRangeEnd, void, (void *d, nvtxRangeId_t id), event_end(DOMAIN, id, NULL, 0))    \
    X(CORE2, DomainRangePushEx, int, (void *d, EX), return event_push(DOMAIN, a))                  \
    X(CORE2, DomainRangePop, int, (void *d),                                                       \
      return event_pop(DOMAIN, NULL, 0, clock_ticks(file_clock)))                                  \
    X(CORE2, DomainNameCategoryA, void, (void *d, uint32_t id, const char *name),                  \
      registry_name(REC_CATEGORY, DOMAIN, id, name))                                               \
    X(CORE2, DomainNameCategoryW, void, (void *d, uint32_t id, const wchar_t *wide),               \
      UTF8(CORE2_DomainNameCategoryA(d, id, name)))                                                \
    X(CORE2, DomainRegisterStringA, void *, (void *d, const char *name),                           \
      return register_string(d, name))                                                             \
    X(CORE2, DomainRegisterStringW, void *, (void *d, const wchar_t *wide),                        \
      UTF8(return register_string(d, name)))                                                       \
    X(CORE2, DomainCreateA, void *, (const char *name), return create_domain(name))                \
    X(CORE2, DomainCreateW, void *, (const wchar_t *wide), UTF8(return create_domain(name)))       \
    X(CORE2, DomainDestroy, void, (void *d), destroy_domain(d))                                    \
    X(CORE2, DomainResourceCreate, void *, (void *d, const nvtxResourceAttributes_t *a),           \
      return create_resource(d, a))                                                                \
    X(CORE2, DomainResourceDestroy, void, (void *r), destroy_resource(r))                          \
    SUBSCRIBE_OBJECTS(X, NAMES)                                                                    \
    X(SYNC, DomainSyncUserCreate, void *, (void *d, const struct tool_sync *a),                    \
      return create_sync(d, a))                                                                    \
    X(SYNC, DomainSyncUserDestroy, void, (void *r), destroy_resource(r))                           \
    X(SYNC, DomainSyncUserAcquireStart, void, (void *r), sync_event(r, REC_SYNC_ACQUIRE_START))    \
    X(SYNC, DomainSyncUserAcquireFailed, void, (void *r), sync_event(r, REC_SYNC_ACQUIRE_FAILED))  \
    X(SYNC, DomainSyncUserAcquireSuccess, void, (void *r),                                         \
      sync_event(r, REC_SYNC_ACQUIRE_SUCCESS))                                                     \
    X(SYNC, DomainSyncUserReleasing, void, (void *r), sync_event(r, REC_SYNC_RELEASING))

ALL(CALL_FUNCTION)

static const struct callback callbacks[] = {ALL(CALL_ENTRY){0}};

/* --- subscription ----------------------------------------------------------------------------- */

/* The callbacks of the fast path, used in place of those above if the clock is a counter of the
 * processor, the default domain is recorded and has no captures (session.h), and no short ranges
 * are left out. */
static const struct callback fast_callbacks[] = {
    CALLBACK(CORE, NVTX_CBID_CORE_RangePushEx, entry_fast_push),
    CALLBACK(CORE, NVTX_CBID_CORE_RangePushA, entry_fast_push_text),
    CALLBACK(CORE, NVTX_CBID_CORE_RangePop, entry_fast_pop),
    CALLBACK(CORE2, NVTX_CBID_CORE2_DomainRangePushEx, entry_fast_domain_push),
    CALLBACK(CORE2, NVTX_CBID_CORE2_DomainRangePop, entry_fast_domain_pop),
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

/* Fills the tables with functions that only count their calls. Unsupported calls are reported as
 * losses, so that nobody takes the recording for complete. Call this before `subscribe`, which puts
 * in the recorder's own callbacks. */
static void subscribe_unsupported(const NvtxExportTableCallbacks *exported) {
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

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_export_table) {
    const NvtxExportTableCallbacks *exported = get_export_table(NVTX_ETID_CALLBACKS);

    if (!exported || exported->struct_size < sizeof(*exported)) {
        return 0;
    }
    if (!session_init()) {
        return tool_instead(get_export_table);
    }
    const NvtxExportTableCallbacks *ours = tool_begin(get_export_table, exported);
    subscribe_unsupported(exported);
    subscribe(ours, callbacks);
    if (file_clock != REC_CLOCK_MONOTONIC && handle_default_usual()) {
        subscribe(ours, fast_callbacks);
    }
    if (ours != exported) {
        tool_end(exported);
    }
    return 1;
}
