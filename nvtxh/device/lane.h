/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DEVICE_LANE_H
#define NVTXH_DEVICE_LANE_H

/* Tells the tool in which stream a range or mark was, so that it can show a lane for each stream: the stream is a scope of
 * NVTX, whose id is in the payload of the range's end. The beginning keeps the program's payload. Not API. */

#include "../impl/event.h"
#include "../impl/nvtx_payload.h"
#include "pool.h"

#if NVTXH_I_IMPL

#include <stdio.h>
#include <string.h>

NVTXH_I_C_BEGIN

#if NVTXH_I_EXTENSIONS

#define NVTXH_I_LANES 1024u /* pairs of a stream and a domain; further ones get no lane */

/* Hashes of the pairs whose scope the tool has got; 0: free. */
NVTXH_I_LINKONCE uint64_t nvtxh_i_lanes[NVTXH_I_LANES] NVTXH_I_LINKED("lanes");

/* The id must be made of the stream alone, because several linked objects may use the stream in one domain. Ids of
 * our own choice are the same in all tools of a chain. */
static inline uint32_t nvtxh_i_lane_id(nvtxh_i_stream stream)
{
    const uint64_t first = NVTX_SCOPE_ID_STATIC_START;
    uint64_t bits = NVTXH_I_BITS(uintptr_t, stream); /* 1, 2 or an aligned address */

    return NVTXH_I_CAST(uint32_t, first + ((bits >> 4) + (bits & 15)) % (NVTX_SCOPE_ID_DYNAMIC_START - first));
}

/* The path is what the recorder makes of the stream's name: see FORMAT.md. Programs name the default stream as stream 0. */
NVTXH_I_COLD void nvtxh_i_lane_register(nvtxh_i_stream stream, struct nvtxh_domain *domain)
{
    uintptr_t bits = NVTXH_I_BITS(uintptr_t, stream);
    nvtxScopeAttr_t attr;
    char path[40];

    snprintf(path, sizeof(path), "CUDA stream 0x%lx", NVTXH_I_CAST(unsigned long, bits == 1 ? 0 : bits));
    memset(&attr, 0, sizeof(attr));
    attr.structSize = sizeof(attr);
    attr.path = path;
    attr.parentScope = NVTX_SCOPE_ROOT;
    attr.scopeId = nvtxh_i_lane_id(stream);
    (void)nvtxScopeRegister(nvtxh_i_handle(domain), &attr);
}

/* The id of the stream's scope, which is registered if it is new in the domain. 0: the tool has no scopes, or there are
 * too many. Two threads may register the same scope. */
static inline uint32_t nvtxh_i_lane_of(nvtxh_i_stream stream, struct nvtxh_domain *domain)
{
    const uint64_t odd = 0x9e3779b97f4a7c15u; /* 2^64 over the golden ratio */
    uint64_t hash = NVTXH_I_BITS(uintptr_t, stream) * odd ^ NVTXH_I_BITS(uintptr_t, domain), found = 0;
    uint32_t i, n;

    hash = (hash ^ hash >> 32) * odd;
    hash |= !hash;
    i = NVTXH_I_CAST(uint32_t, hash >> 32);
    for (n = 0; n < NVTXH_I_LANES; n++, i++) {
        uint64_t *place = &nvtxh_i_lanes[i % NVTXH_I_LANES];

        found = __atomic_load_n(place, __ATOMIC_ACQUIRE);
        if (NVTXH_I_UNLIKELY(!found)) {
            nvtxh_i_lane_register(stream, domain);
            __atomic_compare_exchange_n(place, &found, hash, false, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE);
        }
        if (!found || found == hash)
            return NVTXH_I_EXT(nvtxScopeRegister) ? nvtxh_i_lane_id(stream) : 0;
    }
    return 0;
}

static inline void nvtxh_i_lane_end(const struct nvtxh_i_device_slot *slot, uint64_t id)
{
    const uint64_t scope = slot->scope;
    const nvtxPayloadData_t payload = {NVTX_PAYLOAD_ENTRY_TYPE_SCOPE_ID, sizeof(scope), &scope};

    if (scope && NVTXH_I_EXT(nvtxRangeEndPayload))
        nvtxRangeEndPayload(nvtxh_i_handle(slot->domain), id, &payload, 1);
    else
        nvtxh_i_range_tell_end(slot->domain, id);
}

/* A mark has one payload: that of the program goes first. */
static inline void nvtxh_i_lane_mark(const struct nvtxh_i_device_slot *slot)
{
    const uint64_t scope = slot->scope;
    const nvtxPayloadData_t payload = {NVTX_PAYLOAD_ENTRY_TYPE_SCOPE_ID, sizeof(scope), &scope};
    nvtxEventAttributes_t event = slot->event;

    if (scope && !event.payloadType) {
        event.payloadType = NVTX_PAYLOAD_TYPE_EXT;
        event.reserved0 = 1;
        event.payload.ullValue = NVTXH_I_BITS(uintptr_t, &payload);
    }
    nvtxh_i_mark_event(slot->domain, &event);
}

#else

#define nvtxh_i_lane_of(stream, domain) 0
#define nvtxh_i_lane_end(slot, id) nvtxh_i_range_tell_end((slot)->domain, id)
#define nvtxh_i_lane_mark(slot) nvtxh_i_mark_event((slot)->domain, &(slot)->event)

#endif

NVTXH_I_C_END

#endif
#endif
