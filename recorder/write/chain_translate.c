/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "chain_translate.h"
#include "record_write.h"

#include <stdlib.h>
#include <string.h>

size_t chain_data_count(const struct ext_data *data, size_t count)
{
    uint64_t dynamic = 0;

    for (size_t i = 0; data && i < count; i++) {
        dynamic |= data[i].schema >> 32;
    }
    return dynamic && count > CHAIN_DATA ? 0 : count;
}

const struct ext_data *chain_data(const struct ext_data *data, size_t count, union chain_copy *copy,
                                  unsigned tool)
{
    if (!data || count > CHAIN_DATA) {
        return data;
    }
    for (size_t i = 0; i < count; i++) {
        copy->data[i] = data[i];
        copy->data[i].schema = chain_their_id(data[i].schema, tool);
    }
    return copy->data;
}

static void message(int32_t type, nvtxMessageValue_t *message, unsigned tool)
{
    if (type == NVTX_MESSAGE_TYPE_REGISTERED) {
        message->registered =
            (nvtxStringHandle_t)chain_theirs(CHAIN_STRING, message->registered, tool);
    }
}

const nvtxEventAttributes_t *chain_attributes_rare(const nvtxEventAttributes_t *given,
                                                   union chain_copy *copy, unsigned tool)
{
    nvtxEventAttributes_t *a = &copy->attributes;

    if (!given) {
        return NULL;
    }
    memset(a, 0, sizeof(*a));
    memcpy(a, given, given->size < sizeof(*a) ? given->size : sizeof(*a));
    message(a->messageType, &a->message, tool);
    if ((uint32_t)a->payloadType == PAYLOAD_EXTENDED && a->reserved0 > 0) {
        const struct ext_data *data;
        memcpy(&data, &a->payload, sizeof(data));
        size_t count = chain_data_count(data, (size_t)a->reserved0);
        data = chain_data(data, count, copy, tool);
        memcpy(&a->payload, &data, sizeof(data));
        a->reserved0 = (int32_t)count;
    }
    return a;
}

const nvtxResourceAttributes_t *chain_resource(const nvtxResourceAttributes_t *a,
                                               union chain_copy *copy, unsigned tool)
{
    if (!a || !ext_size_is_plausible(a->size, sizeof(*a))) {
        return NULL;
    }
    copy->resource = *a;
    message(a->messageType, &copy->resource.message, tool);
    return &copy->resource;
}

const struct chain_sync *chain_sync(const struct chain_sync *a, union chain_copy *copy,
                                    unsigned tool)
{
    if (!a || !ext_size_is_plausible(a->size, sizeof(*a))) {
        return NULL;
    }
    copy->sync = *a;
    message(a->message_type, &copy->sync.message, tool);
    return &copy->sync;
}

/* --- the extensions' structs -------------------------------------------------------------------- */

/* A copy that is never freed, because a tool may keep the pointer, and few programs define much. NULL on failure. */
static void *kept(const void *from, size_t size)
{
    static struct kept {
        struct kept *older;
        char bytes[];
    } * newest;
    struct kept *k = malloc(sizeof(*k) + size);

    if (!k) {
        return NULL;
    }
    memcpy(k->bytes, from, size);
    k->older = __atomic_load_n(&newest, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&newest, &k->older, k, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
    }
    return k->bytes;
}

#define ID(id) (id) = chain_their_id(id, tool)

enum { DEPTH = 16 }; /* of a list of semantics */

/* The list with the tool's ids. Its beginning is copied, up to the last element with an id. A list that is longer than
 * DEPTH, or has an element that is larger than any known one, is passed on from there as it is. */
static const struct ext_semantics *semantics(const struct ext_semantics *s, unsigned tool,
                                             unsigned depth)
{
    enum { LARGEST = 1024 };
    uint64_t id = 0;

    if (!s || !depth || s->size < sizeof(*s) || s->size > LARGEST) {
        return s;
    }
    if (s->size >= sizeof(*s) + sizeof(id) &&
        (s->semantic == REC_SEMANTIC_SCOPE || s->semantic == REC_SEMANTIC_TIME)) {
        memcpy(&id, s + 1, sizeof(id));
    }
    const struct ext_semantics *next = semantics(s->next, tool, depth - 1);
    if (next == s->next && !(id >> 32)) {
        return s;
    }
    struct ext_semantics *copy = kept(s, s->size);
    if (!copy) {
        return s;
    }
    if (id >> 32) {
        ID(id);
        memcpy(copy + 1, &id, sizeof(id));
    }
    copy->next = next;
    return copy;
}

CHAIN_STRUCT(schema)
{
    uint64_t dynamic = 0;
    size_t count = given && given->fields & EXT_SCHEMA_ENTRIES ? given->entry_count : 0;

    for (size_t i = 0; i < count && given->entries; i++) {
        dynamic |= given->entries[i].type >> 32 | (uintptr_t)given->entries[i].semantics;
    }
    struct ext_entry *entries = dynamic ? kept(given->entries, count * sizeof(*entries)) : NULL;
    if (!entries) {
        return given;
    }
    for (size_t i = 0; i < count; i++) {
        ID(entries[i].type);
        entries[i].semantics = semantics(entries[i].semantics, tool, DEPTH);
    }
    copy->schema = *given;
    copy->schema.entries = entries;
    return &copy->schema;
}

#define TRANSLATED(what, change)                                                                   \
    CHAIN_STRUCT(what)                                                                             \
    {                                                                                              \
        if (!given) {                                                                              \
            return NULL;                                                                           \
        }                                                                                          \
        copy->what = *given;                                                                       \
        change;                                                                                    \
        return &copy->what;                                                                        \
    }
TRANSLATED(time_domain, ID(copy->time_domain.scope))
TRANSLATED(scope, ID(copy->scope.parent))
TRANSLATED(counter, (ID(copy->counter.schema), ID(copy->counter.scope),
                     copy->counter.semantics = semantics(given->semantics, tool, DEPTH)))
TRANSLATED(samples, ID(copy->samples.counter))
TRANSLATED(events, (ID(copy->events.schema), ID(copy->events.scope)))
