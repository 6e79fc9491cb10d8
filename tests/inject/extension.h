/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_EXTENSION_H
#define NVTXH_TEST_EXTENSION_H

/* What the tool does with the payload and counter extensions, if NVTX's headers have them. */
#include "tool.h"

#if defined(NVTX_NULLPTR)
#define TOOL_EXTENSIONS 1
#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtSemanticsCounters.h>
#include <nvtx3/nvToolsExtSemanticsTime.h>

#include <stdio.h>

/* A schema (entries) or an enum (values), copied whole when it is registered. */
struct schema {
    uint64_t id;
    const struct domain *domain;
    char *name;
    size_t size, count;
    nvtxPayloadSchemaEntry_t *entries;
    nvtxPayloadEnum_t *values;
};

uint64_t tool_schema_register(nvtxDomainHandle_t handle, const nvtxPayloadSchemaAttr_t *attr);
uint64_t tool_enum_register(nvtxDomainHandle_t handle, const nvtxPayloadEnumAttr_t *attr);
/* NULL: none of that number. */
const struct schema *tool_schema(uint64_t id);
/* A payload as text; to be freed. */
char *tool_payload_text(const struct domain *domain, const nvtxPayloadData_t *data, size_t count);
void tool_put_semantics(FILE *out, const nvtxSemanticsHeader_t *header);
/* Subscribe to the counter extension. */
void tool_counters(nvtxExtModuleInfo_t *info);
#else
#define TOOL_EXTENSIONS 0
#endif

#endif
