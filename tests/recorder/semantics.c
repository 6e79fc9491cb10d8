/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A schema and a counter whose lists of semantics end with a clock, and a process range that begins
 * and ends with a payload. */
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvToolsExtSemanticsCounters.h>
#include <nvtx3/nvToolsExtSemanticsScope.h>
#include <nvtx3/nvToolsExtSemanticsTime.h>

#include <stdint.h>

int main(void) {
    nvtxDomainHandle_t domain = nvtxDomainCreateA("semantics");
    nvtxSemanticsTime_t time = {.header = {.structSize = sizeof(time),
                                           .semanticId = NVTX_SEMANTIC_ID_TIME_V1,
                                           .version = NVTX_TIME_SEMANTIC_VERSION},
                                .timeDomainId = NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_MONOTONIC};
    nvtxSemanticsCounter_t unit = {.header = {.structSize = sizeof(unit),
                                              .semanticId = NVTX_SEMANTIC_ID_COUNTERS_V1,
                                              .version = NVTX_COUNTER_SEMANTIC_VERSION,
                                              .next = &time.header},
                                   .unit = "bytes",
                                   .unitScaleNumerator = 1,
                                   .unitScaleDenominator = 1};
    nvtxPayloadSchemaEntry_t entry = {
        .type = NVTX_PAYLOAD_ENTRY_TYPE_INT64, .name = "at", .semantics = &unit.header};
    nvtxPayloadSchemaAttr_t schema = {.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME |
                                                   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                                                   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                                                   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                                                   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE,
                                      .name = "moment",
                                      .type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
                                      .entries = &entry,
                                      .numEntries = 1,
                                      .payloadStaticSize = sizeof(int64_t)};
    nvtxCounterAttr_t counter = {.structSize = sizeof(counter),
                                 .schemaId = NVTX_PAYLOAD_ENTRY_TYPE_INT64,
                                 .name = "memory",
                                 .scopeId = NVTX_SCOPE_CURRENT_SW_PROCESS,
                                 .semantics = &unit.header};
    int64_t at = 5;
    nvtxPayloadData_t data = {nvtxPayloadSchemaRegister(domain, &schema), sizeof(at), &at};

    nvtxCounterSampleInt64(domain, nvtxCounterRegister(domain, &counter), 7);
    nvtxRangeEndPayload(domain, nvtxRangeStartPayload(domain, &data, 1), &data, 1);
    return 0;
}
