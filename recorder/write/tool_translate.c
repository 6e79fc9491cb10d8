/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tool_translate.h"
#include "memory.h"
#include "record_write.h"

#include <stdlib.h>
#include <string.h>

/* --- handles ---------------------------------------------------------------------------------- */

struct tool_row *tool_blocks[TOOL_KINDS][TOOL_BLOCKS];

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

/* The row of a handle or id. NULL: no memory, or the number is too large to be kept. */
static struct tool_row *row_of(enum tool_kind kind, uintptr_t number) {
    uintptr_t n = number / TOOL_BLOCK;
    struct tool_row *block =
        n < TOOL_BLOCKS ? made((void **)&tool_blocks[kind][n], TOOL_BLOCK * sizeof(*block)) : NULL;
    return block ? &block[number % TOOL_BLOCK] : NULL;
}

static void keep_handle(enum tool_kind kind, uintptr_t number, uint64_t theirs) {
    struct tool_row *row = row_of(kind, number);

    if (row) {
        __atomic_store_n(&row->theirs, theirs, __ATOMIC_RELAXED);
    }
}

void tool_keep_id(uint64_t id, uint64_t theirs) {
    if (id >> 32) {
        keep_handle(TOOL_ID, id - (UINT64_C(1) << 32), theirs);
    }
}

void tool_keep(enum tool_kind kind, const void *handle, void *theirs) {
    uintptr_t number = tool_number(kind, handle);

    if (!handle) {
        return;
    }
    bool again = kind == TOOL_DOMAIN && tool_get(kind, number);
    keep_handle(again ? TOOL_AGAIN : kind, number, (uintptr_t)theirs);
}

void tool_domain_made(const void *handle) {
    struct tool_row *row = handle ? row_of(TOOL_DOMAIN, tool_number(TOOL_DOMAIN, handle)) : NULL;

    if (row) {
        __atomic_add_fetch(&row->ours, 1, __ATOMIC_RELAXED);
    }
}

uint64_t tool_domain_gone(const void *handle) {
    uintptr_t number = tool_number(TOOL_DOMAIN, handle);
    struct tool_row *row = handle ? row_of(TOOL_DOMAIN, number) : NULL;
    bool last = row && row->ours && !__atomic_sub_fetch(&row->ours, 1, __ATOMIC_RELAXED);

    row = row && !last ? row_of(TOOL_AGAIN, number) : row;
    return row ? __atomic_exchange_n(&row->theirs, 0, __ATOMIC_RELAXED) : 0;
}

/* --- open ranges: hash tables, each four times as large as the one before --------------------- */

enum { TABLES = 12, PROBES = 16, SLOTS_FIRST = 1 << 10 }; /* PROBES: an id's slots in a table */
#define FREE 0
#define BUSY UINT64_MAX

struct slot {
    uint64_t id;
    struct tool_row each;
};
static struct slot *tables[TABLES];

static struct slot *slot_at(struct slot *table, int n, uint64_t id, unsigned probe) {
    size_t slots = (size_t)SLOTS_FIRST << (2 * n);
    uint64_t hash = id * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    return &table[(hash + probe) % slots];
}

