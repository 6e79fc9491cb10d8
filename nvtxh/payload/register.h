/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_PAYLOAD_REGISTER_H
#define NVTXH_PAYLOAD_REGISTER_H

/*
 * A schema in NVTX's own words. Not API; part of payload.h, within its implementation.
 */

#if NVTXH_I_EXTENSIONS

/* What is said of a number, as NVTX calls it; false if that is nothing. */
static inline bool nvtxh_i_semantics(nvtxSemanticsCounter_t *semantics, const char *unit,
                                     double min, double max, uint32_t type)
{
    bool limits = min < max || max < min;

    memset(semantics, 0, sizeof(*semantics));
    semantics->header.structSize = sizeof(*semantics);
    semantics->header.semanticId = NVTX_SEMANTIC_ID_COUNTERS_V1;
    semantics->header.version = NVTX_COUNTER_SEMANTIC_VERSION;
    semantics->unit = unit;
    semantics->unitScaleNumerator = 1;
    semantics->unitScaleDenominator = 1;
    if (!limits)
        return unit != NVTXH_I_NULL;
    semantics->flags = NVTX_COUNTER_FLAG_LIMITS;
    if (type == NVTX_PAYLOAD_ENTRY_TYPE_UINT64) {
        semantics->limitType = NVTX_COUNTER_LIMIT_U64;
        semantics->min.u64 = NVTXH_I_CAST(uint64_t, min);
        semantics->max.u64 = NVTXH_I_CAST(uint64_t, max);
    } else if (type && type < NVTX_PAYLOAD_ENTRY_TYPE_UINT64) {
        semantics->limitType = NVTX_COUNTER_LIMIT_I64;
        semantics->min.i64 = NVTXH_I_CAST(int64_t, min);
        semantics->max.i64 = NVTXH_I_CAST(int64_t, max);
    } else {
        semantics->limitType = NVTX_COUNTER_LIMIT_F64;
        semantics->min.f64 = min;
        semantics->max.f64 = max;
    }
    return true;
}

/* The schema of bool. */
static inline const struct nvtxh_i_schema *nvtxh_i_bool_schema(void)
{
    static const struct nvtxh_i_enumerator values[] = {{"false", 0}, {"true", 1}};
    static const struct nvtxh_i_schema schema = {NVTXH_I_NULL, 0,     "bool", 1, 2,
                                                 NVTXH_I_NULL, values};

    return &schema;
}

/* Under the lock. An enum's id; 0: the tool does not take it. */
static inline uint64_t nvtxh_i_enum_tell(const struct nvtxh_i_schema *schema,
                                         struct nvtxh_domain *domain, void **ret_told)
{
    nvtxPayloadEnum_t *values =
        NVTXH_I_CAST(nvtxPayloadEnum_t *, calloc(schema->count, sizeof(nvtxPayloadEnum_t)));
    nvtxPayloadEnumAttr_t attr;
    uint64_t i;

    if (!values)
        return 0;
    for (i = 0; i < schema->count; i++) {
        values[i].name = schema->values[i].name;
        values[i].value = NVTXH_I_CAST(uint64_t, schema->values[i].value);
    }
    *ret_told = values;
    memset(&attr, 0, sizeof(attr));
    attr.fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_NAME | NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES | NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE;
    attr.name = schema->name;
    attr.entries = values;
    attr.numEntries = schema->count;
    attr.sizeOfEnum = schema->size;
    return nvtxPayloadEnumRegister(nvtxh_i_handle(domain), &attr);
}

