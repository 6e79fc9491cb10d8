/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A payload that is an array of structs, each with a text behind a pointer and padding at its end.
 * No size is given. */
#include "program.h"

#include <nvtx3/nvToolsExtPayload.h>

static const struct {
    const char *text;
    uint8_t number;
} pairs[] = {{"one", 1}, {"two", 2}, {"three", 3}};

static uint64_t schema(nvtxDomainHandle_t domain, const char *name,
                       const nvtxPayloadSchemaEntry_t *entries, size_t count) {
    nvtxPayloadSchemaAttr_t a = {
        .fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_FLAGS | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES,
        .name = name,
        .type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
        .flags = NVTX_PAYLOAD_SCHEMA_FLAG_DEEP_COPY,
        .entries = entries,
        .numEntries = count,
    };

    return nvtxPayloadSchemaRegister(domain, &a);
}

int main(void) {
    nvtxDomainHandle_t domain = nvtxDomainCreateA("padded");
    const nvtxPayloadSchemaEntry_t inner[] = {
        {.flags = NVTX_PAYLOAD_ENTRY_FLAG_POINTER | NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED |
                  NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY,
         .type = NVTX_PAYLOAD_ENTRY_TYPE_CSTRING,
         .name = "text"},
        {.type = NVTX_PAYLOAD_ENTRY_TYPE_UINT8, .name = "number"},
    };
    const nvtxPayloadSchemaEntry_t outer = {.flags = NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE,
                                            .type = schema(domain, "pair", inner, 2),
                                            .name = "all",
                                            .arrayOrUnionDetail = 3};
    nvtxPayloadData_t data = {schema(domain, "pairs", &outer, 1), sizeof(pairs), pairs};

    nvtxMarkPayload(domain, &data, 1);
    return 0;
}
