/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_CHAIN_TRANSLATE_H
#define NVTXH_WRITE_CHAIN_TRANSLATE_H
/* Translates a program's arguments for another tool: they get the tool's own handles and ids. Each function returns its
 * argument if nothing has to be changed, else a copy. */
#include "chain_handles.h"

/* The most payloads of one event that are translated. An event with more is passed on without any, unless the program
 * has chosen the ids of all their schemas: then nothing has to be translated. */
enum { CHAIN_DATA = 16 };

struct chain_sync { /* the layout of nvtxSyncUserAttributes_t in nvToolsExtSync.h */
    uint16_t version, size;
    int32_t message_type;
    nvtxMessageValue_t message;
};

union chain_copy {
    struct {
        nvtxEventAttributes_t attributes;
        struct ext_data data[CHAIN_DATA];
    };
    nvtxResourceAttributes_t resource;
    struct chain_sync sync;
    struct ext_schema schema;
    struct ext_time_domain time_domain;
    struct ext_scope scope;
    struct ext_counter counter;
    struct ext_samples samples;
    struct ext_events events;
};

const struct ext_data *chain_data(const struct ext_data *data, size_t count, union chain_copy *copy,
                                  unsigned tool);
size_t chain_data_count(const struct ext_data *data, size_t count);
const nvtxResourceAttributes_t *chain_resource(const nvtxResourceAttributes_t *a,
                                               union chain_copy *copy, unsigned tool);
const struct chain_sync *chain_sync(const struct chain_sync *a, union chain_copy *copy,
                                    unsigned tool);

#define CHAIN_STRUCT(what)                                                                         \
    const struct ext_##what *chain_##what(const struct ext_##what *given, union chain_copy *copy,  \
                                          unsigned tool)
CHAIN_STRUCT(schema);
CHAIN_STRUCT(time_domain);
CHAIN_STRUCT(scope);
CHAIN_STRUCT(counter);
CHAIN_STRUCT(samples);
CHAIN_STRUCT(events);

/* For attributes that are NULL or too short, or that have payloads of the payload extension. */
const nvtxEventAttributes_t *chain_attributes_rare(const nvtxEventAttributes_t *a,
                                                   union chain_copy *copy, unsigned tool);

static inline const nvtxEventAttributes_t *chain_attributes(const nvtxEventAttributes_t *a,
                                                            union chain_copy *copy, unsigned tool)
{
    if (__builtin_expect(!a || a->size < sizeof(*a) || a->reserved0, 0)) {
        return chain_attributes_rare(a, copy, tool);
    }
    if (a->messageType != NVTX_MESSAGE_TYPE_REGISTERED) {
        return a;
    }
    copy->attributes = *a;
    copy->attributes.message.registered =
        (nvtxStringHandle_t)chain_theirs(CHAIN_STRING, a->message.registered, tool);
    return &copy->attributes;
}

#endif /* NVTXH_WRITE_CHAIN_TRANSLATE_H */
