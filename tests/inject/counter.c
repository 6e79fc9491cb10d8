/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The counter extension. */
#include "extension.h"

#if TOOL_EXTENSIONS

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct counter {
    const struct domain *domain;
    uint64_t schema;
    char *name;
};

enum { COUNTERS = 1024 };
static struct counter counters[COUNTERS];
static size_t n_counters;

static uint64_t counter_register(nvtxDomainHandle_t handle, const nvtxCounterAttr_t *attr) {
    const struct domain *domain = (const struct domain *)handle;
    struct counter *counter;
    char *text = NULL;
    uint64_t id;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    log_lock();
    counter = &counters[n_counters];
    id = NVTX_COUNTER_ID_DYNAMIC_START + n_counters++;
    if (n_counters == COUNTERS || !out)
        abort();
    counter->domain = domain;
    counter->schema = attr->schemaId;
    counter->name = tool_copy(attr->name);
    fprintf(out, "%s", attr->name);
    if (attr->schemaId < NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START)
        fprintf(out, " %" PRIu64, attr->schemaId);
    tool_put_semantics(out, attr->semantics);
    if (attr->description)
        fprintf(out, " (%s)", attr->description);
    if (attr->structSize != sizeof(*attr) || attr->counterId || attr->scopeId)
        fprintf(out, " BAD(attributes)");
    fclose(out);
    log_unlock();
    tool_name(LOG_COUNTER_NAME, domain, 0, text);
    free(text);
    return id;
}

/* A sample, in words: TEXT, which is taken over. */
static void sample(nvtxDomainHandle_t handle, uint64_t id, char *text) {
    const struct domain *domain = (const struct domain *)handle;
    struct log_event event = {.kind = LOG_COUNTER, .extended = text};
    uint64_t i = id - NVTX_COUNTER_ID_DYNAMIC_START;

    tool_begin();
    if (i >= n_counters || counters[i].domain != domain)
        event.bad = "counter";
    else
        event.text = counters[i].name;
    tool_note(&event, domain);
}

static char *value_text(nvtxDomainHandle_t handle, uint64_t id, uint64_t schema, const void *at,
                        size_t size) {
    uint64_t i = id - NVTX_COUNTER_ID_DYNAMIC_START;
    nvtxPayloadData_t data = {schema, size, at};

    if (i >= n_counters)
        return tool_copy("?");
    if (!schema)
        data.schemaId = counters[i].schema;
    else if (counters[i].schema != schema)
        return tool_copy("BAD(type)");
    return tool_payload_text((const struct domain *)handle, &data, 1);
}

static void sample_int64(nvtxDomainHandle_t handle, uint64_t id, int64_t value) {
    sample(handle, id,
           value_text(handle, id, NVTX_PAYLOAD_ENTRY_TYPE_INT64, &value, sizeof(value)));
}

static void sample_float64(nvtxDomainHandle_t handle, uint64_t id, double value) {
    sample(handle, id,
           value_text(handle, id, NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE, &value, sizeof(value)));
}

static void sample_bytes(nvtxDomainHandle_t handle, uint64_t id, const void *value, size_t size) {
    sample(handle, id, value_text(handle, id, 0, value, size));
}

static void sample_none(nvtxDomainHandle_t handle, uint64_t id, uint8_t reason) {
    sample(handle, id, tool_copy(reason == NVTX_COUNTER_SAMPLE_UNAVAILABLE ? "none" : "BAD"));
}

static void batch(nvtxDomainHandle_t handle, const nvtxCounterBatch_t *given) {
    size_t n = given->timestampsSize / sizeof(*given->timestamps), i, length;
    size_t size = n ? given->countersSize / n : 0;
    char *text = NULL;
    FILE *out = open_memstream(&text, &length);

    if (!out)
        abort();
    for (i = 0; i < n; i++) {
        char *value =
            value_text(handle, given->counterId, 0, (const char *)given->counters + i * size, size);

        fprintf(out, "%s%s@%" PRId64, i ? " " : "", value, given->timestamps[i]);
        free(value);
    }
    if (given->flags != NVTX_BATCH_FLAG_TIME_SORTED)
        fprintf(out, " BAD(flags)");
    fclose(out);
    sample(handle, given->counterId, text);
}

#define SLOT(function, call)                                                                       \
    info->segments[0].functionSlots[NVTX3EXT_CBID_##function] = (intptr_t)(call)

void tool_counters(nvtxExtModuleInfo_t *info) {
    SLOT(nvtxCounterRegister, counter_register);
    SLOT(nvtxCounterSampleInt64, sample_int64);
    SLOT(nvtxCounterSampleFloat64, sample_float64);
    SLOT(nvtxCounterSample, sample_bytes);
    SLOT(nvtxCounterSampleNoValue, sample_none);
    SLOT(nvtxCounterBatchSubmit, batch);
}

#endif
