/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "chain_translate.h"
#include "memory.h"
#include "record_write.h"

#include <stdlib.h>
#include <string.h>

/* --- handles ---------------------------------------------------------------------------------- */

chain_row *chain_blocks[CHAIN_KINDS][CHAIN_BLOCKS];

/* Returns the memory that *place points to; allocates it, zeroed, if *place is NULL. Several
 * threads may do so at once. NULL on failure. */
static void *made(void **place, size_t size) {
    void *there = __atomic_load_n(place, __ATOMIC_ACQUIRE), *expected = NULL;

    if (there) {
        return there;
    }
    void *fresh = scratch_new(size);
    if (!fresh || __atomic_compare_exchange_n(place, &expected, fresh, false, __ATOMIC_ACQ_REL,
                                              __ATOMIC_ACQUIRE)) {
        return fresh;
    }
    scratch_drop(fresh, size);
    return expected;
}

/* Where a tool's handle is kept. NULL: no memory, or the number is too large to be kept. */
static uint64_t *place_of(enum chain_kind kind, uintptr_t number, unsigned tool) {
    uintptr_t n = number / CHAIN_BLOCK;
    chain_row *block = n < CHAIN_BLOCKS
                           ? made((void **)&chain_blocks[kind][n], CHAIN_BLOCK * sizeof(chain_row))
                           : NULL;
    return block ? &block[number % CHAIN_BLOCK][tool] : NULL;
}

static void keep_handle(enum chain_kind kind, uintptr_t number, unsigned tool, uint64_t theirs) {
    uint64_t *place = place_of(kind, number, tool);

    if (place) {
        __atomic_store_n(place, theirs, __ATOMIC_RELAXED);
    }
}

void chain_keep_id(uint64_t id, unsigned tool, uint64_t theirs) {
    if (id >> 32) {
        keep_handle(CHAIN_ID, id - (UINT64_C(1) << 32), tool, theirs);
    }
}

void chain_keep(enum chain_kind kind, const void *handle, unsigned tool, void *theirs) {
    uintptr_t number = chain_number(kind, handle);

    if (!handle) {
        return;
    }
    bool again = kind == CHAIN_DOMAIN && chain_get(kind, number, tool);
    keep_handle(again ? CHAIN_AGAIN : kind, number, tool, (uintptr_t)theirs);
}

void chain_domain_made(const void *handle) {
    uint64_t *count = handle ? place_of(CHAIN_DOMAIN, chain_number(CHAIN_DOMAIN, handle), 0) : NULL;

    if (count) {
        __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
    }
}

void chain_domain_gone(const void *handle, chain_row ret_theirs) {
    uintptr_t number = chain_number(CHAIN_DOMAIN, handle);
    uint64_t *count = handle ? place_of(CHAIN_DOMAIN, number, 0) : NULL;
    bool last = count && *count && !__atomic_sub_fetch(count, 1, __ATOMIC_RELAXED);
    uint64_t *row = count ? place_of(last ? CHAIN_DOMAIN : CHAIN_AGAIN, number, 0) : NULL;

    for (unsigned t = 1; t <= chain_count; t++) {
        ret_theirs[t] = row ? __atomic_exchange_n(&row[t], 0, __ATOMIC_RELAXED) : 0;
    }
}

/* --- open ranges: hash tables, each four times as large as the one before --------------------- */

enum { TABLES = 12, PROBES = 16, SLOTS_FIRST = 1 << 10 }; /* PROBES: an id's slots in a table */
#define FREE 0
#define BUSY UINT64_MAX

struct slot {
    uint64_t id;
    chain_row each;
};
static struct slot *tables[TABLES];

static struct slot *slot_at(struct slot *table, int n, uint64_t id, unsigned probe) {
    size_t slots = (size_t)SLOTS_FIRST << (2 * n);
    uint64_t hash = id * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    return &table[(hash + probe) % slots];
}

