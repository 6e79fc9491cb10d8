/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DEVICE_DEFERRED_H
#define NVTXH_DEVICE_DEFERRED_H

/* Submits finished ranges to the tool as NVTX's deferred events. Their timestamps are on the clock
 * of a device (clock.h), which is registered as a time domain of NVTX. The functions that use
 * nvtxh_i_deferred_clocks need the lock of nvtxh_i_timed. Not API. */

#include "../attr.h"
#include "../core/symbols.h"
#include "../impl/domain.h"
#include "../impl/nvtx_payload.h"
#include "clock.h"
#include "pool.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

NVTXH_I_C_BEGIN

#if NVTXH_I_EXTENSIONS

enum {
    NVTXH_I_TIME_MONOTONIC = 14, /* NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_MONOTONIC */
    NVTXH_I_DEFERRED_ENTRIES = 7,
    NVTXH_I_DEFERRED_PAYLOADS = NVTXH_I_PAYLOAD_F32 + 1,
};

/* The data of a deferred event. nvtxh_i_deferred_schema() describes this struct to the tool. */
struct nvtxh_i_deferred {
    int64_t begin, end; /* ns by the device's clock; equal for a mark */
    uint64_t message;   /* a registered string, or a pointer to a text */
    uint32_t category, color;
    uint64_t scope, payload;
};

/* What was registered with the tool for one device's clock in one domain. */
struct nvtxh_i_deferred_clock {
    struct nvtxh_domain *domain;
    uint32_t clock;  /* the clock's index in nvtxh_i_timed.clocks */
    uint64_t number; /* the tool's id of the time domain */
    uint64_t synced; /* the number of the last base that was sent to the tool */
    /* Schemas' ids, by [is a range][has a registered message][payload's type]; 0: none yet. */
    uint64_t schemas[2][2][NVTXH_I_DEFERRED_PAYLOADS];
    struct nvtxh_i_deferred_clock *next;
};

NVTXH_I_LINKONCE struct nvtxh_i_deferred_clock *nvtxh_i_deferred_clocks
    NVTXH_I_LINKED("deferred_clocks");

/* Does the tool take deferred events? The answer is cached in nvtxh_i_timed.tool. */
NVTXH_I_COLD bool nvtxh_i_deferred_find_out(void) {
    (void)nvtxTimestampGet(); /* the extension's first call gets its functions from the tool */
    return NVTXH_I_EXT(nvtxEventSubmit) && NVTXH_I_EXT(nvtxPayloadSchemaRegister) &&
           NVTXH_I_EXT(nvtxTimeDomainRegister) && NVTXH_I_EXT(nvtxTimeSyncPoint);
}

/* Sends the clock's new bases to the tool as synchronization points, oldest first. */
static inline void nvtxh_i_deferred_sync(struct nvtxh_i_deferred_clock *known) {
    const struct nvtxh_i_device_clock *clock = &nvtxh_i_timed.clocks[known->clock];
    uint64_t newest = clock->base ? clock->bases[clock->base - 1].number : 0;
    uint32_t i;

    for (; known->synced < newest; known->synced++)
        for (i = 0; i < NVTXH_I_BASES; i++)
            if (clock->bases[i].number == known->synced + 1)
                nvtxTimeSyncPoint(nvtxh_i_handle(known->domain), known->number,
                                  NVTXH_I_TIME_MONOTONIC, clock->bases[i].device_ns,
                                  clock->bases[i].host_ns);
}

NVTXH_I_COLD struct nvtxh_i_deferred_clock *nvtxh_i_deferred_add(struct nvtxh_domain *domain,
                                                                 uint32_t clock) {
    nvtxTimeDomainAttr_t attr;
    struct nvtxh_i_deferred_clock *known =
        (struct nvtxh_i_deferred_clock *)calloc(1, sizeof(*known));

    if (!known)
        return known;
    memset(&attr, 0, sizeof(attr));
    attr.timerFlags = NVTX_TIMER_FLAG_CLOCK_MONOTONIC;
    attr.timerResolution = 1000000000;
    known->domain = domain;
    known->clock = clock;
    known->number = nvtxTimeDomainRegister(nvtxh_i_handle(domain), &attr);
    known->next = nvtxh_i_deferred_clocks;
    nvtxh_i_deferred_clocks = known;
    nvtxh_i_deferred_sync(known);
    return known;
}

