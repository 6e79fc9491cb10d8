/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_SLOT_H
#define NVTXH_IMPL_SLOT_H

/* Registers each call site's message, once in each domain, before the site's first event there. A
 * slot keeps the registered message and the first event of one site in one domain. The first slot
 * of a site in the section nvtxh_sites (core/site.h) is in a table, which is made when the tool is
 * found, or for the first event in the statistics. Other slots come from an arena. Not API. */

#include "../attr.h"
#include "../core/arena.h"
#include "../core/site.h"
#include "domain.h"
#include "event.h"
#include "hooks.h"
#include "nvtx.h"
#include "object.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct nvtxh_i_site_slots {
    struct nvtxh_i_slot *table;   /* a slot for each site in the section, in the same order */
    struct nvtxh_i_arena further; /* the other slots; not malloc: a signal handler may need one */
    uintptr_t to_table;           /* a slot's address minus twice its site's address */
};

NVTXH_I_ASSERT(sizeof(struct nvtxh_i_slot) == 2 * sizeof(struct nvtxh_i_site),
               "see nvtxh_i_table_slot");
NVTXH_I_ASSERT(sizeof(nvtxEventAttributes_t) == sizeof(uint64_t[6]), "see nvtxh_i_slot");
NVTXH_I_ASSERT(offsetof(nvtxEventAttributes_t, payloadType) == sizeof(uint64_t[2]),
               "see nvtxh_i_slot");
NVTXH_I_ASSERT(offsetof(nvtxEventAttributes_t, messageType) == sizeof(uint64_t[4]),
               "see nvtxh_i_slot");

NVTXH_I_C_BEGIN

NVTXH_I_LINKONCE struct nvtxh_i_site_slots nvtxh_i_site_slots NVTXH_I_LINKED("site_slots");

/* The section's beginning and end, which the linker defines. Both NULL: there is no section. */
extern const struct nvtxh_i_site __start_nvtxh_sites[] NVTXH_I_LINKONCE;
extern const struct nvtxh_i_site __stop_nvtxh_sites[] NVTXH_I_LINKONCE;

/* Where a site outside the section keeps the address of its first slot. */
NVTXH_I_INLINE_LOCAL struct nvtxh_i_slot **nvtxh_i_own_slot(const struct nvtxh_i_site *site) {
    return (struct nvtxh_i_slot **)((uintptr_t)site + sizeof(struct nvtxh_i_site));
}

/* The first slot of a site in the section. There must be a table. */
NVTXH_I_INLINE_LOCAL struct nvtxh_i_slot *nvtxh_i_table_slot(const struct nvtxh_i_site *site) {
    return (struct nvtxh_i_slot *)((uintptr_t)site * 2 + nvtxh_i_site_slots.to_table);
}

/* The first of a site's slots. NULL: none yet, or there was no memory for the table. */
NVTXH_I_INLINE_LOCAL struct nvtxh_i_slot *nvtxh_i_slot_of(const struct nvtxh_i_site *site) {
    if (site->flags & NVTXH_I_SITE_OWN) {
        return __atomic_load_n(nvtxh_i_own_slot(site), __ATOMIC_ACQUIRE);
    }
    if (NVTXH_I_UNLIKELY(!nvtxh_i_site_slots.table)) {
        return NULL;
    }
    return nvtxh_i_table_slot(site);
}

NVTXH_I_INLINE_LOCAL uintptr_t nvtxh_i_slot_key(struct nvtxh_domain *domain) {
    return (uintptr_t)domain + 1;
}

/* Is this slot for this domain, and has it been filled? */
NVTXH_I_INLINE_LOCAL bool nvtxh_i_slot_is(const struct nvtxh_i_slot *slot,
                                          struct nvtxh_domain *domain) {
    return slot && __atomic_load_n(&slot->domain, __ATOMIC_ACQUIRE) == nvtxh_i_slot_key(domain);
}

/* Gets the first of a site's slots, for functions that send the cached event. ALONE: the result of
 * nvtxh_i_tool_alone(). False: ALONE is false, or the site has no slot. */
