/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of CUDA, CUDA runtime and OpenCL objects, a program's own resources, and events of synchronization objects. */
#include "buffer.h"
#include "event.h"
#include "ext_abi.h"
#include "handle.h"
#include "losses.h"
#include "registry.h"
#include "stream.h"
#include "subscribe.h"
#include "utf8.h"

#include <string.h>

/* These types are part of the interface between NVTX and tools. They are repeated here, because the headers that define
 * them need those of CUDA and OpenCL. */
enum { CUDA = 4 << 16, CUDART = 5 << 16, OPENCL = 6 << 16 };

static uint32_t keep(uint32_t domain, struct rec_resource fixed, const char *name, bool unique)
{
    struct buffer b;
    uint32_t id = 0;

    buffer_init(&b);
    buffer_add(&b, &fixed, sizeof(fixed));
    buffer_add(&b, name, losses_text_size(name, REC_TEXT_MAX / 2));
    if (b.failed) {
        losses_count(REC_LOSS_NAMES);
    } else {
        id = registry_resource(domain, buffer_bytes(&b), b.used, unique);
    }
    buffer_free(&b);
    return id;
}

/* Returns the handle of a new resource. */
static void *create_named(uint32_t domain, struct rec_resource fixed, int32_t type,
                          nvtxMessageValue_t message)
{
    UTF8_OWNED struct utf8 wide;
    const char *text = utf8_make(&wide, type == NVTX_MESSAGE_TYPE_UNICODE ? message.unicode : NULL);

    fixed.name = type == NVTX_MESSAGE_TYPE_REGISTERED ? handle_string(message.registered) : 0;
    const char *name = type == NVTX_MESSAGE_TYPE_ASCII ? message.ascii : text;
    return handle_make(keep(domain, fixed, name, true), HANDLE_RESOURCE);
}

/* --- names: the object comes first, an int or a pointer ----------------------------------------- */

#define NAMING(function, object, kind)                                                             \
    static void function##_a(object thing, const char *name)                                       \
    {                                                                                              \
        keep(0, (struct rec_resource){.identifier = (uint64_t)thing, .type = (kind)}, name,        \
             false);                                                                               \
    }                                                                                              \
    static void function##_w(object thing, const wchar_t *wide)                                    \
    {                                                                                              \
        UTF8_OWNED struct utf8 name;                                                               \
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

static nvtxResourceHandle_t create(nvtxDomainHandle_t domain, nvtxResourceAttributes_t *a)
{
    if (!a || !ext_size_is_plausible(a->size, sizeof(*a))) {
        losses_count(REC_LOSS_RESOURCE);
        return NULL;
    }
    struct rec_resource fixed = {.identifier = a->identifier.ullValue,
                                 .type = (uint32_t)a->identifierType};
    return create_named(handle_domain(domain), fixed, a->messageType, a->message);
}

static void destroy(nvtxResourceHandle_t handle)
{
    if (handle) {
        registry_resource_gone(handle_resource(handle));
    }
}

/* --- synchronization -------------------------------------------------------------------------- */

/* The layout of nvtxSyncUserAttributes_t in nvToolsExtSync.h. */
struct sync_attributes {
    uint16_t version, size;
    int32_t message_type;
    nvtxMessageValue_t message;
};

static void *sync_create(nvtxDomainHandle_t domain, const struct sync_attributes *a)
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

#define NAMES(module, what, function)                                                              \
    CALLBACK(module, NVTX_CBID_##module##_Name##what##A, function##_a),                            \
        CALLBACK(module, NVTX_CBID_##module##_Name##what##W, function##_w)

const struct callback entry_resource_callbacks[] = {
    CALLBACK(CORE2, NVTX_CBID_CORE2_DomainResourceCreate, create),
    CALLBACK(CORE2, NVTX_CBID_CORE2_DomainResourceDestroy, destroy),
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
    CALLBACK(SYNC, NVTX_CBID_SYNC_DomainSyncUserDestroy, destroy),
    CALLBACK(SYNC, NVTX_CBID_SYNC_DomainSyncUserAcquireStart, acquire_start),
    CALLBACK(SYNC, NVTX_CBID_SYNC_DomainSyncUserAcquireFailed, acquire_failed),
    CALLBACK(SYNC, NVTX_CBID_SYNC_DomainSyncUserAcquireSuccess, acquire_success),
    CALLBACK(SYNC, NVTX_CBID_SYNC_DomainSyncUserReleasing, releasing),
    {0},
};
