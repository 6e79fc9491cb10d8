/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* samples COUNT [strings | infinite | groups]: COUNT samples of a counter; marks whose payload is a
 * text of 0 to 22 bytes; samples, and one more of another counter; samples of a group of two
 * counters. */
#include "program.h"

#include <math.h>
#include <string.h>

#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtPayload.h>

/* The schema of 64-bit integers. */
static uint64_t schema(nvtxDomainHandle_t domain, uint64_t flags, size_t count) {
    nvtxPayloadSchemaEntry_t entries[] = {
        {.flags = flags, .type = NVTX_PAYLOAD_ENTRY_TYPE_INT64, .name = "a"},
        {.flags = flags, .type = NVTX_PAYLOAD_ENTRY_TYPE_INT64, .name = "b"}};
    nvtxPayloadSchemaAttr_t a = {.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                                              NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                                              NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES,
                                 .type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
                                 .entries = entries,
                                 .numEntries = count};

    return nvtxPayloadSchemaRegister(domain, &a);
}

int main(int argc, char **argv) {
    nvtxDomainHandle_t domain = nvtxDomainCreateA("samples");
    nvtxCounterAttr_t attributes = {.structSize = sizeof(attributes),
                                    .schemaId = NVTX_PAYLOAD_ENTRY_TYPE_INT64,
                                    .name = "queue",
                                    .scopeId = NVTX_SCOPE_CURRENT_HW_CPU_PHYSICAL};
    uint64_t counter = nvtxCounterRegister(domain, &attributes);

    MUST(argc >= 2);
    int infinite = argc > 2 && !strcmp(argv[2], "infinite");
    if (infinite) {
        attributes.schemaId = NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE;
        attributes.name = "infinite";
        nvtxCounterSampleFloat64(domain, nvtxCounterRegister(domain, &attributes), INFINITY);
    }
    int groups = argc > 2 && !strcmp(argv[2], "groups");
    uint64_t group = 0;
    if (groups) {
        attributes.schemaId = schema(domain, NVTX_PAYLOAD_ENTRY_FLAG_COUNTER, 2);
        attributes.name = "group";
        group = nvtxCounterRegister(domain, &attributes);
    }
    for (int i = 0; i < atoi(argv[1]); i++) {
        int64_t pair[] = {i, i};
        nvtxPayloadData_t text = {NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, (size_t)(i + i / 23) % 23,
                                  "0123456789abcdefghijkl"};
        if (groups) {
            nvtxCounterSample(domain, group, pair, sizeof(pair));
        } else if (argc > 2 && !infinite) {
            nvtxMarkPayload(domain, &text, 1);
        } else {
            nvtxCounterSampleInt64(domain, counter, i);
        }
    }
    return 0;
}
