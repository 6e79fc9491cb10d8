/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_PAYLOAD_COUNTER_H
#define NVTXH_PAYLOAD_COUNTER_H

/* Counters: numbers over time. Each is registered with the tool at its first value. Not API. */

#include "register.h"

#if NVTXH_I_EXTENSIONS
#include <nvtx3/nvToolsExtCounters.h>
#endif

NVTXH_I_C_BEGIN

NVTXH_I_INLINE_LOCAL bool nvtxh_i_is_struct(const struct nvtxh_i_made_by_nvtxh_payload *type) {
    return (uintptr_t)type > NVTXH_I_PAYLOAD_LAST;
}

static inline const struct nvtxh_i_schema *nvtxh_i_counter_schema(
    const struct nvtxh_counter *counter) {
    return (const struct nvtxh_i_schema *)counter->nvtxh_i_schema;
}

static inline double nvtxh_i_as_double(struct nvtxh_payload_value value) {
    uint64_t bits = value.nvtxh_i_bits;
    double f64;
    float f32;

    switch ((uintptr_t)value.nvtxh_i_type) {
    case NVTXH_I_PAYLOAD_F64:
        memcpy(&f64, &bits, sizeof(f64));
        return f64;
    case NVTXH_I_PAYLOAD_F32:
        memcpy(&f32, &bits, sizeof(f32));
        return (double)f32;
    case NVTXH_I_PAYLOAD_I32:
        return (int32_t)(uint32_t)bits;
    case NVTXH_I_PAYLOAD_I64:
        return (double)(int64_t)bits;
    default:
        return (double)bits;
    }
}

/* Converts to int64_t: drops the fraction, saturates at the limits; NaN becomes 0. */
static inline int64_t nvtxh_i_as_integer(struct nvtxh_payload_value value) {
    uint64_t bits = value.nvtxh_i_bits;
    double f64;

    switch ((uintptr_t)value.nvtxh_i_type) {
    case NVTXH_I_PAYLOAD_F64:
    case NVTXH_I_PAYLOAD_F32:
        f64 = nvtxh_i_as_double(value);
        if (f64 >= 9223372036854775807.0) {
            return INT64_MAX;
        }
        if (f64 > -9223372036854775808.0) {
            return (int64_t)f64;
        }
        return f64 == f64 ? INT64_MIN : 0;
    case NVTXH_I_PAYLOAD_I32:
        return (int32_t)(uint32_t)bits;
    case NVTXH_I_PAYLOAD_U64:
        return bits > INT64_MAX ? INT64_MAX : (int64_t)bits;
    default:
        return (int64_t)bits;
    }
}

#if NVTXH_I_EXTENSIONS
/* Registers the counter with the tool. The caller has set the counter's schema or type. */
NVTXH_I_COLD void nvtxh_i_counter_register(struct nvtxh_counter *counter,
                                           struct nvtxh_domain *domain) {
    const struct nvtxh_i_options *options = &counter->nvtxh_i_options;
    const struct nvtxh_i_known *group = NULL;
    nvtxSemanticsCounter_t semantics;
    nvtxSemanticsTime_t time;
    nvtxCounterAttr_t attr;

    memset(&time, 0, sizeof(time));
    time.header.structSize = sizeof(time);
    time.header.semanticId = NVTX_SEMANTIC_ID_TIME_V1;
    time.header.version = NVTX_TIME_SEMANTIC_VERSION;
    time.timeDomainId = NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_MONOTONIC;
    memset(&attr, 0, sizeof(attr));
    attr.structSize = sizeof(attr);
    attr.name = counter->nvtxh_i_name;
    attr.description = options->description;
    attr.semantics = &time.header;
    if (counter->nvtxh_i_schema) {
        group = nvtxh_i_schema_register(nvtxh_i_counter_schema(counter), domain, true);
    }
    attr.schemaId = group ? group->id : counter->nvtxh_i_type;
    if (nvtxh_i_semantics(&semantics, options, counter->nvtxh_i_type)) {
        semantics.header.next = attr.semantics;
        attr.semantics = &semantics.header;
    }
    if (attr.schemaId) {
        counter->nvtxh_i_id = nvtxCounterRegister(nvtxh_i_handle(domain), &attr);
    }
}

