/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The payload and counter extensions: schemas are kept, and what is said by them is put into words. */
#include "extension.h"

#if TOOL_EXTENSIONS

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A schema (entries) or an enum (values), copied whole when it is registered. */
struct schema {
    uint64_t id;
    const struct domain *domain;
    char *name;
    size_t size, count;
    nvtxPayloadSchemaEntry_t *entries;
    nvtxPayloadEnum_t *values;
};

enum { SCHEMAS = 4096 };
static struct schema schemas[SCHEMAS];
static size_t n_schemas;

static struct schema *new_schema(const struct domain *domain, const char *name, size_t size,
                                 size_t count)
{
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

static const struct schema *schema_of(uint64_t id)
{
    uint64_t i = id - NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START - 1;

    return i < n_schemas ? &schemas[i] : NULL;
}

static void *copy(const void *from, size_t size)
{
    void *to = malloc(size);

    if (!to)
        abort();
    return memcpy(to, from, size);
}

void tool_put_semantics(FILE *out, const nvtxSemanticsHeader_t *header)
{
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

/* --- registration ------------------------------------------------------------------------------ */

static uint64_t schema_register(nvtxDomainHandle_t handle, const nvtxPayloadSchemaAttr_t *attr)
{
    const struct domain *domain = (const struct domain *)handle;
    struct schema *schema;
    char *text = NULL;
    size_t length, i;
    FILE *out;

    if (attr->type != NVTX_PAYLOAD_SCHEMA_TYPE_STATIC)
        abort();
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
        const struct schema *of = schema_of(entry->type);

        entry->name = tool_copy(entry->name);
        entry->description = tool_copy(entry->description);
        fprintf(out, "%s%s@%" PRIu64, i ? ", " : "", entry->name, entry->offset);
        if (of)
            fprintf(out, " %s%s", of->name, of->domain == domain ? "" : " BAD(domain)");
        else
            fprintf(out, " %" PRIu64, entry->type);
        if (entry->arrayOrUnionDetail)
            fprintf(out, "[%" PRIu64 "]", entry->arrayOrUnionDetail);
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

static uint64_t enum_register(nvtxDomainHandle_t handle, const nvtxPayloadEnumAttr_t *attr)
{
    const struct domain *domain = (const struct domain *)handle;
    struct schema *schema;
    char *text = NULL;
    size_t length, i;
    FILE *out;

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

/* --- bytes to words ---------------------------------------------------------------------------- */

static size_t put_number(FILE *out, uint64_t type, const void *at)
{
    switch (type) {
#define NUMBER(name, format, c_type)                                                               \
    case NVTX_PAYLOAD_ENTRY_TYPE_##name: {                                                         \
        c_type value;                                                                              \
        memcpy(&value, at, sizeof(value));                                                         \
        fprintf(out, format, value);                                                               \
        return sizeof(value);                                                                      \
    }
        NUMBER(CHAR, "'%c'", char)
        NUMBER(INT8, "%" PRId8, int8_t)
        NUMBER(UINT8, "%" PRIu8, uint8_t)
        NUMBER(INT16, "%" PRId16, int16_t)
        NUMBER(UINT16, "%" PRIu16, uint16_t)
        NUMBER(INT32, "%" PRId32, int32_t)
        NUMBER(UINT32, "%" PRIu32, uint32_t)
        NUMBER(INT64, "%" PRId64, int64_t)
        NUMBER(UINT64, "%" PRIu64, uint64_t)
        NUMBER(DOUBLE, "%.9g", double)
        NUMBER(LONGDOUBLE, "%.9Lg", long double)
        NUMBER(ADDRESS, "%p", void *)
    case NVTX_PAYLOAD_ENTRY_TYPE_FLOAT: {
        float value;
        memcpy(&value, at, sizeof(value));
        fprintf(out, "%.6g", (double)value);
        return sizeof(value);
    }
    default:
        fprintf(out, "BAD(type %" PRIu64 ")", type);
        return 0;
    }
}

static size_t put_value(FILE *out, uint64_t type, const char *at);

static void put_struct(FILE *out, const struct schema *schema, const char *at)
{
    size_t i, j;

    fprintf(out, "%s{", schema->name);
    for (i = 0; i < schema->count; i++) {
        const nvtxPayloadSchemaEntry_t *entry = &schema->entries[i];
        const char *field = at + entry->offset, *text;

        fprintf(out, "%s%s=", i ? " " : "", entry->name);
        if (entry->type == NVTX_PAYLOAD_ENTRY_TYPE_CSTRING && entry->flags) {
            memcpy(&text, field, sizeof(text));
            if (entry->flags !=
                (NVTX_PAYLOAD_ENTRY_FLAG_POINTER | NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED |
                 NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY))
                fprintf(out, "BAD(flags)");
            else
                fprintf(out, text ? "\"%s\"" : "NULL", text);
        } else if (entry->type == NVTX_PAYLOAD_ENTRY_TYPE_CSTRING) {
            fprintf(out, "\"%.*s\"", (int)entry->arrayOrUnionDetail, field);
        } else if (entry->flags & NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE) {
            fputc('[', out);
            for (j = 0; j < entry->arrayOrUnionDetail; j++) {
                if (j)
                    fputc(' ', out);
                field += put_value(out, entry->type, field);
            }
            fputc(']', out);
        } else {
            put_value(out, entry->type, field);
        }
    }
    fputc('}', out);
}

static size_t put_value(FILE *out, uint64_t type, const char *at)
{
    const struct schema *schema = schema_of(type);
    uint64_t bits = 0;
    int64_t value;
    size_t i;

    if (!schema)
        return put_number(out, type, at);
    if (!schema->values) {
        put_struct(out, schema, at);
        return schema->size;
    }
    memcpy(&bits, at, schema->size);
    value = schema->size == 4 ? (int32_t)(uint32_t)bits : (int64_t)bits;
    for (i = 0; i < schema->count; i++)
        if ((int64_t)schema->values[i].value == value)
            break;
    if (i < schema->count)
        fputs(schema->values[i].name, out);
    else
        fprintf(out, "%" PRId64, value);
    return schema->size;
}

char *tool_payload_text(const struct domain *domain, const nvtxPayloadData_t *data, size_t count)
{
    char *text = NULL;
    size_t length, i;
    FILE *out = open_memstream(&text, &length);

    if (!out)
        abort();
    for (i = 0; i < count; i++) {
        const struct schema *schema = schema_of(data[i].schemaId);

        if (schema && (schema->domain != domain || schema->size != data[i].size))
            fputs("BAD(domain or size)", out);
        else
            put_value(out, data[i].schemaId, (const char *)data[i].payload);
    }
    fclose(out);
    return text;
}

static int pop_payload(nvtxDomainHandle_t handle, const nvtxPayloadData_t *data, size_t count)
{
    const struct domain *domain = (const struct domain *)handle;

    return tool_pop(domain, tool_payload_text(domain, data, count));
}

static void end_payload(nvtxDomainHandle_t handle, nvtxRangeId_t id, const nvtxPayloadData_t *data,
                        size_t count)
{
    const struct domain *domain = (const struct domain *)handle;

    tool_end(domain, id, tool_payload_text(domain, data, count));
}

#define SLOT(function, call)                                                                       \
    info->segments[0].functionSlots[NVTX3EXT_CBID_##function] = (intptr_t)(call)

/* Found by this name. */
int InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t *info);

__attribute__((visibility("default"))) int InitializeInjectionNvtxExtension(
    nvtxExtModuleInfo_t *info)
{
    if (tool_is("noext"))
        return 1;
    if (tool_is("failext"))
        return 0;
    if (info->moduleId == NVTX_EXT_PAYLOAD_MODULEID) {
        SLOT(nvtxPayloadSchemaRegister, schema_register);
        SLOT(nvtxPayloadEnumRegister, enum_register);
        if (!tool_is("noend")) {
            SLOT(nvtxRangePopPayload, pop_payload);
            SLOT(nvtxRangeEndPayload, end_payload);
        }
    }
    if (info->moduleId == NVTX_EXT_COUNTERS_MODULEID)
        tool_counters(info);
    return 1;
}

#endif
