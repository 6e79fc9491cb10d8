/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The payload extension: writes payloads as text, by their schemas. And the entry point of all
 * extensions. */
#include "extension.h"

#if TOOL_EXTENSIONS

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t put_number(FILE *out, uint64_t type, const void *at) {
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

static void put_struct(FILE *out, const struct schema *schema, const char *at) {
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

static size_t put_value(FILE *out, uint64_t type, const char *at) {
    const struct schema *schema = tool_schema(type);
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

enum { SCOPES = 256, SCOPE_FIRST = 1000 }; /* the first number is one that no other tool returns */
static struct {
    uint64_t id;
    char *path;
} scopes[SCOPES];
static size_t n_scopes;

static const char *scope_path(uint64_t id) {
    size_t i;

    for (i = 0; i < SCOPES; i++)
        if (id && __atomic_load_n(&scopes[i].id, __ATOMIC_ACQUIRE) == id)
            return scopes[i].path;
    return NULL;
}

/* A payload that is a scope by itself: "in PATH". */
static void put_scope(FILE *out, const nvtxPayloadData_t *data) {
    uint64_t id;
    const char *path;

    memcpy(&id, data->payload, sizeof(id));
    path = data->size == sizeof(id) ? scope_path(id) : NULL;
    fprintf(out, "%s%s", path ? "in " : "BAD(scope)", path ? path : "");
}

char *tool_payload_text(const struct domain *domain, const nvtxPayloadData_t *data, size_t count) {
    char *text = NULL;
    size_t length, i;
    FILE *out = open_memstream(&text, &length);

    if (!out)
        abort();
    for (i = 0; i < count; i++) {
        const struct schema *schema = tool_schema(data[i].schemaId);

        if (data[i].schemaId == NVTX_PAYLOAD_ENTRY_TYPE_SCOPE_ID)
            put_scope(out, &data[i]);
        else if (schema && (schema->domain != domain || schema->size != data[i].size))
            fputs("BAD(domain or size)", out);
        else if (put_value(out, data[i].schemaId, (const char *)data[i].payload) != data[i].size)
            fputs("BAD(size)", out);
    }
    fclose(out);
    return text;
}

static int pop_payload(nvtxDomainHandle_t handle, const nvtxPayloadData_t *data, size_t count) {
    const struct domain *domain = (const struct domain *)handle;

    return tool_pop(domain, tool_payload_text(domain, data, count));
}

static void end_payload(nvtxDomainHandle_t handle, nvtxRangeId_t id, const nvtxPayloadData_t *data,
                        size_t count) {
    const struct domain *domain = (const struct domain *)handle;

    tool_end(domain, id, tool_payload_text(domain, data, count));
}

#ifdef NVTX3EXT_CBID_nvtxEventBatchSubmit
static uint64_t scope_register(nvtxDomainHandle_t handle, const nvtxScopeAttr_t *attr) {
    size_t i = __atomic_fetch_add(&n_scopes, 1, __ATOMIC_RELAXED);

    (void)handle;
    if (i >= SCOPES)
        abort();
    scopes[i].path = tool_copy(attr->path);
    __atomic_store_n(&scopes[i].id,
                     attr->scopeId ? attr->scopeId : NVTX_SCOPE_ID_DYNAMIC_START + SCOPE_FIRST + i,
                     __ATOMIC_RELEASE);
    return scopes[i].id;
}

#endif

#define SLOT(function, call)                                                                       \
    info->segments[0].functionSlots[NVTX3EXT_CBID_##function] = (intptr_t)(call)

/* Found by this name. */
int InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t *info);

__attribute__((visibility("default"))) int InitializeInjectionNvtxExtension(
    nvtxExtModuleInfo_t *info) {
    if (tool_is("noext"))
        return 1;
    if (tool_is("failext"))
        return 0;
    if (info->moduleId == NVTX_EXT_PAYLOAD_MODULEID) {
        SLOT(nvtxPayloadSchemaRegister, tool_schema_register);
        SLOT(nvtxPayloadEnumRegister, tool_enum_register);
#ifdef NVTX3EXT_CBID_nvtxEventBatchSubmit
        if (!tool_is("noscope"))
            SLOT(nvtxScopeRegister, scope_register);
#endif
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