static inline void nvtxh_i_counter_sample(struct nvtxh_counter *counter,
                                          struct nvtxh_payload_value value) {
    struct nvtxh_domain *domain = nvtxh_i_domain_of(counter->nvtxh_i_domain, NULL);
    nvtxDomainHandle_t handle = nvtxh_i_handle(domain);

    if (counter->nvtxh_i_schema) {
        nvtxCounterSample(handle, counter->nvtxh_i_id, (const void *)value.nvtxh_i_bits,
                          nvtxh_i_counter_schema(counter)->size);
    } else if (counter->nvtxh_i_type == NVTXH_I_ENTRY_DOUBLE) {
        nvtxCounterSampleFloat64(handle, counter->nvtxh_i_id, nvtxh_i_as_double(value));
    } else {
        nvtxCounterSampleInt64(handle, counter->nvtxh_i_id, nvtxh_i_as_integer(value));
    }
}

static inline void nvtxh_i_counter_submit(struct nvtxh_counter *counter, const void *values,
                                          size_t size, size_t n, const int64_t *times) {
    struct nvtxh_domain *domain = nvtxh_i_domain_of(counter->nvtxh_i_domain, NULL);
    nvtxCounterBatch_t batch;

    memset(&batch, 0, sizeof(batch));
    batch.counterId = counter->nvtxh_i_id;
    batch.counters = values;
    batch.countersSize = size;
    batch.flags = NVTX_BATCH_FLAG_TIME_SORTED;
    batch.timestamps = times;
    batch.timestampsSize = n * sizeof(*times);
    nvtxCounterBatchSubmit(nvtxh_i_handle(domain), &batch);
}

/* Converts the numbers to the counter's type, 64 at a time on the stack, and sends them. */
static inline void nvtxh_i_counter_convert(struct nvtxh_counter *counter,
                                           struct nvtxh_payload_value values, size_t n,
                                           const int64_t *times) {
    const char *from = (const char *)values.nvtxh_i_bits;
    struct nvtxh_payload_value value = values;
    uint64_t to[64];
    int64_t i64;
    double f64;
    size_t i;

    for (; n; n -= i, times += i) {
        for (i = 0; i < n && i < 64; i++, from += sizeof(to[0])) {
            memcpy(&value.nvtxh_i_bits, from, sizeof(to[0]));
            if (counter->nvtxh_i_type == NVTXH_I_ENTRY_DOUBLE) {
                f64 = nvtxh_i_as_double(value);
                memcpy(&to[i], &f64, sizeof(f64));
            } else {
                i64 = nvtxh_i_as_integer(value);
                memcpy(&to[i], &i64, sizeof(i64));
            }
        }
        nvtxh_i_counter_submit(counter, to, i * sizeof(to[0]), i, times);
    }
}

static inline void nvtxh_i_counter_batch(struct nvtxh_counter *counter,
                                         struct nvtxh_payload_value values, size_t size, size_t n,
                                         const int64_t *times) {
    if (!counter->nvtxh_i_schema && (counter->nvtxh_i_type == NVTXH_I_ENTRY_DOUBLE) !=
                                        ((uintptr_t)values.nvtxh_i_type == NVTXH_I_PAYLOAD_F64)) {
        nvtxh_i_counter_convert(counter, values, n, times);
    } else {
        nvtxh_i_counter_submit(counter, (const void *)values.nvtxh_i_bits, n * size, n, times);
    }
}

#else

static inline void nvtxh_i_counter_register(struct nvtxh_counter *counter,
                                            struct nvtxh_domain *domain) {
    (void)counter, (void)domain;
}

static inline void nvtxh_i_counter_sample(struct nvtxh_counter *counter,
                                          struct nvtxh_payload_value value) {
    (void)counter, (void)value;
}

static inline void nvtxh_i_counter_batch(struct nvtxh_counter *counter,
                                         struct nvtxh_payload_value values, size_t size, size_t n,
                                         const int64_t *times) {
    (void)counter, (void)values, (void)size, (void)n, (void)times;
}
#endif