/* Under the lock. One field; false: the tool does not take its type, and it is left out. */
static inline bool nvtxh_i_field_tell(const struct nvtxh_i_field *field,
                                      struct nvtxh_domain *domain, nvtxPayloadSchemaEntry_t *entry,
                                      nvtxSemanticsCounter_t *semantics, bool *deep)
{
    const struct nvtxh_i_schema *of =
        field->type == 200 ? nvtxh_i_bool_schema() : nvtxh_i_schema_find(&field->of);
    const struct nvtxh_i_known *known =
        of ? nvtxh_i_schema_register(of, domain, false) : NVTXH_I_NULL;

    entry->type = field->type == 200 ? NVTX_PAYLOAD_ENTRY_TYPE_UINT8 : field->type;
    if (known && known->id) {
        entry->type = known->id;
        *deep = *deep || known->deep;
    }
    entry->name = field->name;
    entry->description = field->says.description;
    entry->offset = field->offset;
    entry->arrayOrUnionDetail = field->count;
    if (field->type == NVTX_PAYLOAD_ENTRY_TYPE_CHAR && field->count) {
        entry->type = NVTX_PAYLOAD_ENTRY_TYPE_CSTRING;
    } else if (field->type == NVTX_PAYLOAD_ENTRY_TYPE_CSTRING) {
        entry->flags = NVTX_PAYLOAD_ENTRY_FLAG_POINTER |
                       NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED |
                       NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY;
        *deep = true;
    } else if (field->count) {
        entry->flags = NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE;
    }
    if (nvtxh_i_semantics(semantics, field->says.unit, field->says.min, field->says.max,
                          field->type))
        entry->semantics = &semantics->header;
    return entry->type != 0;
}

static inline bool nvtxh_i_is_number(uint32_t type)
{
    return type >= NVTX_PAYLOAD_ENTRY_TYPE_CHAR && type <= NVTX_PAYLOAD_ENTRY_TYPE_LONGDOUBLE;
}

/* Under the lock. A struct's id; as a group of counters it has one of its own. 0: the
 * tool does not take it. */
static inline uint64_t nvtxh_i_struct_tell(const struct nvtxh_i_schema *schema,
                                           struct nvtxh_domain *domain, bool group, void **ret_told,
                                           bool *ret_deep)
{
    void *memory =
        calloc(schema->count, sizeof(nvtxPayloadSchemaEntry_t) + sizeof(nvtxSemanticsCounter_t));
    nvtxPayloadSchemaEntry_t *entries = NVTXH_I_CAST(nvtxPayloadSchemaEntry_t *, memory);
    nvtxSemanticsCounter_t *semantics;
    nvtxPayloadSchemaAttr_t attr;
    size_t n = 0;
    uint64_t i;

    if (!memory)
        return 0;
    semantics =
        NVTXH_I_CAST(nvtxSemanticsCounter_t *, NVTXH_I_CAST(void *, entries + schema->count));
    *ret_told = memory;
    for (i = 0; i < schema->count; i++)
        if (nvtxh_i_field_tell(&schema->fields[i], domain, &entries[n], &semantics[n], ret_deep)) {
            if (group && nvtxh_i_is_number(schema->fields[i].type))
                entries[n].flags |= NVTX_PAYLOAD_ENTRY_FLAG_COUNTER;
            n++;
        } else {
            memset(&entries[n], 0, sizeof(entries[n]));
        }
    memset(&attr, 0, sizeof(attr));
    attr.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_FLAGS | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
    attr.name = schema->name;
    attr.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
    attr.flags = (*ret_deep ? NVTX_PAYLOAD_SCHEMA_FLAG_DEEP_COPY : 0u) |
                 (group ? NVTX_PAYLOAD_SCHEMA_FLAG_COUNTER_GROUP : 0u);
    attr.entries = entries;
    attr.numEntries = n;
    attr.payloadStaticSize = schema->size;
    return nvtxPayloadSchemaRegister(nvtxh_i_handle(domain), &attr);
}

#endif

/* Under the lock. NULL: no memory. */
NVTXH_I_ONCE struct nvtxh_i_known *nvtxh_i_schema_register(const struct nvtxh_i_schema *schema,
                                                           struct nvtxh_domain *domain, bool group)
{
    const void *key = nvtxh_i_schema_key(schema, group);

    struct nvtxh_i_known is = {NVTXH_I_NULL, NVTXH_I_NULL, NVTXH_I_NULL, schema, 0,
                               false,        NVTXH_I_NULL};
    struct nvtxh_i_known *known = nvtxh_i_schema_known(key, domain);

    if (known)
        return known;
#if NVTXH_I_EXTENSIONS
    is.id = schema->values ? nvtxh_i_enum_tell(schema, domain, &is.told)
                           : nvtxh_i_struct_tell(schema, domain, group, &is.told, &is.deep);
#endif
    known = nvtxh_i_schema_add(key, domain, &is);
    if (!known)
        free(is.told);
    return known;
}

#endif