NVTXH_I_INLINE_LOCAL bool nvtxh_i_ready_slot_plain(const struct nvtxh_i_site *site, bool alone,
                                                   const struct nvtxh_i_slot **ret_slot) {
    *ret_slot = NULL;
    if (NVTXH_I_UNLIKELY(!alone)) {
        return false;
    }
    if (site->flags & NVTXH_I_SITE_OWN) {
        *ret_slot = __atomic_load_n(nvtxh_i_own_slot(site), __ATOMIC_ACQUIRE);
        return *ret_slot != NULL;
    }
    *ret_slot = nvtxh_i_table_slot(site);
    return true; /* the pointer is never NULL, so no code tests it */
}

/* Like nvtxh_i_ready_slot_plain(), but also false if the slot is for another domain. A site without
 * attributes, in a file without a domain, needs no such test: it has only NVTX's default domain. */
NVTXH_I_INLINE_LOCAL bool nvtxh_i_ready_slot(const struct nvtxh_i_site *site,
                                             struct nvtxh_domain *domain, bool alone,
                                             const struct nvtxh_i_slot **ret_slot) {
    return nvtxh_i_ready_slot_plain(site, alone, ret_slot) &&
           __builtin_expect(__atomic_load_n(&(*ret_slot)->domain, __ATOMIC_ACQUIRE) ==
                                nvtxh_i_slot_key(domain),
                            1);
}

/* The cached event of a slot. */
NVTXH_I_INLINE_LOCAL const nvtxEventAttributes_t *nvtxh_i_event_of(
    const struct nvtxh_i_slot *slot) {
    return (const nvtxEventAttributes_t *)(&slot->event[0]);
}

/* Under the lock: registers a site's message in a domain, and fills the slot. */
NVTXH_I_COLD void nvtxh_i_fill_slot(const struct nvtxh_i_site *site, struct nvtxh_i_slot *slot,
                                    struct nvtxh_domain *domain) {
    nvtxDomainHandle_t handle = nvtxh_i_handle(domain); /* events need the domain's handle */
    nvtxStringHandle_t string = NULL;
    nvtxDomainRegisterStringA_impl_fntype intern = NVTXH_I_TOOL_FUNCTION(nvtxDomainRegisterStringA);
    nvtxEventAttributes_t event;

    if (site->message && !(site->kind & NVTXH_I_KIND_FORMAT) && intern) {
        string = intern(handle, site->message);
    }
    nvtxh_i_event_fill(
        &event, 0, site->flags & NVTXH_I_SITE_AUTO_COLOR ? nvtxh_i_auto_color(site->message) : 0,
        nvtxh_i_no_payload());
    if (string) {
        event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
        event.message.registered = string;
    } else {
        nvtxh_i_event_text(&event, site->message);
    }
    memcpy(slot->event, &event, sizeof(event));
    slot->category = NVTXH_I_NO_EVENT;
    __atomic_store_n(&slot->domain, nvtxh_i_slot_key(domain), __ATOMIC_RELEASE);
}

/* Under the lock: gives a site one more slot, for DOMAIN. NULL on failure. */
NVTXH_I_COLD struct nvtxh_i_slot *nvtxh_i_add_slot(const struct nvtxh_i_site *site,
                                                   struct nvtxh_domain *domain) {
    struct nvtxh_i_slot *first = nvtxh_i_slot_of(site), *slot;

    if (!first && !(site->flags & NVTXH_I_SITE_OWN)) {
        return NULL;
    }
    slot =
        (struct nvtxh_i_slot *)nvtxh_i_arena_alloc(&nvtxh_i_site_slots.further, sizeof(*slot), 16);
    if (!slot) {
        return NULL;
    }
    nvtxh_i_fill_slot(site, slot, domain);
    slot->more = first ? first->more : NULL;
    __atomic_store_n(first ? &first->more : nvtxh_i_own_slot(site), slot, __ATOMIC_RELEASE);
    return slot;
}

