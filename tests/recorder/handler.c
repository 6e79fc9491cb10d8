/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* First uses of everything in a signal handler that has interrupted malloc. Prints after which of
 * them the handler had called malloc, and how often: none. */
#include "../inject/own_malloc.h"
#include "program.h"
#include "handler_scopes.h"

#include <stdbool.h>
#include <wchar.h>

#if defined(__has_include)
#if __has_include(<nvtx3/nvToolsExtCounters.h>)
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtPayload.h>
#define EXTENDED
#endif
#endif

static nvtxDomainHandle_t domain;

/* Does not use the C library, which is not tested here. */
static const char *numbered(char text[24], int n) {
    char *end = text + 23;

    for (*end = 0; n || end == text + 23; n /= 10) {
        *--end = (char)('0' + n % 10);
    }
    return end;
}

static void strings(void) {
    char text[24];

    for (int i = 0; i < 2000; i++) {
        MUST(nvtxDomainRegisterStringA(domain, numbered(text, i)));
        nvtxDomainNameCategoryA(domain, (uint32_t)i + 1, numbered(text, i));
        nvtxNameCategoryA((uint32_t)i + 1, numbered(text, i));
    }
    for (int i = 0; i < 2000; i++) { /* again, with other names */
        nvtxDomainNameCategoryA(domain, (uint32_t)i + 1, numbered(text, 3 * i));
    }
}

static wchar_t wide[3000];

static void wide_strings(void) {
    for (size_t i = 1; i < sizeof(wide) / sizeof(wide[0]); i = i * 3 / 2 + 1) {
        wide[i] = 0;
        MUST(nvtxDomainRegisterStringW(domain, wide));
        nvtxDomainNameCategoryW(domain, 7, wide);
        nvtxNameCategoryW(7, wide);
        nvtxMarkW(wide);
        wide[i] = 0x20ac;
    }
}

static void domains(void) {
    char text[24];

    for (int i = 0; i < 100; i++) {
        nvtxDomainHandle_t d = nvtxDomainCreateA(numbered(text, 1000000 + i));
        MUST(d);
        nvtxNameOsThreadA(2000000000u + (uint32_t)i, numbered(text, i));
        nvtxNameOsThreadW(2100000000u + (uint32_t)i, L"wide");
        nvtxDomainDestroy(d);
    }
    MUST(nvtxDomainCreateW(L"wide"));
}

static void resources(void) {
    nvtxResourceAttributes_t a = {
        .version = NVTX_VERSION,
        .size = NVTX_RESOURCE_ATTRIB_STRUCT_SIZE,
        .identifierType = NVTX_RESOURCE_TYPE_GENERIC_POINTER,
        .messageType = NVTX_MESSAGE_TYPE_ASCII,
        .message.ascii = "a resource with a name that is as long as some names are",
    };

    for (uintptr_t i = 0; i < 500; i++) {
        a.identifier.ullValue = i;
        nvtxResourceHandle_t r = nvtxDomainResourceCreate(domain, &a);
        MUST(r);
        if (i % 3) {
            nvtxDomainResourceDestroy(r);
        }
    }
}

static void events(void) {
    for (int i = 0; i < 30000; i++) {
        nvtxRangePushA("in the handler");
        nvtxRangePop();
    }
}

static void schemas(void) {
#ifdef EXTENDED
    nvtxPayloadSchemaEntry_t entries[40] = {
        {.type = NVTX_PAYLOAD_ENTRY_TYPE_INT32, .name = "entry"}};
    nvtxPayloadEnum_t values[] = {{"red", 1, 0}, {"green", 2, 0}};
    char text[24];

    for (int i = 0; i < 40; i++) {
        entries[i].type = NVTX_PAYLOAD_ENTRY_TYPE_INT32;
        entries[i].name = "an entry";
        entries[i].description = "and what it is";
    }
    for (int i = 0; i < 20; i++) {
        nvtxPayloadSchemaAttr_t s = {
            .fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                         NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                         NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES,
            .name = numbered(text, i),
            .type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
            .entries = entries,
            .numEntries = (size_t)i * 2 + 1,
        };
        MUST(nvtxPayloadSchemaRegister(domain, &s));
        nvtxPayloadEnumAttr_t e = {
            .fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_NAME | NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES |
                         NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES |
                         NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE,
            .name = numbered(text, i),
            .entries = values,
            .numEntries = 2,
            .sizeOfEnum = 4,
        };
        MUST(nvtxPayloadEnumRegister(domain, &e));
        nvtxCounterAttr_t c = {
            .structSize = sizeof(c),
            .schemaId = NVTX_PAYLOAD_ENTRY_TYPE_INT64,
            .name = numbered(text, i),
            .description = "a counter",
        };
        nvtxCounterSampleInt64(domain, nvtxCounterRegister(domain, &c), i);
    }
#endif
}

static void first_event(void) {
    nvtxMarkA("first of its thread");
}

static const struct step {
    const char *name;
    void (*run)(void);
    bool in_thread;
} steps[] = {
    {"strings", strings, false},     {"wide strings", wide_strings, false},
    {"domains", domains, false},     {"resources", resources, false},
    {"schemas", schemas, false},     {"annotations", handler_scopes, false},
    {"a thread", first_event, true}, {"events", events, false},
};
static const struct step *volatile now;

static void handler(int number) {
    (void)number;
    now->run();
}

static void *step(void *arg) {
    armed = 1;
    void *volatile memory = malloc(100);
    free(memory);
    return arg;
}

int main(void) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = 0};

    domain = nvtxDomainCreateA("handler");
    nvtxMarkA("NVTX is there");
    handler_scopes_begin();
#ifdef EXTENDED
    nvtxPayloadEnumRegister(domain, NULL);
    nvtxCounterRegister(domain, NULL);
#endif
    sigaction(SIGUSR1, &action, NULL);
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        now = &steps[i];
        calls = 0;
        if (now->in_thread) {
            in_thread(step, NULL);
        } else {
            step(NULL);
        }
        if (calls) {
            printf("%s: %d\n", now->name, (int)calls);
        }
    }
    return 0;
}
