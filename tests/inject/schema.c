/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The schemas and enums of the payload extension: kept, and their registration logged. */
#include "extension.h"

#if TOOL_EXTENSIONS

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SCHEMAS = 4096 };
static struct schema schemas[SCHEMAS];
static size_t n_schemas;

static struct schema *new_schema(const struct domain *domain, const char *name, size_t size,
                                 size_t count) {
    struct schema *schema = &schemas[n_schemas++];

    if (n_schemas == SCHEMAS)
        abort();
    schema->id = NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START + n_schemas;
    schema->domain = domain;
    schema->name = tool_copy(name);
    schema->size = size;
    schema->count = count;
    return schema;
}

const struct schema *tool_schema(uint64_t id) {
    uint64_t i = id - NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START - 1;

    return i < n_schemas ? &schemas[i] : NULL;
}

static void *copy(const void *from, size_t size) {
    void *to = malloc(size);

    if (!to)
        abort();
    return memcpy(to, from, size);
}

void tool_put_semantics(FILE *out, const nvtxSemanticsHeader_t *header) {
    for (; header; header = header->next) {
        const nvtxSemanticsCounter_t *counter = (const nvtxSemanticsCounter_t *)header;

        if (header->semanticId == NVTX_SEMANTIC_ID_TIME_V1) {
            fprintf(out, " time=%" PRIu64, ((const nvtxSemanticsTime_t *)header)->timeDomainId);
            continue;
        }
        if (header->semanticId != NVTX_SEMANTIC_ID_COUNTERS_V1 ||
            header->structSize != sizeof(*counter) ||
            header->version != NVTX_COUNTER_SEMANTIC_VERSION || counter->unitScaleNumerator != 1 ||
            counter->unitScaleDenominator != 1) {
            fprintf(out, " BAD(semantics)");
            return;
        }
        if (counter->unit)
            fprintf(out, " unit=%s", counter->unit);
        if ((counter->flags & NVTX_COUNTER_FLAG_LIMITS) == 0)
            continue;
        if (counter->limitType == NVTX_COUNTER_LIMIT_I64)
            fprintf(out, " i64:%" PRId64 "..%" PRId64, counter->min.i64, counter->max.i64);
        else if (counter->limitType == NVTX_COUNTER_LIMIT_U64)
            fprintf(out, " u64:%" PRIu64 "..%" PRIu64, counter->min.u64, counter->max.u64);
        else
            fprintf(out, " f64:%g..%g", counter->min.f64, counter->max.f64);
    }
}

static bool refuses(const char *name) {
    return tool_is("refuses") && strchr("13579", name[strlen(name) - 1]);
}

uint64_t tool_schema_register(nvtxDomainHandle_t handle, const nvtxPayloadSchemaAttr_t *attr) {
    const struct domain *domain = (const struct domain *)handle;
    struct schema *schema;
    char *text = NULL;
    size_t length, i;
    FILE *out;

    if (attr->type != NVTX_PAYLOAD_SCHEMA_TYPE_STATIC)
        abort();
    if (refuses(attr->name))
        return 0;
    log_lock();
    schema = new_schema(domain, attr->name, attr->payloadStaticSize, attr->numEntries);
    schema->entries = copy(attr->entries, attr->numEntries * sizeof(*attr->entries));
    out = open_memstream(&text, &length);
    if (!out)
        abort();
    fprintf(out, "%s %zu%s%s {", attr->name, attr->payloadStaticSize,
            attr->flags & NVTX_PAYLOAD_SCHEMA_FLAG_DEEP_COPY ? " deep" : "",
            attr->flags & NVTX_PAYLOAD_SCHEMA_FLAG_COUNTER_GROUP ? " group" : "");
    for (i = 0; i < schema->count; i++) {
        nvtxPayloadSchemaEntry_t *entry = &schema->entries[i];
        const struct schema *of = tool_schema(entry->type);

        entry->name = tool_copy(entry->name);
        entry->description = tool_copy(entry->description);
        fprintf(out, "%s%s@%" PRIu64, i ? ", " : "", entry->name, entry->offset);
        if (of)
            fprintf(out, " %s%s", of->name, of->domain == domain ? "" : " BAD(domain)");
        else
            fprintf(out, " %" PRIu64, entry->type);
        if (entry->arrayOrUnionDetail)
            fprintf(out, "[%" PRIu64 "]", entry->arrayOrUnionDetail);
        if (entry->type != NVTX_PAYLOAD_ENTRY_TYPE_CSTRING &&
            !(entry->flags & NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE) !=
                !entry->arrayOrUnionDetail)
            fprintf(out, " BAD(flags)");
        if (entry->flags & NVTX_PAYLOAD_ENTRY_FLAG_COUNTER)
            fprintf(out, " counter");
        tool_put_semantics(out, entry->semantics);
        if (entry->description)
            fprintf(out, " (%s)", entry->description);
        entry->semantics = NULL;
    }
    fputc('}', out);
    fclose(out);
    log_unlock();
    tool_name(LOG_SCHEMA, domain, 0, text);
    free(text);
    return schema->id;
}

uint64_t tool_enum_register(nvtxDomainHandle_t handle, const nvtxPayloadEnumAttr_t *attr) {
    const struct domain *domain = (const struct domain *)handle;
    struct schema *schema;
    char *text = NULL;
    size_t length, i;
    FILE *out;

    if (refuses(attr->name))
        return 0;
    log_lock();
    schema = new_schema(domain, attr->name, attr->sizeOfEnum, attr->numEntries);
    schema->values = copy(attr->entries, attr->numEntries * sizeof(*attr->entries));
    out = open_memstream(&text, &length);
    if (!out)
        abort();
    fprintf(out, "%s %zu {", attr->name, attr->sizeOfEnum);
    for (i = 0; i < schema->count; i++) {
        schema->values[i].name = tool_copy(schema->values[i].name);
        fprintf(out, "%s%s=%" PRId64, i ? ", " : "", schema->values[i].name,
                (int64_t)schema->values[i].value);
    }
    fputc('}', out);
    fclose(out);
    log_unlock();
    tool_name(LOG_ENUM, domain, 0, text);
    free(text);
    return schema->id;
}

#endif
