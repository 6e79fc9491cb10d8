/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Registers the schemas, fills the memory and sends the payloads that stdin says, and prints the
 * schemas' numbers and where the memory is. */
#include "program.h"

#include <nvtx3/nvToolsExtPayload.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { MOST = 4096 };
static nvtxDomainHandle_t domains[2];
static uint64_t ids[MOST];
static nvtxSemanticsHeader_t *semantics,
    **next = &semantics; /* of the first entry of the next schema */
static unsigned char *blocks[MOST];

static int64_t number(void) {
    int64_t n;

    MUST(scanf("%" SCNd64, &n) == 1);
    return n;
}

static void numbers(int64_t *ret, int count) {
    for (int i = 0; i < count; i++) {
        ret[i] = number();
    }
}

/* A number, or the schema or enum -n - 1. */
static uint64_t type(void) {
    int64_t n = number();

    return n < 0 ? ids[-n - 1] : (uint64_t)n;
}

static uint64_t add_schema(void) {
    static nvtxPayloadSchemaEntry_t entries[64];
    int64_t n[6];
    numbers(n, 6);
    nvtxPayloadSchemaAttr_t s = {
        .fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES,
        .schemaId = (uint64_t)n[1],
        .type = (uint64_t)n[2],
        .payloadStaticSize = (size_t)n[3],
        .packAlign = (size_t)n[4],
        .numEntries = (size_t)n[5],
        .entries = entries,
    };

    s.fieldMask |= (s.schemaId ? NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID : 0) |
                   (s.payloadStaticSize ? NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE : 0) |
                   (s.packAlign ? NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ALIGNMENT : 0);
    for (size_t i = 0; i < s.numEntries; i++) {
        entries[i] = (nvtxPayloadSchemaEntry_t){.flags = (uint64_t)number()};
        entries[i].type = type();
        entries[i].arrayOrUnionDetail = (uint64_t)number();
        entries[i].offset = (uint64_t)number();
    }
    entries[0].semantics = semantics;
    semantics = NULL;
    next = &semantics;
    return nvtxPayloadSchemaRegister(domains[n[0]], &s);
}

static uint64_t add_enum(void) {
    static const nvtxPayloadEnum_t one = {"one", 1, 0};
    int64_t n[3];
    numbers(n, 3);
    nvtxPayloadEnumAttr_t e = {
        .fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES | NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE |
                     NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID,
        .entries = &one,
        .numEntries = 1,
        .schemaId = (uint64_t)n[1],
        .sizeOfEnum = (size_t)n[2],
    };

    return nvtxPayloadEnumRegister(domains[n[0]], &e);
}

static void fill(unsigned char *block) {
    for (int c = getchar(); c != '\n'; c = getchar()) {
        unsigned byte;
        MUST(c == ' ' || (ungetc(c, stdin) && scanf("%2x", &byte) == 1 &&
                          (*block++ = (unsigned char)byte, true)));
    }
}

/* Adds an element to the list of semantics; one of its fields may be a text. */
static void add_semantics(void) {
    int64_t n[4]; /* its number, its version, where the text is, bytes after the header */

    numbers(n, 4);
    nvtxSemanticsHeader_t *h = calloc(1, sizeof(*h) + (size_t)n[3]);
    unsigned char *fields = (unsigned char *)(h + 1);
    fill(fields);
    static const char *const text = "some text";
    if (n[2] >= 0) {
        memcpy(fields + n[2], &text, sizeof(text));
    }
    h->structSize = (uint32_t)(sizeof(*h) + (size_t)n[3]);
    h->semanticId = (uint16_t)n[0];
    h->version = (uint16_t)n[1];
    *next = h;
    next = (nvtxSemanticsHeader_t **)(void *)&h->next;
}

int main(void) {
    size_t count = 0, memory = 0;
    char what;

    domains[0] = nvtxDomainCreateA("one");
    domains[1] = nvtxDomainCreateA("two");
    while (scanf(" %c", &what) == 1) {
        if (what == 's' || what == 'e') {
            ids[count] = what == 's' ? add_schema() : add_enum();
            printf("%" PRIu64 "\n", ids[count++]);
        } else if (what == 't') {
            add_semantics();
        } else if (what == 'm') {
            unsigned char *block = blocks[memory++] = calloc(1, (size_t)number());
            fill(block);
            printf("%" PRIuPTR "\n", (uintptr_t)block);
        } else if (what == 'p') {
            unsigned char *at = blocks[number()];
            at += number();
            const unsigned char *target = blocks[number()];
            memcpy(at, &target, sizeof(target));
        } else {
            nvtxDomainHandle_t domain = domains[number()];
            nvtxPayloadData_t data = {.schemaId = type()};
            data.payload = blocks[number()];
            data.size = (size_t)number();
            nvtxMarkPayload(domain, &data, 1);
        }
    }
    return 0;
}