/* Called at the first value: sets the counter's schema or type, and registers the counter. */
NVTXH_I_COLD void nvtxh_i_counter_make(struct nvtxh_counter *counter,
                                       const struct nvtxh_i_made_by_nvtxh_payload *type) {
    struct nvtxh_domain *domain = nvtxh_i_domain_of(counter->nvtxh_i_domain, NULL);
    uintptr_t number = (uintptr_t)type;
    int cancel = 0, saved_errno = errno;

    if (!nvtxh_i_lock(&cancel)) {
        return;
    }
    if (!counter->nvtxh_i_made) {
        if (nvtxh_i_is_struct(type)) {
            counter->nvtxh_i_schema = nvtxh_i_schema_find(nvtxh_i_ref_of(type));
        } else if (number == NVTXH_I_PAYLOAD_F64 || number == NVTXH_I_PAYLOAD_F32) {
            counter->nvtxh_i_type = NVTXH_I_ENTRY_DOUBLE;
        } else {
            counter->nvtxh_i_type = NVTXH_I_ENTRY_INT64;
        }
        nvtxh_i_counter_register(counter, domain);
        (void)nvtxh_i_handle(domain);
        __atomic_store_n(&counter->nvtxh_i_made, 1u, __ATOMIC_RELEASE);
    }
    nvtxh_i_unlock(cancel);
    errno = saved_errno;
}

/* Is the domain on, and does the counter take this type? The first value decides what it takes. */
static inline bool nvtxh_i_counter_accepts(struct nvtxh_counter *counter,
                                           struct nvtxh_payload_value value) {
    struct nvtxh_domain *domain = nvtxh_i_domain_of(counter->nvtxh_i_domain, NULL);
    const struct nvtxh_i_made_by_nvtxh_payload *type = value.nvtxh_i_type;
    const struct nvtxh_i_known *known;

    if (!type || nvtxh_i_domain_off(domain)) {
        return false;
    }
    if (NVTXH_I_UNLIKELY(!__atomic_load_n(&counter->nvtxh_i_made, __ATOMIC_ACQUIRE))) {
        nvtxh_i_counter_make(counter, type);
    }
    if (!nvtxh_i_is_struct(type)) {
        return counter->nvtxh_i_type != 0;
    }
    known = nvtxh_i_schema_of(nvtxh_i_ref_of(type), domain, true);
    return known && known->schema && known->schema == counter->nvtxh_i_schema;
}

/* Makes a mark with the value, for tools that do not know counters. */
static inline void nvtxh_i_counter_mark(struct nvtxh_counter *counter,
                                        struct nvtxh_payload_value value) {
    struct nvtxh_domain *domain = nvtxh_i_domain_of(counter->nvtxh_i_domain, NULL);
    struct nvtxh_i_whole_event event;

    nvtxh_i_event_fill(&event.nvtx, 0, 0, value);
    nvtxh_i_event_text(&event.nvtx, counter->nvtxh_i_name);
    nvtxh_i_event_attach(&event, domain, value);
    nvtxh_i_mark_event(domain, &event.nvtx);
}

NVTXH_I_ENTRY_DEF void nvtxh_i_counter_value(struct nvtxh_counter *counter,
                                             struct nvtxh_payload_value value) {
    if (!nvtxh_i_counter_accepts(counter, value)) {
        return;
    }
    if (counter->nvtxh_i_id) {
        nvtxh_i_counter_sample(counter, value);
    } else {
        nvtxh_i_counter_mark(counter, value);
    }
}

NVTXH_I_ENTRY_DEF void nvtxh_i_counter_values(struct nvtxh_counter *counter,
                                              struct nvtxh_payload_value values, size_t n,
                                              const int64_t *times) {
    size_t size = 8;

    if (!n || !nvtxh_i_counter_accepts(counter, values)) {
        return;
    }
    if (counter->nvtxh_i_schema) {
        size = nvtxh_i_counter_schema(counter)->size;
    }
    if (counter->nvtxh_i_id) {
        nvtxh_i_counter_batch(counter, values, size, n, times);
        return;
    }
    values.nvtxh_i_bits += (n - 1) * size;
    if (!counter->nvtxh_i_schema) {
        memcpy(&values.nvtxh_i_bits, (const void *)values.nvtxh_i_bits, size);
    }
    nvtxh_i_counter_mark(counter, values);
}

NVTXH_I_C_END

#endif
