/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DEVICE_LANE_H
#define NVTXH_DEVICE_LANE_H

/* Tells the tool in which stream a range or mark was, so that the tool can show a lane (a row of
 * its timeline) for each stream. Each stream is registered as a scope of NVTX. The payload of a
 * range's end is the scope's id; the payload of the beginning is the program's. Not API. */

#include "../impl/event.h"
#include "../impl/nvtx_payload.h"
#include "pool.h"

#include <stdio.h>
#include <string.h>

NVTXH_I_C_BEGIN

#if NVTXH_I_EXTENSIONS

enum { NVTXH_I_LANES = 1024 }; /* pairs of a stream and a domain; further pairs get no lane */

/* The hash of each pair whose scope was registered with the tool; 0: the element is free. */
NVTXH_I_LINKONCE uint64_t nvtxh_i_lanes[NVTXH_I_LANES] NVTXH_I_LINKED("lanes");

/* Registers the stream as a scope. By the scope's path the recorder finds the name that the program
 * gave the stream: see FORMAT.md. Programs know the legacy default stream (handle 1) as stream
 * 0. */
NVTXH_I_COLD void nvtxh_i_lane_register(uint64_t stream, struct nvtxh_domain *domain, uint32_t id) {
    nvtxScopeAttr_t attr;
    char path[40];

    snprintf(path, sizeof(path), "CUDA stream 0x%llx",
             (unsigned long long)(stream == 1 ? 0 : stream));
    memset(&attr, 0, sizeof(attr));
    attr.structSize = sizeof(attr);
    attr.path = path;
    attr.parentScope = NVTX_SCOPE_ROOT;
    attr.scopeId = id;
    (void)nvtxScopeRegister(nvtxh_i_handle(domain), &attr);
}

/* The id of the stream's scope. Registers the scope if it is new in the domain; two threads may do
 * so at once. 0: the tool has no scopes, or NVTXH_I_LANES are in use. The id is computed from the
 * stream's handle (1, 2 or an aligned address), so that all linked objects that use the stream in a
 * domain get one id. If the tools chose ids, several chained tools would choose different ones. */
static inline uint32_t nvtxh_i_lane_of(nvtxh_i_stream handle, struct nvtxh_domain *domain) {
    /* odd: 2^64 over the golden ratio */
    const uint64_t odd = 0x9e3779b97f4a7c15u, first = NVTX_SCOPE_ID_STATIC_START;
    uint64_t stream = (uintptr_t)handle, hash = stream * odd ^ (uintptr_t)domain, found;
    uint64_t id = first + ((stream >> 4) + (stream & 15)) % (NVTX_SCOPE_ID_DYNAMIC_START - first);
    uint32_t i;

    hash = (hash ^ hash >> 32) * odd;
    hash |= !hash;
    for (i = 0; i < NVTXH_I_LANES; i++) {
        uint64_t *entry = &nvtxh_i_lanes[((hash >> 32) + i) % NVTXH_I_LANES];

        found = __atomic_load_n(entry, __ATOMIC_ACQUIRE);
        if (NVTXH_I_UNLIKELY(!found)) {
            nvtxh_i_lane_register(stream, domain, (uint32_t)id);
            __atomic_compare_exchange_n(entry, &found, hash, false, __ATOMIC_RELEASE,
                                        __ATOMIC_ACQUIRE);
        }
        if (!found || found == hash) {
            return NVTXH_I_EXT(nvtxScopeRegister) ? (uint32_t)id : 0;
        }
    }
    return 0;
}

static inline void nvtxh_i_lane_end(const struct nvtxh_i_device_slot *slot, uint64_t id) {
    const uint64_t scope = slot->scope;
    const nvtxPayloadData_t payload = {NVTX_PAYLOAD_ENTRY_TYPE_SCOPE_ID, sizeof(scope), &scope};

    if (scope && NVTXH_I_EXT(nvtxRangeEndPayload)) {
        nvtxRangeEndPayload(nvtxh_i_handle(slot->domain), id, &payload, 1);
    } else {
        nvtxh_i_range_tell_end(slot->domain, id);
    }
}

/* A mark has only one payload. It is the program's, if there is one, otherwise the scope's id. */
static inline void nvtxh_i_lane_mark(const struct nvtxh_i_device_slot *slot) {
    const uint64_t scope = slot->scope;
    const nvtxPayloadData_t payload = {NVTX_PAYLOAD_ENTRY_TYPE_SCOPE_ID, sizeof(scope), &scope};
    nvtxEventAttributes_t event = slot->event;

    if (scope && !event.payloadType) {
        event.payloadType = NVTX_PAYLOAD_TYPE_EXT;
        event.reserved0 = 1;
        event.payload.ullValue = (uintptr_t)(&payload);
    }
    nvtxh_i_mark_event(slot->domain, &event);
}

#else

static inline uint32_t nvtxh_i_lane_of(nvtxh_i_stream handle, struct nvtxh_domain *domain) {
    (void)handle, (void)domain;
    return 0;
}
static inline void nvtxh_i_lane_end(const struct nvtxh_i_device_slot *slot, uint64_t id) {
    nvtxh_i_range_tell_end(slot->domain, id);
}
static inline void nvtxh_i_lane_mark(const struct nvtxh_i_device_slot *slot) {
    nvtxh_i_mark_event(slot->domain, &slot->event);
}

#endif

NVTXH_I_C_END

#endif
