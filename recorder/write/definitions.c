/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "definitions.h"
#include "arena.h"

#include <stdbool.h>
#include <string.h>

/* Memory has classes of sizes: up to SMALL bytes the multiples of STEP, above that the powers of two. */
enum { SLOTS_FIRST = 512, SMALL = 1024, STEP = 16, CLASSES = SMALL / STEP + 24 };

/* The number of slots is a power of two. At least one slot is empty. */
static struct table {
    size_t slots;
    size_t used; /* including forgotten definitions */
    struct slot {
        struct definition *d; /* stored last */
        uint32_t hash;
    } slot[];
} * table;

static struct definition gone; /* marks the slot of a forgotten definition */

/* Memory of forgotten definitions, by the class of its size. */
static union spare {
    union spare *next;
    struct definition d;
} * spare[CLASSES];

/* --- memory ----------------------------------------------------------------------------------- */

static size_t class_of(size_t *size)
{
    size_t class = SMALL / STEP, room = SMALL;

    if (*size <= SMALL) {
        class = (*size + STEP - 1) / STEP - 1;
        *size = (class + 1) * STEP;
        return class;
    }
    for (; room < *size; room *= 2) {
        class ++;
    }
    *size = room;
    return class;
}

static struct definition *take(size_t size)
{
    size_t class = class_of(&size);
    union spare *s = spare[class];

    if (s) {
        __atomic_store_n(&spare[class], s->next, __ATOMIC_RELEASE);
        return &s->d;
    }
    return arena_new(size);
}

static void give_back(struct definition *d)
{
    size_t size = sizeof(*d) + d->size;
    size_t class = class_of(&size);
    union spare *s = (union spare *)d;

    s->next = spare[class];
    __atomic_store_n(&spare[class], s, __ATOMIC_RELEASE);
}

/* --- the table -------------------------------------------------------------------------------- */

static size_t bytes_of(size_t slots)
{
    return sizeof(struct table) + slots * sizeof(struct slot);
}

static void put(struct table *t, uint32_t hash, struct definition *d)
{
    size_t i = hash & (t->slots - 1);

    while (t->slot[i].d && t->slot[i].d != &gone) {
        i = (i + 1) & (t->slots - 1);
    }
    t->used += !t->slot[i].d;
    t->slot[i].hash = hash;
    __atomic_store_n(&t->slot[i].d, d, __ATOMIC_RELEASE);
}

static size_t count(void)
{
    size_t n = 0, cursor = 0;

    while (definitions_each(&cursor)) {
        n++;
    }
    return n;
}

/* Makes room for one more definition. A table that is 3/4 full is replaced by one that is at most half full. */
static bool grow(void)
{
    struct table *old = table;
    size_t slots = SLOTS_FIRST;

    if (old && old->used < old->slots / 4 * 3) {
        return true;
    }
    for (size_t n = count(); slots < 2 * n; slots *= 2) {
    }
    struct table *fresh = scratch_new(bytes_of(slots));
    if (!fresh) {
        return old && old->used < old->slots - 1;
    }
    fresh->slots = slots;
    for (size_t i = 0; old && i < old->slots; i++) {
        if (old->slot[i].d && old->slot[i].d != &gone) {
            put(fresh, old->slot[i].hash, old->slot[i].d);
        }
    }
    __atomic_store_n(&table, fresh, __ATOMIC_RELEASE);
    if (old) {
        scratch_drop(old, bytes_of(old->slots));
    }
    return true;
}

struct definition **definitions_next(uint32_t hash, size_t *cursor)
{
    struct table *t = table;

    while (t) {
        struct slot *slot = &t->slot[(hash + (*cursor)++) & (t->slots - 1)];
        if (!slot->d) {
            break;
        }
        if (slot->hash == hash && slot->d != &gone) {
            return &slot->d;
        }
    }
    return NULL;
}

const struct definition *definitions_each(size_t *cursor)
{
    while (table && *cursor < table->slots) {
        const struct definition *d = table->slot[(*cursor)++].d;
        if (d && d != &gone) {
            return d;
        }
    }
    return NULL;
}

/* --- registered strings by their number --------------------------------------------------------- */

enum { PAGE = 1 << 12, PAGES = 1 << 16 };

static const struct definition **pages[PAGES];

const struct definition *definitions_string(uint32_t id)
{
    const struct definition **page = id / PAGE < PAGES ? pages[id / PAGE] : NULL;

    return page ? page[id % PAGE] : NULL;
}

static void keep_string(const struct definition *d)
{
    const struct definition ***page = &pages[d->id / PAGE % PAGES];

    if (!*page) {
        __atomic_store_n(page, arena_new(PAGE * sizeof(**page)), __ATOMIC_RELEASE);
    }
    if (*page && d->id / PAGE < PAGES) {
        (*page)[d->id % PAGE] = d;
    }
}

/* ------------------------------------------------------------------------------------------------ */

struct definition *definitions_add(uint32_t hash, enum rec_kind kind, uint32_t domain, uint32_t id,
                                   const void *body, size_t size)
{
    struct definition *d = grow() ? take(sizeof(*d) + size) : NULL;

    if (!d) {
        return NULL;
    }
    *d = (struct definition){kind, domain, id, (uint32_t)size};
    if (size) {
        memcpy(d->body, body, size);
    }
    put(table, hash, d);
    if (kind == REC_REGISTERED) {
        keep_string(d);
    }
    return d;
}

void definitions_drop(struct definition **place)
{
    struct definition *d = *place;

    __atomic_store_n(place, &gone, __ATOMIC_RELEASE);
    give_back(d);
}
