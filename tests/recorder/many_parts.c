/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Marks, pops and ends with payloads of several parts, each of a schema or of a predefined type. The
 * message is which of these, and how many parts there are. */
#include "program.h"

#include <nvtx3/nvToolsExtPayload.h>

enum { MOST = 40 };

static uint64_t make_schema(nvtxDomainHandle_t domain) {
    const nvtxPayloadSchemaEntry_t entry = {.type = NVTX_PAYLOAD_ENTRY_TYPE_INT32, .name = "n"};
    const nvtxPayloadSchemaAttr_t a = {
        .fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE,
        .name = "struct",
        .type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
        .entries = &entry,
        .numEntries = 1,
        .payloadStaticSize = sizeof(int32_t),
    };

    return nvtxPayloadSchemaRegister(domain, &a);
}

int main(void) {
    static const int counts[] = {1, 2, 15, 16, 17, 18, MOST};
    static int32_t values[MOST];
    nvtxDomainHandle_t domain = nvtxDomainCreateA("parts");
    const struct {
        const char *name;
        uint64_t schema;
    } kinds[] = {{"struct", make_schema(domain)}, {"number", NVTX_PAYLOAD_ENTRY_TYPE_INT32}};
    nvtxPayloadData_t data[MOST];
    char text[32];

    for (size_t kind = 0; kind < 2; kind++) {
        for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
            size_t count = (size_t)counts[i];
            for (size_t k = 0; k < count; k++) {
                values[k] = (int32_t)(100 * kind + k);
                data[k] = (nvtxPayloadData_t){kinds[kind].schema, sizeof(values[k]), &values[k]};
            }
            snprintf(text, sizeof(text), "%s %zu", kinds[kind].name, count);
            nvtxEventAttributes_t a = with_text(text);
            nvtxDomainRangePushEx(domain, &a);
            nvtxRangeId_t range = nvtxDomainRangeStartEx(domain, &a);
            nvtxRangePopPayload(domain, data, count);
            nvtxRangeEndPayload(domain, range, data, count);
            a.payloadType = NVTX_PAYLOAD_TYPE_EXT;
            a.payload.ullValue = (uintptr_t)data;
            a.reserved0 = (int32_t)count;
            nvtxDomainMarkEx(domain, &a);
        }
    }
    return 0;
}
