/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Marks with an array behind a pointer, whose length another field of the payload says, for each
 * type of integer. Prints how many elements each of them has. A signed length that is negative
 * means none. */
#include "program.h"

#include <nvtx3/nvToolsExtPayload.h>

struct counted {
    uint64_t length; /* of which the first bytes are used */
    const uint8_t *elements;
};

static void mark(nvtxDomainHandle_t domain, uint64_t type, uint64_t length, uint64_t elements) {
    static uint8_t all[1000];
    const nvtxPayloadSchemaEntry_t entries[] = {
        {.type = type, .name = "n"},
        {.flags = NVTX_PAYLOAD_ENTRY_FLAG_POINTER | NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX |
                  NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY,
         .type = NVTX_PAYLOAD_ENTRY_TYPE_UINT8,
         .name = "all",
         .arrayOrUnionDetail = 0,
         .offset = offsetof(struct counted, elements)},
    };
    const nvtxPayloadSchemaAttr_t a = {
        .fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_FLAGS | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES,
        .name = "counted",
        .type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
        .flags = NVTX_PAYLOAD_SCHEMA_FLAG_DEEP_COPY,
        .entries = entries,
        .numEntries = 2,
    };
    const struct counted counted = {length, all};
    nvtxPayloadData_t data = {nvtxPayloadSchemaRegister(domain, &a), sizeof(counted), &counted};

    nvtxMarkPayload(domain, &data, 1);
    printf("%llu\n", (unsigned long long)elements);
}

int main(void) {
    nvtxDomainHandle_t domain = nvtxDomainCreateA("lengths");

    for (unsigned bits = 8; bits <= 64; bits *= 2) {
        uint64_t is_signed = bits == 8    ? NVTX_PAYLOAD_ENTRY_TYPE_INT8
                             : bits == 16 ? NVTX_PAYLOAD_ENTRY_TYPE_INT16
                             : bits == 32 ? NVTX_PAYLOAD_ENTRY_TYPE_INT32
                                          : NVTX_PAYLOAD_ENTRY_TYPE_INT64;
        uint64_t lengths[] = {0, 1, 127, bits == 8 ? 255 : 999};
        for (int i = 0; i < 4; i++) {
            /* NVTX has the unsigned type after the signed one */
            mark(domain, is_signed + 1, lengths[i], lengths[i]);
            mark(domain, is_signed, i < 3 ? lengths[i] : UINT64_MAX, i < 3 ? lengths[i] : 0);
        }
    }
    return 0;
}
