/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_PAYLOAD_EVENT_H
#define NVTXH_PAYLOAD_EVENT_H

/*
 * What an event, or the end of a range, says of a struct. Not API; part of payload.h, within its
 * implementation.
 */

/* One number as NVTX's own payload; false if it is none of NVTX's. */
static inline bool nvtxh_i_payload_number(uint32_t code, const void *at,
                                          struct nvtxh_i_payload_told *attached)
{
    int32_t narrow = 0;
    uint32_t size = 0;

    attached->type = NVTX_PAYLOAD_TYPE_INT32;
    switch (code) {
    case 1: /* char */
    case 11:
        narrow = *NVTXH_I_CAST(const signed char *, at);
        break;
    case 12:
    case 200: /* bool */
        narrow = *NVTXH_I_CAST(const unsigned char *, at);
        break;
    case 13:
        narrow = *NVTXH_I_CAST(const int16_t *, at);
        break;
    case 14:
        narrow = *NVTXH_I_CAST(const uint16_t *, at);
        break;
    case 15:
        size = 4;
        break;
    case 16:
        attached->type = NVTX_PAYLOAD_TYPE_UNSIGNED_INT32;
        size = 4;
        break;
    case 17:
        attached->type = NVTX_PAYLOAD_TYPE_INT64;
        size = 8;
        break;
    case 18:
        attached->type = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
        size = 8;
        break;
    case 19:
        attached->type = NVTX_PAYLOAD_TYPE_FLOAT;
        size = 4;
        break;
    case 20:
        attached->type = NVTX_PAYLOAD_TYPE_DOUBLE;
        size = 8;
        break;
    default:
        attached->type = NVTX_PAYLOAD_UNKNOWN;
        return false;
    }
    attached->bits = 0;
    if (size)
        memcpy(&attached->bits, at, size);
    else
        memcpy(&attached->bits, &narrow, sizeof(narrow));
    return true;
}

/* The first number of a struct: for tools and headers that know no more. */
static inline void nvtxh_i_payload_nearest(const struct nvtxh_i_schema *schema, const void *data,
                                           struct nvtxh_i_payload_told *attached)
{
    uint64_t i;

    for (i = 0; i < schema->count; i++) {
        const struct nvtxh_i_field *field = &schema->fields[i];

        if (!field->count &&
            nvtxh_i_payload_number(field->type, NVTXH_I_CAST(const char *, data) + field->offset,
                                   attached))
            return;
    }
}

/* What an event says of a struct. */
NVTXH_I_ONCE void nvtxh_i_payload_attach(const struct nvtxh_i_payload_type *type,
                                         struct nvtxh_domain *domain, const void *data,
                                         struct nvtxh_i_payload_told *ret_attached)
{
    const struct nvtxh_i_payload_ref *ref = NVTXH_I_BITS(const struct nvtxh_i_payload_ref *, type);
    const struct nvtxh_i_known *known = nvtxh_i_schema_of(&ref->of, domain, false);

    ret_attached->type = 0;
    ret_attached->count = 0;
    ret_attached->bits = 0;
    if (!known || !known->schema)
        return;
#if NVTXH_I_EXTENSIONS
    if (known->id) {
        nvtxPayloadData_t payload = {known->id, known->schema->size, data};

        memcpy(ret_attached->data, &payload, sizeof(payload));
        ret_attached->type = NVTX_PAYLOAD_TYPE_EXT;
        ret_attached->count = 1;
        ret_attached->bits = NVTXH_I_BITS(uintptr_t, &ret_attached->data);
        return;
    }
#endif
    nvtxh_i_payload_nearest(known->schema, data, ret_attached);
}

/* The end of a range with a payload, which NVTX has in the extension alone. */
NVTXH_I_LINKONCE bool nvtxh_i_payload_close(struct nvtxh_domain *domain, const nvtxRangeId_t *range,
                                            struct nvtxh_payload_value value, int *ret_depth)
{
#if NVTXH_I_EXTENSIONS
    /* By NVTX's number for the type of a number: that of its entry type. */
    static const unsigned char entry_types[] = {0, 18, 17, 20, 16, 15, 19};
    uintptr_t number = NVTXH_I_BITS(uintptr_t, value.nvtxh_i_type);
    nvtxDomainHandle_t handle = nvtxh_i_handle(domain);
    nvtxPayloadData_t payload = {0, 8, &value.nvtxh_i_bits};

    if (number < sizeof(entry_types)) {
        payload.schemaId = entry_types[number];
        payload.size = number < NVTXH_I_PAYLOAD_U32 ? 8 : 4;
        if (NVTX_EXT_PAYLOAD_VERSIONED_ID(nvtxExtPayloadSlots)[0] == NVTX_EXTENSION_FRESH)
            (void)nvtxDomainIsEnabled(handle); /* any call: it looks for the tool */
    } else {
        struct nvtxh_i_payload_told attached;

        nvtxh_i_payload_attach(value.nvtxh_i_type, domain,
                               NVTXH_I_BITS(const void *, value.nvtxh_i_bits), &attached);
        if (!attached.count)
            return false;
        memcpy(&payload, attached.data, sizeof(payload));
    }
    if (range && NVTXH_I_EXT(nvtxRangeEndPayload))
        nvtxRangeEndPayload(handle, *range, &payload, 1);
    else if (!range && NVTXH_I_EXT(nvtxRangePopPayload))
        *ret_depth = nvtxRangePopPayload(handle, &payload, 1);
    else
        return false;
    return true;
#else
    (void)domain, (void)range, (void)value, (void)ret_depth;
    return false;
#endif
}

#endif
