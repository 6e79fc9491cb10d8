/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The extensions: payloads with schemas, deep copies, enums, scopes, counters. And each call about
 * deferred events, once. */
#include "program.h"

#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvToolsExtSemanticsCounters.h>
#include <nvtx3/nvToolsExtSemanticsScope.h>

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>

struct inner {
    int32_t count;
    const int16_t *numbers;
};

struct outer {
    uint8_t color;
    const char *text;
    struct inner inner[2];
    char fixed[6];
};

static nvtxPayloadSchemaAttr_t schema_of(const nvtxPayloadSchemaEntry_t *entries, size_t count) {
    nvtxPayloadSchemaAttr_t s;

    memset(&s, 0, sizeof(s));
    s.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                  NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES;
    s.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
    s.entries = entries;
    s.numEntries = count;
    return s;
}

static void payloads(nvtxDomainHandle_t domain) {
    static const nvtxPayloadEnum_t colors[] = {{"red", 1, 0}, {"green", 2, 0}};
    nvtxPayloadEnumAttr_t e;
    memset(&e, 0, sizeof(e));
    e.fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_NAME | NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES |
                  NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES | NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE |
                  NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID;
    e.name = "color";
    e.entries = colors;
    e.numEntries = 2;
    e.sizeOfEnum = 1;
    e.schemaId = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 5;
    MUST(nvtxPayloadEnumRegister(domain, &e) == e.schemaId);

    nvtxPayloadSchemaEntry_t inner[2], outer[4];
    memset(inner, 0, sizeof(inner));
    memset(outer, 0, sizeof(outer));
    inner[0].type = NVTX_PAYLOAD_ENTRY_TYPE_INT32;
    inner[0].name = "count";
    inner[1].type = NVTX_PAYLOAD_ENTRY_TYPE_INT16;
    inner[1].flags = NVTX_PAYLOAD_ENTRY_FLAG_POINTER | NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY |
                     NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX;
    inner[1].arrayOrUnionDetail = 0;
    nvtxPayloadSchemaAttr_t s = schema_of(inner, 2);
    uint64_t inner_id = nvtxPayloadSchemaRegister(domain, &s);
    MUST(inner_id >= NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START);
    MUST(nvtxPayloadSchemaRegister(domain, &s) == inner_id);

    outer[0].type = e.schemaId;
    outer[0].name = "color";
    outer[0].description = "what it looks like";
    outer[1].type = NVTX_PAYLOAD_ENTRY_TYPE_CSTRING;
    outer[1].flags = NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY | NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE;
    outer[2].type = inner_id;
    outer[2].flags = NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE;
    outer[2].arrayOrUnionDetail = 2;
    outer[3].type = NVTX_PAYLOAD_ENTRY_TYPE_CSTRING;
    outer[3].arrayOrUnionDetail = 6;
    s = schema_of(outer, 4);
    s.fieldMask |= NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
    s.name = "outer";
    s.payloadStaticSize = sizeof(struct outer);
    uint64_t outer_id = nvtxPayloadSchemaRegister(domain, &s);
    MUST(outer_id > inner_id);

    int16_t numbers[] = {1, -2, 3};
    struct outer value = {2, "deep", {{3, numbers}, {1, numbers + 1}}, "fixed"};
    nvtxPayloadData_t data = {outer_id, sizeof(value), &value};
    nvtxPayloadData_t text = {NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, SIZE_MAX, "a text with an end"};
    nvtxPayloadData_t both[] = {data, text};

    printf("%zu %llu\n", offsetof(struct outer, text), (unsigned long long)outer_id);
    MUST(nvtxDomainIsEnabled(domain) == 1);
    nvtxMarkPayload(domain, &data, 1);
    MUST(nvtxRangePushPayload(domain, both, 2) == 0);
    MUST(nvtxRangePopPayload(domain, &text, 1) == 0);
    nvtxRangeId_t range = nvtxRangeStartPayload(domain, &data, 1);
    MUST(range);
    nvtxRangeEndPayload(domain, range, &text, 1);

    nvtxEventAttributes_t a = with_text("with attributes");
    a.payloadType = NVTX_PAYLOAD_TYPE_EXT;
    a.reserved0 = 2;
    a.payload.ullValue = (uint64_t)(uintptr_t)both;
    MUST(nvtxDomainRangePushEx(domain, &a) == 0);
    MUST(nvtxDomainRangePop(domain) == 0);

    value.text = NULL; /* nothing to follow */
    value.inner[0].count = -1;
    nvtxMarkPayload(domain, &data, 1);
    data.size = 4; /* shorter than its schema says */
    nvtxMarkPayload(domain, &data, 1);
    value.text = "past its end";
    data.size = offsetof(struct outer, text) + 4; /* in the middle of a pointer */
    nvtxMarkPayload(domain, &data, 1);
    struct outer row[2] = {{1, "first", {{0}}, ""}, {2, "second", {{0}}, ""}};
    data = (nvtxPayloadData_t){outer_id, sizeof(row), row};
    nvtxMarkPayload(domain, &data, 1);
}