NVTXH_I_STRAIGHT struct nvtxh_i_deferred_clock *nvtxh_i_deferred_find(struct nvtxh_domain *domain,
                                                                      uint32_t clock) {
    struct nvtxh_i_deferred_clock *known = nvtxh_i_deferred_clocks;

    while (known && (known->domain != domain || known->clock != clock))
        known = known->next;
    return NVTXH_I_UNLIKELY(!known) ? nvtxh_i_deferred_add(domain, clock) : known;
}

NVTXH_I_COLD uint64_t nvtxh_i_deferred_schema(struct nvtxh_i_deferred_clock *known, bool range,
                                              bool registered, uint32_t payload) {
    static const uint64_t payloads[NVTXH_I_DEFERRED_PAYLOADS] = {
        NVTX_PAYLOAD_ENTRY_TYPE_UINT64, NVTX_PAYLOAD_ENTRY_TYPE_UINT64,
        NVTX_PAYLOAD_ENTRY_TYPE_INT64,  NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE,
        NVTX_PAYLOAD_ENTRY_TYPE_UINT32, NVTX_PAYLOAD_ENTRY_TYPE_INT32,
        NVTX_PAYLOAD_ENTRY_TYPE_FLOAT};
    const uint64_t stamp = NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP | NVTX_PAYLOAD_ENTRY_FLAG_HIDE;
    nvtxPayloadSchemaEntry_t e[NVTXH_I_DEFERRED_ENTRIES];
    nvtxPayloadSchemaAttr_t attr;
    nvtxSemanticsTime_t time;

    memset(e, 0, sizeof(e));
    memset(&attr, 0, sizeof(attr));
    memset(&time, 0, sizeof(time));
    time.header.structSize = sizeof(time);
    time.header.semanticId = NVTX_SEMANTIC_ID_TIME_V1;
    time.header.version = NVTX_TIME_SEMANTIC_VERSION;
    time.timeDomainId = known->number;
    e[0].type = e[1].type = NVTX_PAYLOAD_ENTRY_TYPE_INT64;
    e[0].semantics = e[1].semantics = &time.header;
    e[0].flags =
        stamp | (range ? NVTX_PAYLOAD_ENTRY_FLAG_RANGE_BEGIN : NVTX_PAYLOAD_ENTRY_FLAG_MARK);
    e[1].flags = stamp | NVTX_PAYLOAD_ENTRY_FLAG_RANGE_END;
    e[1].offset = offsetof(struct nvtxh_i_deferred, end);
    e[2].type = registered ? NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE
                           : NVTX_PAYLOAD_ENTRY_TYPE_CSTRING;
    e[2].flags = NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE | NVTX_PAYLOAD_ENTRY_FLAG_HIDE;
    if (!registered)
        e[2].flags |= NVTX_PAYLOAD_ENTRY_FLAG_POINTER | NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY |
                      NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED;
    e[2].offset = offsetof(struct nvtxh_i_deferred, message);
    e[3].type = NVTX_PAYLOAD_ENTRY_TYPE_CATEGORY;
    e[3].flags = e[4].flags = e[5].flags = NVTX_PAYLOAD_ENTRY_FLAG_HIDE;
    e[3].offset = offsetof(struct nvtxh_i_deferred, category);
    e[4].type = NVTX_PAYLOAD_ENTRY_TYPE_COLOR_ARGB;
    e[4].offset = offsetof(struct nvtxh_i_deferred, color);
    e[5].type = NVTX_PAYLOAD_ENTRY_TYPE_SCOPE_ID;
    e[5].offset = offsetof(struct nvtxh_i_deferred, scope);
    e[6].type = payloads[payload];
    e[6].name = "payload";
    e[6].offset = offsetof(struct nvtxh_i_deferred, payload);
    if (!range) { /* a mark has no end */
        memmove(&e[1], &e[2], 5 * sizeof(e[0]));
    }
    attr.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_FLAGS | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
    attr.name = "device";
    attr.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
    attr.flags = range ? NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_STARTEND : NVTX_PAYLOAD_SCHEMA_FLAG_MARK;
    if (!registered)
        attr.flags |= NVTX_PAYLOAD_SCHEMA_FLAG_DEEP_COPY;
    attr.entries = e;
    attr.numEntries = NVTXH_I_DEFERRED_ENTRIES - (range ? 0u : 1u) - (payload ? 0u : 1u);
    attr.payloadStaticSize = sizeof(struct nvtxh_i_deferred);
    return nvtxPayloadSchemaRegister(nvtxh_i_handle(known->domain), &attr);
}

