/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_DEFERRED_TOOL_H
#define NVTXH_TEST_DEFERRED_TOOL_H

/* The deferred half of a tool that is linked in: time domains, synchronization points and submitted
 * events. An event is decoded by its schema alone, and its times are converted to CLOCK_MONOTONIC
 * by the synchronization points, as any tool would do it. DEFERRED(event) is called with each. */

#include <nvtx3/nvToolsExt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#if defined(NVTX_NULLPTR) && __has_include(<nvtx3/nvToolsExtPayload.h>)
#define DEFERRED_TOOL 1
#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvToolsExtSemanticsTime.h>

struct deferred {
    bool range; /* else a mark */
    char message[160];
    bool registered;
    uint32_t category, color;
    uint64_t type, payload; /* an entry's type, or 0 */
    uint64_t clock;
    int64_t begin, end; /* as they were given */
};

enum { SCHEMAS = 16384, ENTRIES = 8, CLOCKS = 2048, POINTS = 512 };

static struct {
    uint64_t flags, clock, size;
    nvtxPayloadSchemaEntry_t entries[ENTRIES];
    size_t count;
} schemas[SCHEMAS];
static uint64_t n_schemas, n_clocks;
static struct { int64_t device, host; } points[CLOCKS][POINTS];
static uint64_t n_points[CLOCKS];
static bool undeferred; /* be a tool without deferred events */

static void deferred_event(const struct deferred *event);

static inline int64_t now_on_host(void) {
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* On CLOCK_MONOTONIC. With one point the clock is taken to be right. */
static inline int64_t on_host(uint64_t clock, int64_t at) {
    uint64_t n = __atomic_load_n(&n_points[clock], __ATOMIC_ACQUIRE), i = 0;

    while (i + 2 < n && points[clock][i + 1].device < at)
        i++;
    if (n < 2)
        return at - points[clock][0].device + points[clock][0].host;
    return points[clock][i].host +
           (int64_t)((double)(at - points[clock][i].device) *
                     (double)(points[clock][i + 1].host - points[clock][i].host) /
                     (double)(points[clock][i + 1].device - points[clock][i].device));
}

static uint64_t register_schema(nvtxDomainHandle_t domain, const nvtxPayloadSchemaAttr_t *attr) {
    uint64_t i = __atomic_fetch_add(&n_schemas, 1, __ATOMIC_ACQ_REL);

    (void)domain;
    if (i >= SCHEMAS || attr->numEntries > ENTRIES || attr->type != NVTX_PAYLOAD_SCHEMA_TYPE_STATIC)
        return 0;
    schemas[i].flags = attr->flags;
    schemas[i].count = attr->numEntries;
    schemas[i].size = attr->payloadStaticSize;
    memcpy(schemas[i].entries, attr->entries, attr->numEntries * sizeof(*attr->entries));
    schemas[i].clock =
        ((const nvtxSemanticsTime_t *)(const void *)attr->entries[0].semantics)->timeDomainId;
    return i + 1;
}

static uint64_t register_clock(nvtxDomainHandle_t domain, const nvtxTimeDomainAttr_t *attr) {
    (void)domain;
    (void)attr;
    return __atomic_fetch_add(&n_clocks, 1, __ATOMIC_ACQ_REL) % CLOCKS + (UINT64_C(1) << 32);
}

static void sync_point(nvtxDomainHandle_t domain, uint64_t from, uint64_t to, int64_t at_from,
                       int64_t at_to) {
    uint64_t clock = from - (UINT64_C(1) << 32), n = n_points[clock];

    (void)domain;
    if (to != 14 || n == POINTS) /* CLOCK_MONOTONIC */
        return;
    points[clock][n].device = at_from;
    points[clock][n].host = at_to;
    __atomic_store_n(&n_points[clock], n + 1, __ATOMIC_RELEASE);
}

static void submit(nvtxDomainHandle_t domain, const nvtxPayloadData_t *data, size_t count) {
    const char *bytes = (const char *)data->payload, *text;
    uint64_t id = data->schemaId - 1;
    struct deferred event;
    size_t i;

    (void)domain;
    memset(&event, 0, sizeof(event));
    if (count != 1 || id >= SCHEMAS || data->size != schemas[id].size)
        return;
    event.range = schemas[id].flags & (1u << 3) && schemas[id].flags & (1u << 4);
    event.clock = schemas[id].clock - (UINT64_C(1) << 32);
    for (i = 0; i < schemas[id].count; i++) {
        const nvtxPayloadSchemaEntry_t *e = &schemas[id].entries[i];
        uint64_t role = e->flags & (7u << 12);

        if (role == NVTX_PAYLOAD_ENTRY_FLAG_RANGE_BEGIN || role == NVTX_PAYLOAD_ENTRY_FLAG_MARK)
            memcpy(&event.begin, bytes + e->offset, 8);
        if (role == NVTX_PAYLOAD_ENTRY_FLAG_RANGE_END || role == NVTX_PAYLOAD_ENTRY_FLAG_MARK)
            memcpy(&event.end, bytes + e->offset, 8);
        if (e->type == NVTX_PAYLOAD_ENTRY_TYPE_CATEGORY)
            memcpy(&event.category, bytes + e->offset, 4);
        if (e->type == NVTX_PAYLOAD_ENTRY_TYPE_COLOR_ARGB)
            memcpy(&event.color, bytes + e->offset, 4);
        if (e->flags & NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE && !role) {
            memcpy(&text, bytes + e->offset, 8);
            event.registered = e->type == NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE;
            snprintf(event.message, sizeof(event.message), "%s", text ? text : "");
        }
        if (i && !(e->flags & NVTX_PAYLOAD_ENTRY_FLAG_HIDE)) {
            event.type = e->type;
            memcpy(&event.payload, bytes + e->offset, 8);
        }
    }
    deferred_event(&event);
}

static int extension_init(nvtxExtModuleInfo_t *info) {
    if (info->moduleId != NVTX_EXT_PAYLOAD_MODULEID || undeferred)
        return 1;
    info->segments->functionSlots[NVTX3EXT_CBID_nvtxPayloadSchemaRegister] =
        (intptr_t)register_schema;
    info->segments->functionSlots[NVTX3EXT_CBID_nvtxTimeDomainRegister] = (intptr_t)register_clock;
    info->segments->functionSlots[NVTX3EXT_CBID_nvtxTimeSyncPoint] = (intptr_t)sync_point;
    info->segments->functionSlots[NVTX3EXT_CBID_nvtxEventSubmit] = (intptr_t)submit;
    return 1;
}

/* Where NVTX looks for a tool that is linked in. */
extern NvtxExtInitializeInjectionFunc_t InitializeInjectionNvtxExtension_fnptr;
NvtxExtInitializeInjectionFunc_t InitializeInjectionNvtxExtension_fnptr = extension_init;

#else
#define DEFERRED_TOOL 0
#endif

#endif