/* Marks the slot busy if it holds `id`; false: it does not. */
static bool claim_slot(struct slot *s, uint64_t id) {
    return __atomic_load_n(&s->id, __ATOMIC_RELAXED) == id &&
           __atomic_compare_exchange_n(&s->id, &id, BUSY, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

static bool put_handles(uint64_t id, struct tool_row each) {
    for (int n = 0; n < TABLES; n++) {
        size_t size = ((size_t)SLOTS_FIRST << (2 * n)) * sizeof(struct slot);
        struct slot *table = made((void **)&tables[n], size);
        for (unsigned i = 0; table && i < PROBES; i++) {
            struct slot *s = slot_at(table, n, id, i);
            if (claim_slot(s, FREE)) {
                s->each = each;
                __atomic_store_n(&s->id, id, __ATOMIC_RELEASE);
                return true;
            }
        }
    }
    return false;
}

uint64_t tool_range_open(struct tool_row each) {
    static uint64_t own; /* counts ranges that only the tool records */
    uint64_t id = each.ours;

    if (!id && each.theirs) {
        id = UINT64_C(1) << 63 | __atomic_add_fetch(&own, 1, __ATOMIC_RELAXED);
    }
    return !each.theirs || put_handles(id, each) ? id : each.ours;
}

struct tool_row tool_range_close(uint64_t id) {
    for (int n = 0; n < TABLES && id != FREE && id != BUSY; n++) {
        struct slot *table = __atomic_load_n(&tables[n], __ATOMIC_ACQUIRE);
        for (unsigned i = 0; table && i < PROBES; i++) {
            struct slot *s = slot_at(table, n, id, i);
            if (claim_slot(s, id)) {
                struct tool_row each = s->each;
                __atomic_store_n(&s->id, FREE, __ATOMIC_RELEASE);
                return each;
            }
        }
    }
    return (struct tool_row){.ours = id};
}

/* --- arguments -------------------------------------------------------------------------------- */

size_t tool_data_count(const struct ext_data *data, size_t count) {
    uint64_t dynamic = 0;

    for (size_t i = 0; data && i < count; i++) {
        dynamic |= data[i].schema >> 32;
    }
    return dynamic && count > TOOL_DATA ? 0 : count;
}

const struct ext_data *tool_data(const struct ext_data *data, size_t count, union tool_copy *copy) {
    if (!data || count > TOOL_DATA) {
        return data;
    }
    for (size_t i = 0; i < count; i++) {
        copy->data[i] = data[i];
        copy->data[i].schema = tool_their_id(data[i].schema);
    }
    return copy->data;
}

/* Translates a registered string, and makes a NULL text empty: some tools read it unchecked. */
static void message(int32_t type, nvtxMessageValue_t *message) {
    if (type == NVTX_MESSAGE_TYPE_REGISTERED) {
        message->registered = (nvtxStringHandle_t)tool_theirs(TOOL_STRING, message->registered);
    } else if (type == NVTX_MESSAGE_TYPE_ASCII && !message->ascii) {
        message->ascii = "";
    } else if (type == NVTX_MESSAGE_TYPE_UNICODE && !message->unicode) {
        message->unicode = L"";
    }
}

const nvtxEventAttributes_t *tool_attributes_rare(const nvtxEventAttributes_t *given,
                                                  union tool_copy *copy) {
    nvtxEventAttributes_t *a = &copy->attributes;

    if (!given) {
        return NULL;
    }
    memset(a, 0, sizeof(*a));
    memcpy(a, given, given->size < sizeof(*a) ? given->size : sizeof(*a));
    message(a->messageType, &a->message);
    if ((uint32_t)a->payloadType == PAYLOAD_EXTENDED && a->reserved0 > 0) {
        const struct ext_data *data;
        memcpy(&data, &a->payload, sizeof(data));
        size_t count = tool_data_count(data, (size_t)a->reserved0);
        data = tool_data(data, count, copy);
        memcpy(&a->payload, &data, sizeof(data));
        a->reserved0 = (int32_t)count;
    }
    return a;
}

#define WITH_MESSAGE(what, type)                                                                   \
    const type *tool_##what(const type *a, union tool_copy *copy) {                                \
        if (!a || !ext_size_is_plausible(a->size, sizeof(*a))) {                                   \
            return NULL;                                                                           \
        }                                                                                          \
        copy->what = *a;                                                                           \
        message(a->messageType, &copy->what.message);                                              \
        return &copy->what;                                                                        \
    }
WITH_MESSAGE(resource, nvtxResourceAttributes_t)
WITH_MESSAGE(sync, struct tool_sync)

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

#define ID(id) (id) = tool_their_id(id)

TOOL_STRUCT(schema) {
    uint64_t dynamic = 0;
    size_t count = given && given->fields & EXT_SCHEMA_ENTRIES ? given->entry_count : 0;

    for (size_t i = 0; i < count && given->entries; i++) {
        dynamic |= given->entries[i].type >> 32;
    }
    struct ext_entry *entries = dynamic ? kept(given->entries, count * sizeof(*entries)) : NULL;
    if (!entries) {
        return given;
    }
    for (size_t i = 0; i < count; i++) {
        ID(entries[i].type);
    }
    copy->schema = *given;
    copy->schema.entries = entries;
    return &copy->schema;
}

#define TRANSLATED(what, change)                                                                   \
    TOOL_STRUCT(what) {                                                                            \
        if (!given) {                                                                              \
            return NULL;                                                                           \
        }                                                                                          \
        copy->what = *given;                                                                       \
        change;                                                                                    \
        return &copy->what;                                                                        \
    }
TRANSLATED(scope, ID(copy->scope.parent))
TRANSLATED(counter, (ID(copy->counter.schema), ID(copy->counter.scope)))
TRANSLATED(samples, ID(copy->samples.counter))