static int64_t clock_of_mine(void) {
    abort(); /* nobody asks for the time */
}

static int64_t clock_with(void *data) {
    abort();
    return *(int64_t *)data;
}

static void deferred(nvtxDomainHandle_t domain) {
    nvtxTimeDomainAttr_t attributes = {.timerResolution = 1000000};
    nvtxSyncPoint_t pair = {5, 6};
    nvtxEventBatch_t batch = {.eventSchemaId = NVTX_PAYLOAD_ENTRY_TYPE_INT64};
    uint64_t clock = nvtxTimeDomainRegister(domain, &attributes);

    nvtxTimerSource(domain, clock, 0, clock_of_mine);
    nvtxTimerSourceWithData(domain, clock, 0, clock_with, &pair);
    nvtxTimeSyncPoint(domain, clock, 12, 5, 6);
    nvtxTimeSyncPointTable(domain, clock, 12, &pair, 1);
    nvtxTimestampConversionFactor(domain, clock, 12, 0.25, 7, 8);
    nvtxEventSubmit(domain, NULL, 0);
    nvtxEventBatchSubmit(domain, &batch);
}

static void counters(nvtxDomainHandle_t domain, uint64_t scope) {
    nvtxSemanticsCounter_t semantics;
    memset(&semantics, 0, sizeof(semantics));
    semantics.header.structSize = sizeof(semantics);
    semantics.header.semanticId = NVTX_SEMANTIC_ID_COUNTERS_V1;
    semantics.header.version = NVTX_COUNTER_SEMANTIC_VERSION;
    semantics.flags = NVTX_COUNTER_FLAG_LIMIT_MAX;
    semantics.unit = "bytes";
    semantics.unitScaleNumerator = 1024;
    semantics.unitScaleDenominator = 1;
    semantics.limitType = NVTX_COUNTER_LIMIT_I64;
    semantics.max.i64 = 99;
    nvtxCounterAttr_t c;
    memset(&c, 0, sizeof(c));
    c.structSize = sizeof(c);
    c.schemaId = NVTX_PAYLOAD_ENTRY_TYPE_INT64;
    c.name = "memory";
    c.description = "in use";
    c.scopeId = scope;
    c.semantics = &semantics.header;
    uint64_t memory = nvtxCounterRegister(domain, &c);
    uint64_t same = nvtxCounterRegister(domain, &c);
    MUST(memory >= NVTX_COUNTER_ID_DYNAMIC_START && same != memory);
    c.counterId = NVTX_COUNTER_ID_STATIC_START + 1;
    c.schemaId = NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE;
    c.name = "load";
    c.semantics = NULL;
    MUST(nvtxCounterRegister(domain, &c) == c.counterId);

    for (int i = 0; i < 3; i++) {
        nvtxCounterSampleInt64(domain, memory, -i);
        nvtxCounterSampleFloat64(domain, c.counterId, i + 0.5);
    }
    int64_t group[] = {7, 8};
    nvtxCounterSample(domain, memory, group, sizeof(group));
    nvtxCounterSampleNoValue(domain, memory, NVTX_COUNTER_SAMPLE_UNAVAILABLE);
    int64_t times[] = {2000, 3000};
    nvtxCounterBatch_t batch;
    memset(&batch, 0, sizeof(batch));
    batch.counterId = memory;
    batch.counters = group;
    batch.countersSize = sizeof(group);
    batch.timestamps = times;
    batch.timestampsSize = sizeof(times);
    nvtxCounterBatchSubmit(domain, &batch);
}

int main(void) {
    nvtxDomainHandle_t domain = nvtxDomainCreateA("extended");
    nvtxScopeAttr_t s = {sizeof(s), "rack[3]/node", NVTX_SCOPE_ROOT, 0};
    uint64_t scope = nvtxScopeRegister(domain, &s);
    int64_t before = nvtxTimestampGet();

    MUST(scope >= NVTX_SCOPE_ID_DYNAMIC_START);
    MUST(nvtxTimestampGet() > before);
    deferred(domain);
    payloads(domain);
    counters(domain, scope);
    pid_t child = fork();
    if (child == 0) {
        nvtxCounterSampleInt64(domain, NVTX_COUNTER_ID_STATIC_START + 1, 1);
        _exit(0);
    }
    MUST(child > 0 && waitpid(child, NULL, 0) == child);
    return 0;
}