/* Submits a slot's event as a range, or as a mark (BEGIN equals END). CLOCK: the clock's index. */
static inline void nvtxh_i_deferred_tell(const struct nvtxh_i_device_slot *slot, uint32_t clock,
                                         bool range, int64_t begin, int64_t end) {
    const nvtxEventAttributes_t *event = &slot->event;
    struct nvtxh_i_deferred_clock *known = nvtxh_i_deferred_find(slot->domain, clock);
    bool registered = event->messageType == NVTX_MESSAGE_TYPE_REGISTERED;
    uint32_t type =
        (uint32_t)event->payloadType < NVTXH_I_DEFERRED_PAYLOADS ? (uint32_t)event->payloadType : 0;
    struct nvtxh_i_deferred data;
    nvtxPayloadData_t payload;
    uint64_t *schema;

    if (!known)
        return;
    schema = &known->schemas[range][registered][type];
    if (NVTXH_I_UNLIKELY(!*schema))
        *schema = nvtxh_i_deferred_schema(known, range, registered, type);
    data.begin = begin;
    data.end = end;
    data.message = registered ? (uintptr_t)event->message.registered
                   : event->messageType == NVTX_MESSAGE_TYPE_ASCII ? (uintptr_t)event->message.ascii
                                                                   : 0;
    data.category = event->category;
    data.color = event->colorType == NVTX_COLOR_ARGB ? event->color : 0;
    data.scope = slot->scope;
    data.payload = event->payload.ullValue;
    payload.schemaId = *schema;
    payload.size = sizeof(data);
    payload.payload = &data;
    nvtxEventSubmit(nvtxh_i_handle(slot->domain), &payload, 1);
}

/* Sends the new bases of all clocks to the tool, in each domain that uses the clock. */
static inline void nvtxh_i_deferred_sync_all(void) {
    struct nvtxh_i_deferred_clock *known;

    for (known = nvtxh_i_deferred_clocks; known; known = known->next)
        nvtxh_i_deferred_sync(known);
}

/* Frees the list, when the devices' clocks are gone. New clocks will get new time domains. */
static inline void nvtxh_i_deferred_forget(void) {
    struct nvtxh_i_deferred_clock *known = nvtxh_i_deferred_clocks, *next;

    for (nvtxh_i_deferred_clocks = NULL; known; known = next) {
        next = known->next;
        free(known);
    }
}

/* In a forked child: leaks the list, which another thread may have been changing at the fork. */
static inline void nvtxh_i_deferred_in_child(void) {
    nvtxh_i_deferred_clocks = NULL;
}

#else

static inline bool nvtxh_i_deferred_find_out(void) {
    return false;
}
static inline void nvtxh_i_deferred_tell(const struct nvtxh_i_device_slot *slot, uint32_t clock,
                                         bool range, int64_t begin, int64_t end) {
    (void)slot, (void)clock, (void)range, (void)begin, (void)end;
}
static inline void nvtxh_i_deferred_sync_all(void) {
}
static inline void nvtxh_i_deferred_forget(void) {
}
static inline void nvtxh_i_deferred_in_child(void) {
}

#endif

/* Whether ranges can be timed: CUDA has the functions, and the tool takes deferred events. */
NVTXH_I_STRAIGHT bool nvtxh_i_deferred_can(void) {
    unsigned char tool = __atomic_load_n(&nvtxh_i_timed.tool, __ATOMIC_RELAXED);

    if (NVTXH_I_UNLIKELY(!tool)) {
        tool = nvtxh_i_cuda.timed && nvtxh_i_deferred_find_out() ? 1 : 2;
        __atomic_store_n(&nvtxh_i_timed.tool, tool, __ATOMIC_RELAXED);
    }
    return tool == 1;
}

NVTXH_I_C_END

#endif
