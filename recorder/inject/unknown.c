/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "unknown.h"
#include "event.h"
#include "names.h"
#include "output.h"
#include "process.h"
#include "../format/clock.h"

#include <stdbool.h>

/*
 * Any of these may stand for a function of any arguments: the calling conventions there are let a
 * function ignore what it was given, and 0 is the answer of a tool that does not know.
 */
#define COUNTING(name, loss)                                                                       \
    static intptr_t name(void)                                                                     \
    {                                                                                              \
        process_lose(loss);                                                                        \
        return 0;                                                                                  \
    }
COUNTING(count_cuda, REC_LOSS_CUDA)
COUNTING(count_cudart, REC_LOSS_CUDART)
COUNTING(count_opencl, REC_LOSS_OPENCL)
COUNTING(count_sync, REC_LOSS_SYNC)
COUNTING(count_counter, REC_LOSS_COUNTER)
COUNTING(count_memory, REC_LOSS_MEMORY)
COUNTING(count_extension, REC_LOSS_EXTENSION)

static const struct {
    NvtxCallbackModule module;
    intptr_t (*count)(void);
} modules[] = {
    {NVTX_CB_MODULE_CUDA, count_cuda},
    {NVTX_CB_MODULE_CUDART, count_cudart},
    {NVTX_CB_MODULE_OPENCL, count_opencl},
    {NVTX_CB_MODULE_SYNC, count_sync},
};

void unknown_subscribe(const NvtxExportTableCallbacks *exported)
{
    NvtxFunctionTable table;
    unsigned size;

    for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
        if (!exported->GetModuleFunctionTable(modules[i].module, &table, &size) || !table) {
            continue;
        }
        for (unsigned id = 1; id < size; id++) { /* 0 is no function */
            if (table[id]) {
                *table[id] = (NvtxFunctionPointer)modules[i].count;
            }
        }
    }
}

/* --- the payload extension: what happened is kept, the payload is counted --------------------- */

static void mark(nvtxDomainHandle_t domain, const void *payload, size_t count)
{
    (void)payload;
    (void)count;
    process_lose(REC_LOSS_EXTENDED);
    event_mark(names_domain_id(domain), NULL);
}

static int push(nvtxDomainHandle_t domain, const void *payload, size_t count)
{
    (void)payload;
    (void)count;
    process_lose(REC_LOSS_EXTENDED);
    return event_push(names_domain_id(domain), NULL);
}

static int pop(nvtxDomainHandle_t domain, const void *payload, size_t count)
{
    uint64_t ticks = clock_ticks(output_clock);

    (void)payload;
    (void)count;
    process_lose(REC_LOSS_EXTENDED);
    return event_pop(names_domain_id(domain), ticks);
}

static nvtxRangeId_t start(nvtxDomainHandle_t domain, const void *payload, size_t count)
{
    (void)payload;
    (void)count;
    process_lose(REC_LOSS_EXTENDED);
    return event_start(names_domain_id(domain), NULL);
}

static void end(nvtxDomainHandle_t domain, nvtxRangeId_t id, const void *payload, size_t count)
{
    (void)payload;
    (void)count;
    process_lose(REC_LOSS_EXTENDED);
    event_end(names_domain_id(domain), id);
}

static uint8_t is_enabled(nvtxDomainHandle_t domain)
{
    (void)domain;
    return 1;
}

/* The numbers of functions and modules are the interface between NVTX and tools. What only declares
 * (schemas, enums, scopes, counters) is left alone: its use is what counts. */
enum { PAYLOAD_MARK = 2, PAYLOAD_PUSH, PAYLOAD_POP, PAYLOAD_START, PAYLOAD_END, PAYLOAD_ENABLED };
enum { COUNTER_FIRST = 1, COUNTER_LAST = 5 };
enum { MODULE_MEMORY = 1, MODULE_PAYLOAD = 2, MODULE_COUNTERS = 4 };

struct segment {
    size_t id;
    size_t count;
    intptr_t *functions;
};

struct module {
    uint16_t nvtx_version;
    uint16_t size;
    uint16_t id;
    uint16_t compatible;
    size_t segment_count;
    struct segment *segments;
};

static intptr_t payload_function(size_t id)
{
    switch (id) {
    case PAYLOAD_MARK:
        return (intptr_t)mark;
    case PAYLOAD_PUSH:
        return (intptr_t)push;
    case PAYLOAD_POP:
        return (intptr_t)pop;
    case PAYLOAD_START:
        return (intptr_t)start;
    case PAYLOAD_END:
        return (intptr_t)end;
    case PAYLOAD_ENABLED:
        return (intptr_t)is_enabled;
    default:
        return 0;
    }
}

static intptr_t function(uint16_t module, size_t segment, size_t id)
{
    if (segment == 0 && module == MODULE_PAYLOAD) {
        return payload_function(id);
    }
    if (module == MODULE_PAYLOAD) {
        return 0; /* clocks of the program's own */
    }
    if (module == MODULE_COUNTERS) {
        return id >= COUNTER_FIRST && id <= COUNTER_LAST ? (intptr_t)count_counter : 0;
    }
    return module == MODULE_MEMORY ? (intptr_t)count_memory : (intptr_t)count_extension;
}

__attribute__((visibility("default"))) int InitializeInjectionNvtxExtension(struct module *module);

int InitializeInjectionNvtxExtension(struct module *module)
{
    if (!module || module->size < sizeof(*module) || !process_init()) {
        return 0;
    }
    for (size_t i = 0; i < module->segment_count; i++) {
        struct segment *segment = &module->segments[i];
        for (size_t id = 0; segment->functions && id < segment->count; id++) {
            intptr_t f = function(module->id, segment->id, id);
            if (f) {
                segment->functions[id] = f;
            }
        }
    }
    return 1;
}
