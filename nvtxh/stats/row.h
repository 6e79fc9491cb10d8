/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATS_ROW_H
#define NVTXH_STATS_ROW_H

/* The rows of the table (a row: a place in the source and a domain), and how a call site finds its
 * row. Texts are copied, because a row stays when the linked object that contains the site is
 * unloaded. Not API. */

#include "../impl/attach.h"
#include "../impl/domain.h"
#include "../impl/slot.h"
#include "registry.h"

#include <stdlib.h>
#include <string.h>

NVTXH_I_C_BEGIN

static inline bool nvtxh_i_stats_same(const char *a, const char *b) {
    return a == b || (a && b && !strcmp(a, b));
}

/* Copies a text. Returns LAST instead if it is the same text. LAST is from the previous row, which
 * usually has the same file and function. */
static inline const char *nvtxh_i_stats_copy(struct nvtxh_i_stats_registry *registry,
                                             const char *text, const char *last) {
    size_t size = text ? strlen(text) + 1 : 0;
    char *copy;

    if (!text || nvtxh_i_stats_same(text, last)) {
        return text ? last : NULL;
    }
    copy = NVTXH_I_STATS_ALLOC(char, &registry->arena, size);
    return copy ? (char *)memcpy(copy, text, size) : NULL;
}

/* Under the registry's lock: finds or makes a site's row. Returns the row's number; 0: failure. An
 * annotation in a header that several files or objects include has one row. */
static inline uint32_t nvtxh_i_stats_row_of(struct nvtxh_i_stats_registry *registry,
                                            const struct nvtxh_i_site *site,
                                            struct nvtxh_domain *domain) {
    const char *name = domain ? nvtxh_i_tool_name(domain->nvtxh_i_name) : NULL, *c;
    struct nvtxh_i_stats_row *row, **hashed, *last;
    uint32_t hash = site->line * 2654435761u + site->kind;

    for (c = site->message; c && *c; c++) {
        hash = (hash ^ (unsigned char)(*c)) * 16777619u;
    }
    hashed = &registry->by_hash[(hash ^ hash >> 16) % NVTXH_I_STATS_HASHES];
    for (row = *hashed; row; row = row->same_hash) {
        if (row->line == site->line && row->kind == site->kind &&
            nvtxh_i_stats_same(row->message, site->message) &&
            nvtxh_i_stats_same(row->domain, name) && nvtxh_i_stats_same(row->file, site->file) &&
            nvtxh_i_stats_same(row->function, site->function)) {
            return row->number;
        }
    }
    row = NVTXH_I_STATS_ALLOC(struct nvtxh_i_stats_row, &registry->arena, sizeof(*row));
    if (!row) {
        return 0;
    }
    last = registry->rows;
    row->message = nvtxh_i_stats_copy(registry, site->message, NULL);
    row->domain = nvtxh_i_stats_copy(registry, name, last ? last->domain : NULL);
    row->file = nvtxh_i_stats_copy(registry, site->file, last ? last->file : NULL);
    row->function = nvtxh_i_stats_copy(registry, site->function, last ? last->function : NULL);
    row->line = site->line;
    row->kind = site->kind;
    row->number = ++registry->n_rows;
    row->same_hash = *hashed;
    row->next = registry->rows;
    *hashed = row;
    __atomic_store_n(&registry->rows, row, __ATOMIC_RELEASE);
    return row->number;
}

/* Makes the slots of all sites (impl/slot.h). Registers nvtxh_i_on_exit(), so that
 * nvtxh_i_on_unload() does not free the slots at exit. */
static inline void nvtxh_i_stats_make_slots(void) {
    int cancel = 0;

    if (!nvtxh_i_lock(&cancel)) {
        return;
    }
    if (!nvtxh_i_site_slots.table) {
        nvtxh_i_register_all();
    }
    nvtxh_i_know_exit();
    nvtxh_i_unlock(cancel);
}

/* The row number of a site in a domain; 0: no memory. */
NVTXH_I_COLD uint32_t nvtxh_i_stats_number(const struct nvtxh_i_site *site,
                                           struct nvtxh_domain *domain) {
    struct nvtxh_i_stats_registry *registry = nvtxh_i_stats_shared();
    struct nvtxh_i_slot *slot = nvtxh_i_registered(site, domain);
    uint32_t number = slot ? __atomic_load_n(&slot->row, __ATOMIC_RELAXED) : 0;
    uint64_t blocked;

    if (!slot || number) {
        return number;
    }
    nvtxh_i_spin_lock(&registry->lock, &blocked);
    number = nvtxh_i_stats_row_of(registry, site, domain);
    nvtxh_i_spin_unlock(&registry->lock, &blocked);
    __atomic_store_n(&slot->row, number, __ATOMIC_RELAXED);
    return number;
}

NVTXH_I_C_END

#endif
