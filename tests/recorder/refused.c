/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that cannot be kept, or of which something is left out.
 *
 *   refused calls     of each extension; what each loses is said beside it
 *   refused domains   as many domains as fit, and three more; the first and the last one have a mark */
#include "program.h"

#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvToolsExtSync.h>

#include <stdint.h>
#include <string.h>

enum { TEXT_MOST = 16 << 20, DATA_MOST = 256, COPIES_MOST = 64 };

static nvtxDomainHandle_t domain;

static void mark(uint64_t schema, const void *payload, size_t size) {
    nvtxPayloadData_t data = {schema, size, payload};

    nvtxMarkPayload(domain, &data, 1);
}

/* A struct whose one member is a pointer, which is to be followed. */
static uint64_t schema_of(uint64_t type, uint64_t flags) {
    nvtxPayloadSchemaEntry_t entry = {
        .flags = NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY | flags, .type = type, .name = "pointer"};
    nvtxPayloadSchemaAttr_t schema = {.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                                                   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                                                   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES,
                                      .type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
                                      .entries = &entry,
                                      .numEntries = 1};

    return nvtxPayloadSchemaRegister(domain, &schema);
}

static void payloads(void) {
    static char endless[TEXT_MOST + 1]; /* its end is one byte too far */
    static nvtxPayloadData_t many[DATA_MOST + 1];
    const char *strings[COPIES_MOST + 1], *text = endless;
    uint64_t number = 7, schema = schema_of(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, 0);

    memset(endless, 'x', TEXT_MOST);
    for (int i = 0; i <= DATA_MOST; i++) {
        many[i] = (nvtxPayloadData_t){NVTX_PAYLOAD_ENTRY_TYPE_UINT64, sizeof(number), &number};
    }
    nvtxMarkPayload(domain, many, DATA_MOST);     /* all of it */
    nvtxMarkPayload(domain, many, DATA_MOST + 1); /* 1 payload */
    nvtxMarkPayload(domain, NULL, 1);             /* 1 payload */
    nvtxMarkPayload(domain, NULL, 0);             /* all of it */

    mark(NVTX_PAYLOAD_ENTRY_TYPE_UINT64, &number, (size_t)1 << 40); /* 1 pointer */
    mark(NVTX_PAYLOAD_ENTRY_TYPE_UINT64, &number, SIZE_MAX);        /* 1 pointer */
    mark(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, endless, SIZE_MAX);       /* 1 pointer */
    mark(schema, &text, sizeof(text));                              /* 1 pointer */
    for (int i = 0; i <= COPIES_MOST; i++) {
        strings[i] = "copied";
    }
    mark(schema, strings, COPIES_MOST * sizeof(*strings)); /* all of it */
    mark(schema, strings, sizeof(strings));                /* 1 pointer */
    strings[COPIES_MOST] = NULL;
    mark(schema, strings, sizeof(strings)); /* all of it */
    /* The length of the array would be the pointer itself, whose lower half is 0: nothing would be
     * copied from there. */
    uint64_t nowhere = UINT64_C(1) << 44;
    schema = schema_of(NVTX_PAYLOAD_ENTRY_TYPE_INT32,
                       NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX); /* 1 pointer */
    mark(schema, &nowhere, sizeof(nowhere));                        /* all of it */
}

static void counters(void) {
    static int64_t numbers[3];
    nvtxCounterBatch_t batch = {.counterId = NVTX_COUNTER_ID_STATIC_START + 1,
                                .counters = numbers,
                                .countersSize = sizeof(numbers),
                                .timestamps = numbers,
                                .timestampsSize = sizeof(numbers) - 1};

    nvtxCounterBatchSubmit(domain, NULL);                                   /* 1 sample */
    nvtxCounterBatchSubmit(domain, &batch);                                 /* 1 sample */
    nvtxCounterSample(domain, batch.counterId, NULL, sizeof(numbers));      /* 1 pointer */
    nvtxCounterSample(domain, batch.counterId, numbers, (size_t)TEXT_MOST); /* 1 pointer */
    nvtxCounterSample(domain, batch.counterId, numbers, SIZE_MAX - 4);      /* 1 pointer */
}

static void definitions(void) {
    MUST(!nvtxPayloadSchemaRegister(domain, NULL)); /* 1 schema */
    MUST(!nvtxPayloadEnumRegister(domain, NULL));   /* 1 schema */
    MUST(!nvtxScopeRegister(domain, NULL));         /* 1 schema */
    MUST(!nvtxCounterRegister(domain, NULL));       /* 1 schema */
}

static void locks(void) {
    nvtxSyncUserAttributes_t lock = {.version = NVTX_VERSION, .size = 3};

    MUST(!nvtxDomainSyncUserCreate(domain, NULL));  /* 1 lock */
    MUST(!nvtxDomainSyncUserCreate(domain, &lock)); /* 1 lock */
    lock.size = NVTX_SYNCUSER_ATTRIB_STRUCT_SIZE;
    uintptr_t made = (uintptr_t)nvtxDomainSyncUserCreate(domain, &lock);
    MUST(made);
    for (int bit = 36; bit < 64; bit += 4) { /* 7 handles, of a lock in no domain */
        nvtxDomainSyncUserReleasing((nvtxSyncUser_t)(made | UINT64_C(8) << bit));
    }
}

static void domains(void) {
    enum { MOST = 65535 };
    nvtxDomainHandle_t first = NULL, last = NULL;
    nvtxEventAttributes_t event = with_text("mark");
    char name[16];

    for (int i = 1; i <= MOST + 3; i++) {
        snprintf(name, sizeof(name), "%d", i);
        nvtxDomainHandle_t made = nvtxDomainCreateA(name);
        first = i == 1 ? made : first;
        last = i == MOST ? made : last;
        MUST(!made == (i > MOST));
    }
    nvtxDomainMarkEx(first, &event);
    nvtxDomainMarkEx(last, &event);
}

int main(int argc, char **argv) {
    MUST(argc == 2);
    if (!strcmp(argv[1], "domains")) {
        domains();
        return 0;
    }
    domain = nvtxDomainCreateA("refused");
    payloads();
    counters();
    definitions();
    locks();
    nvtxMarkA("last");
    return 0;
}