/* Marks the slot busy if it holds `id`; false: it does not. */
static bool take_slot(struct slot *s, uint64_t id) {
    return __atomic_load_n(&s->id, __ATOMIC_RELAXED) == id &&
           __atomic_compare_exchange_n(&s->id, &id, BUSY, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

static bool put_handles(uint64_t id, const chain_row each) {
    for (int n = 0; n < TABLES; n++) {
        size_t size = ((size_t)SLOTS_FIRST << (2 * n)) * sizeof(struct slot);
        struct slot *table = made((void **)&tables[n], size);
        for (unsigned i = 0; table && i < PROBES; i++) {
            struct slot *s = slot_at(table, n, id, i);
            if (take_slot(s, FREE)) {
                memcpy(s->each, each, sizeof(s->each));
                __atomic_store_n(&s->id, id, __ATOMIC_RELEASE);
                return true;
            }
        }
    }
    return false;
}

uint64_t chain_range_open(chain_row each) {
    static uint64_t own; /* counts ranges that only the tools record */
    uint64_t asked = chain_answers ? each[chain_answers] : 0, theirs = 0;
    uint64_t id = asked != FREE && asked != BUSY ? asked : each[0];

    for (unsigned t = 1; t <= chain_count; t++) {
        theirs |= each[t];
    }
    if (!id && theirs) {
        id = UINT64_C(1) << 63 | __atomic_add_fetch(&own, 1, __ATOMIC_RELAXED);
    }
    return !theirs || put_handles(id, each) ? id : each[0];
}

void chain_range_close(uint64_t id, chain_row ret_each) {
    memset(ret_each, 0, sizeof(chain_row));
    ret_each[0] = id;
    for (int n = 0; n < TABLES && id != FREE && id != BUSY; n++) {
        struct slot *table = __atomic_load_n(&tables[n], __ATOMIC_ACQUIRE);
        for (unsigned i = 0; table && i < PROBES; i++) {
            struct slot *s = slot_at(table, n, id, i);
            if (take_slot(s, id)) {
                memcpy(ret_each, s->each, sizeof(chain_row));
                __atomic_store_n(&s->id, FREE, __ATOMIC_RELEASE);
                return;
            }
        }
    }
}

/* --- arguments -------------------------------------------------------------------------------- */

size_t chain_data_count(const struct ext_data *data, size_t count) {
    uint64_t dynamic = 0;

    for (size_t i = 0; data && i < count; i++) {
        dynamic |= data[i].schema >> 32;
    }
    return dynamic && count > CHAIN_DATA ? 0 : count;
}

const struct ext_data *chain_data(const struct ext_data *data, size_t count, union chain_copy *copy,
                                  unsigned tool) {
    if (!data || count > CHAIN_DATA) {
        return data;
    }
    for (size_t i = 0; i < count; i++) {
        copy->data[i] = data[i];
        copy->data[i].schema = chain_their_id(data[i].schema, tool);
    }
    return copy->data;
}

/* Translates a registered string, and makes a NULL text empty: some tools read it unchecked. */
static void message(int32_t type, nvtxMessageValue_t *message, unsigned tool) {
    if (type == NVTX_MESSAGE_TYPE_REGISTERED) {
        message->registered =
            (nvtxStringHandle_t)chain_theirs(CHAIN_STRING, message->registered, tool);
    } else if (type == NVTX_MESSAGE_TYPE_ASCII && !message->ascii) {
        message->ascii = "";
    } else if (type == NVTX_MESSAGE_TYPE_UNICODE && !message->unicode) {
        message->unicode = L"";
    }
}

const nvtxEventAttributes_t *chain_attributes_rare(const nvtxEventAttributes_t *given,
                                                   union chain_copy *copy, unsigned tool) {
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

#define WITH_MESSAGE(what, type)                                                                   \
    const type *chain_##what(const type *a, union chain_copy *copy, unsigned tool) {               \
        if (!a || !ext_size_is_plausible(a->size, sizeof(*a))) {                                   \
            return NULL;                                                                           \
        }                                                                                          \
        copy->what = *a;                                                                           \
        message(a->messageType, &copy->what.message, tool);                                        \
        return &copy->what;                                                                        \
    }
WITH_MESSAGE(resource, nvtxResourceAttributes_t)
WITH_MESSAGE(sync, struct chain_sync)

/* --- the extensions' structs ------------------------------------------------------------------ */

/* Makes a copy that is never freed, because a tool may keep the pointer. This takes little memory:
 * few programs define much. NULL on failure. */
static void *kept(const void *from, size_t size) {
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

enum { DEPTH = 16 }; /* so many elements of a list of semantics are translated */

/* Returns the list with the tool's ids. Copies the elements up to the last one whose id must be
 * translated. Ids stay as they are from element DEPTH on, and from an element of wrong size on. */
static const struct ext_semantics *semantics(const struct ext_semantics *s, unsigned tool,
                                             unsigned depth) {
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

CHAIN_STRUCT(schema) {
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
    CHAIN_STRUCT(what) {                                                                           \
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
