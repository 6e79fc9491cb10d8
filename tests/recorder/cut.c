/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* cut messages: marks whose messages have 20,000 and 70,000 bytes, and of 20,000 wide euro signs,
 * each three times. cut names: definitions with eight strings that are too long for a recording, and
 * one that just fits. */
#include "program.h"

#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvToolsExtSemanticsCounters.h>
#include <nvtx3/nvToolsExtSemanticsScope.h>

#include <string.h>
#include <wchar.h>

enum { SOME = 20000, MANY = 70000, FITS = 1 << 16, RESOURCE = (1 << 23) + 1 };

static char *repeat(char c, size_t length) {
    char *text = malloc(length + 1);

    MUST(text);
    memset(text, c, length);
    text[length] = 0;
    return text;
}

static void messages(void) {
    char *a = repeat('a', SOME), *b = repeat('b', MANY);
    static wchar_t c[SOME + 1];

    wmemset(c, L'\u20ac', SOME);
    for (int i = 0; i < 3; i++) {
        nvtxMarkA(a);
        nvtxMarkA(b);
        nvtxMarkW(c);
        nvtxMarkA("short");
    }
    free(a);
    free(b);
}

static void names(void) {
    nvtxDomainHandle_t domain = nvtxDomainCreateA("cut");
    char *text = repeat('t', MANY), *fits = repeat('f', FITS), *large = repeat('r', RESOURCE);
    nvtxPayloadSchemaEntry_t entry = {
        .type = NVTX_PAYLOAD_ENTRY_TYPE_INT32, .name = text, .description = text};
    nvtxPayloadSchemaAttr_t schema = {.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME |
                                                   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                                                   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                                                   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES,
                                      .name = text,
                                      .type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
                                      .entries = &entry,
                                      .numEntries = 1};
    nvtxPayloadEnum_t values[] = {{text, 1, 0}, {fits, 2, 0}};
    nvtxPayloadEnumAttr_t e = {
        .fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_NAME | NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES | NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE,
        .name = text,
        .entries = values,
        .numEntries = 2,
        .sizeOfEnum = 4};
    nvtxScopeAttr_t scope = {sizeof(scope), text, NVTX_SCOPE_ROOT, 0};
    nvtxSemanticsCounter_t unit = {.header = {.structSize = sizeof(unit),
                                              .semanticId = NVTX_SEMANTIC_ID_COUNTERS_V1,
                                              .version = NVTX_COUNTER_SEMANTIC_VERSION},
                                   .unit = text};
    nvtxCounterAttr_t counter = {.structSize = sizeof(counter),
                                 .schemaId = NVTX_PAYLOAD_ENTRY_TYPE_INT64,
                                 .name = text,
                                 .description = text,
                                 .scopeId = NVTX_SCOPE_CURRENT_SW_PROCESS,
                                 .semantics = &unit.header};
    nvtxResourceAttributes_t resource = {.version = NVTX_VERSION,
                                         .size = NVTX_RESOURCE_ATTRIB_STRUCT_SIZE,
                                         .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                         .message.ascii = large};

    MUST(nvtxPayloadSchemaRegister(domain, &schema));
    MUST(nvtxPayloadEnumRegister(domain, &e));
    MUST(nvtxScopeRegister(domain, &scope));
    MUST(nvtxCounterRegister(domain, &counter));
    MUST(nvtxDomainResourceCreate(domain, &resource));
    free(text);
    free(fits);
    free(large);
}

int main(int argc, char **argv) {
    MUST(argc == 2);
    if (!strcmp(argv[1], "messages")) {
        messages();
    } else {
        names();
    }
    return 0;
}