/* The slow path of nvtxh_i_registered: for a site's first event, and for further domains. */
NVTXH_I_COLD struct nvtxh_i_slot *nvtxh_i_register(const struct nvtxh_i_site *site,
                                                   struct nvtxh_domain *domain) {
    uintptr_t key = nvtxh_i_slot_key(domain);
    struct nvtxh_i_slot *slot;
    int cancel = 0, saved_errno;
    bool locked;

    for (slot = nvtxh_i_slot_of(site); slot;
         slot = __atomic_load_n(&slot->more, __ATOMIC_ACQUIRE)) {
        if (__atomic_load_n(&slot->domain, __ATOMIC_ACQUIRE) == key) {
            return slot;
        }
    }
    saved_errno = errno;
    locked = nvtxh_i_lock(&cancel);
    for (slot = nvtxh_i_slot_of(site); slot && slot->domain && slot->domain != key;
         slot = slot->more) {
    }
    if (!slot) {
        slot = nvtxh_i_add_slot(site, domain);
    } else if (!slot->domain) {
        nvtxh_i_fill_slot(site, slot, domain);
    }
    if (locked) {
        nvtxh_i_unlock(cancel);
    }
    errno = saved_errno;
    return slot;
}

/* The slot of this site for this domain. When this function returns, the message is registered.
 * NULL: there is no memory for a slot; the message then goes to the tool as plain text. */
NVTXH_I_INLINE_LOCAL struct nvtxh_i_slot *nvtxh_i_registered(const struct nvtxh_i_site *site,
                                                             struct nvtxh_domain *domain) {
    struct nvtxh_i_slot *slot = nvtxh_i_slot_of(site);

    return nvtxh_i_slot_is(slot, domain) ? slot : nvtxh_i_register(site, domain);
}

/* Stores the category and the colour of a slot's first event. If the event has neither, the cached
 * event needs no change, and must not be written, because other threads may be sending it. */
NVTXH_I_COLD void nvtxh_i_remember(struct nvtxh_i_slot *slot, const struct nvtxh_attr *a,
                                   const nvtxEventAttributes_t *event) {
    int cancel = 0;

    if (!nvtxh_i_lock(&cancel)) {
        return;
    }
    if (slot->category == NVTXH_I_NO_EVENT) {
        slot->color = a->color;
        if (a->category || a->color) {
            memcpy(slot->event, event, sizeof(uint64_t[2])); /* the fields up to the colour */
        }
        __atomic_store_n(&slot->category, (uintptr_t)a->category, __ATOMIC_RELEASE);
    }
    nvtxh_i_unlock(cancel);
}

/* Registers every literal message of annotations without .domain. (The domain of an annotation with
 * .domain is known only at its first event.) Called under the lock, when a tool has been found or
 * the statistics count their first event. False: no memory. */
NVTXH_I_COLD bool nvtxh_i_register_all(void) {
    size_t i, n = (size_t)(__stop_nvtxh_sites - __start_nvtxh_sites);

    if (!n) {
        return true;
    }
    nvtxh_i_site_slots.table = (struct nvtxh_i_slot *)calloc(n, sizeof(struct nvtxh_i_slot));
    if (!nvtxh_i_site_slots.table) {
        return false;
    }
    nvtxh_i_site_slots.to_table =
        (uintptr_t)nvtxh_i_site_slots.table - (uintptr_t)__start_nvtxh_sites * 2;
    for (i = 0; i < n; i++) {
        const struct nvtxh_i_site *site = &__start_nvtxh_sites[i];

        if ((site->flags & NVTXH_I_SITE_HOME) && !(site->kind & NVTXH_I_KIND_FORMAT)) {
            nvtxh_i_fill_slot(site, &nvtxh_i_site_slots.table[i], site->domain);
        }
    }
    return true;
}

/* Called when the linked object is unloaded: frees all slots. */
NVTXH_I_COLD void nvtxh_i_free_slots(void) {
    nvtxh_i_arena_free(&nvtxh_i_site_slots.further);
    free(nvtxh_i_site_slots.table);
    nvtxh_i_site_slots.table = NULL;
}

NVTXH_I_C_END

#endif
