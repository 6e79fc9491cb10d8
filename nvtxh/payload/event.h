/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_PAYLOAD_EVENT_H
#define NVTXH_PAYLOAD_EVENT_H

/* A struct as the payload of an event, or of the end of a range. Not API. */

#include "register.h"

NVTXH_I_C_BEGIN

/* Stores the number at AT, of entry type TYPE, as the payload. The caller has set attached->bits to
 * 0. False: this type cannot be a payload. */
static inline bool nvtxh_i_payload_number(uint32_t type, const void *at,
                                          struct nvtxh_i_payload_encoded *attached) {
    int32_t wide;

    switch (type) {
#define NVTXH_I_READ(T, entry, number, payload, maker)                                             \
    case number:                                                                                   \
        attached->type = NVTXH_I_PAYLOAD_##payload;                                                \
        memcpy(&attached->bits, at, sizeof(T));                                                    \
        return true;
        NVTXH_I_PAYLOAD_TYPES(NVTXH_I_READ)
#define NVTXH_I_READ_NARROW(T, entry, number, as)                                                  \
    case number:                                                                                   \
        wide = *((const as *)at);                                                                  \
        break;
        NVTXH_I_NARROW_TYPES(NVTXH_I_READ_NARROW)
    default:
        return false;
    }
    attached->type = NVTXH_I_PAYLOAD_I32;
    memcpy(&attached->bits, &wide, sizeof(wide));
    return true;
}

/* Stores a struct's first number as the payload: for tools and headers without the extension. */
static inline void nvtxh_i_payload_nearest(const struct nvtxh_i_schema *schema, const void *data,
                                           struct nvtxh_i_payload_encoded *attached) {
    const struct nvtxh_i_field *field = schema->fields, *end = field + schema->count;

    for (; field < end; field++) {
        if (!field->count &&
            nvtxh_i_payload_number(field->type, (const char *)data + field->offset, attached)) {
            return;
        }
    }
}

NVTXH_I_ENTRY_DEF void nvtxh_i_payload_attach(const struct nvtxh_i_made_by_nvtxh_payload *type,
                                              struct nvtxh_domain *domain, const void *data,
                                              struct nvtxh_i_payload_encoded *ret_attached) {
    const struct nvtxh_i_known *known = nvtxh_i_schema_of(nvtxh_i_ref_of(type), domain, false);

    ret_attached->type = 0;
    ret_attached->count = 0;
    ret_attached->bits = 0;
    if (!known || !known->schema) {
        return;
    }
#if NVTXH_I_EXTENSIONS
    if (known->id) {
        nvtxPayloadData_t payload = {known->id, known->schema->size, data};

        memcpy(ret_attached->data, &payload, sizeof(payload));
        ret_attached->type = NVTX_PAYLOAD_TYPE_EXT;
        ret_attached->count = 1;
        ret_attached->bits = (uintptr_t)(&ret_attached->data);
        return;
    }
#endif
    nvtxh_i_payload_nearest(known->schema, data, ret_attached);
}

#if NVTXH_I_EXTENSIONS
/* Ends RANGE, or pops if RANGE is NULL, by functions of the payload extension. False: nothing has
 * ended, because the tool lacks the function or the schema. */
NVTXH_I_LINKONCE bool NVTXH_I_SYMBOL(payload_close)(struct nvtxh_domain *domain,
                                                    const nvtxRangeId_t *range,
                                                    struct nvtxh_payload_value value,
                                                    int *ret_depth) {
#define NVTXH_I_ENTRY_NUMBER(T, entry, number, ...) number,
    /* Indexed by the payload's type. */
    static const unsigned char entry_types[] = {0, NVTXH_I_PAYLOAD_TYPES(NVTXH_I_ENTRY_NUMBER)};
    uintptr_t number = (uintptr_t)value.nvtxh_i_type;
    nvtxDomainHandle_t handle = nvtxh_i_handle(domain);
    nvtxPayloadData_t payload = {0, 8, &value.nvtxh_i_bits};

    if (number < sizeof(entry_types)) {
        payload.schemaId = entry_types[number];
        payload.size = number < NVTXH_I_PAYLOAD_U32 ? 8 : 4;
        if (NVTX_EXT_PAYLOAD_VERSIONED_ID(nvtxExtPayloadSlots)[0] == NVTX_EXTENSION_FRESH) {
            (void)nvtxDomainIsEnabled(handle); /* the call makes the extension load the tool */
        }
    } else {
        struct nvtxh_i_payload_encoded attached;

        nvtxh_i_payload_attach(value.nvtxh_i_type, domain, (const void *)value.nvtxh_i_bits,
                               &attached);
        if (!attached.count) {
            return false;
        }
        memcpy(&payload, attached.data, sizeof(payload));
    }
    if (range && NVTXH_I_EXT(nvtxRangeEndPayload)) {
        nvtxRangeEndPayload(handle, *range, &payload, 1);
    } else if (!range && NVTXH_I_EXT(nvtxRangePopPayload)) {
        *ret_depth = nvtxRangePopPayload(handle, &payload, 1);
    } else {
        return false;
    }
    return true;
}
#endif

NVTXH_I_C_END

#endif
