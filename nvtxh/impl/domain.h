/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_DOMAIN_H
#define NVTXH_IMPL_DOMAIN_H

/* Makes domains and categories known to the tool: each once, before its first event. Not API. */

#include "../category.h"
#include "../domain.h"
#include "nvtx.h"
#include "object.h"

#include <string.h>

NVTXH_I_C_BEGIN

/* The tool's handle of a domain, if nvtxh_i_handle() has been called for the domain before. */
NVTXH_I_INLINE_LOCAL nvtxDomainHandle_t nvtxh_i_handle_of(const struct nvtxh_domain *domain) {
    return (nvtxDomainHandle_t)domain->nvtxh_i_handle;
}

/* --- domains that are off --- */

/* Values of `nvtxh_i_wanted`, which says whether a domain is on; 0: not known yet.
 * nvtxh_domain_enable() overrides the environment. */
enum {
    NVTXH_I_WANTED = 1,
    NVTXH_I_UNWANTED = 2,     /* off by the environment */
    NVTXH_I_SWITCHED_OFF = 3, /* off by nvtxh_domain_enable */
};

NVTXH_I_INLINE_LOCAL uint32_t *nvtxh_i_wanted_of(struct nvtxh_domain *domain) {
    return domain ? &domain->nvtxh_i_wanted : &nvtxh_i_object.default_wanted;
}

/* Is NAME one of LIST, whose items are separated by commas? */
NVTXH_I_COLD bool nvtxh_i_is_listed(const char *list, const char *name) {
    size_t size = strlen(name), item;

    for (; list; list = list[item] ? list + item + 1 : NULL) {
        item = strcspn(list, ",");
        if (item == size && !memcmp(list, name, size)) {
            return true;
        }
    }
    return false;
}

/* Is this domain on? Called while NVTXH_I_FILTER is set. */
NVTXH_I_EVENT bool nvtxh_i_domain_wanted(struct nvtxh_domain *domain) {
    uint32_t *known = nvtxh_i_wanted_of(domain), wanted = __atomic_load_n(known, __ATOMIC_RELAXED);
    const struct nvtxh_i_object *object = &nvtxh_i_object;
    const char *name = domain ? domain->nvtxh_i_name : "default";

    if (NVTXH_I_UNLIKELY(!wanted)) {
        bool listed = nvtxh_i_is_listed(object->include ? object->include : object->exclude,
                                        name ? name : "");
        uint32_t found = listed == (object->include != NULL) ? NVTXH_I_WANTED : NVTXH_I_UNWANTED;

        if (__atomic_compare_exchange_n(known, &wanted, found, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
            wanted = found;
        }
    }
    return wanted == NVTXH_I_WANTED;
}

NVTXH_I_INLINE_LOCAL bool nvtxh_i_domain_off(struct nvtxh_domain *domain) {
    return NVTXH_I_UNLIKELY(nvtxh_i_listeners(attached) & NVTXH_I_FILTER) &&
           !nvtxh_i_domain_wanted(domain);
}

NVTXH_I_ENTRY_DEF void nvtxh_i_domain_enable(struct nvtxh_domain *domain, bool on) {
    uint32_t *wanted = nvtxh_i_wanted_of(nvtxh_i_domain_of(domain, NULL)), before;
    int cancel = 0;
    bool locked = nvtxh_i_lock(&cancel);

    before =
        __atomic_exchange_n(wanted, on ? NVTXH_I_WANTED : NVTXH_I_SWITCHED_OFF, __ATOMIC_RELAXED);
    nvtxh_i_object.off += (on ? 0u : 1u) - (before == NVTXH_I_SWITCHED_OFF ? 1u : 0u);
    if (nvtxh_i_object.off) {
        nvtxh_i_update_found(NVTXH_I_FILTERED, 0);
    } else if (!nvtxh_i_object.include && !nvtxh_i_object.exclude) {
        nvtxh_i_update_found(0, NVTXH_I_FILTERED);
    }
    nvtxh_i_set_state(&nvtxh_i_state, 0, 0);
    if (locked) {
        nvtxh_i_unlock(cancel);
    }
}

/* --- domains and categories in the tool --- */

NVTXH_I_COLD void nvtxh_i_make_domain(struct nvtxh_domain *domain) {
    int cancel = 0;
    bool locked = nvtxh_i_lock(&cancel);

    if (!domain->nvtxh_i_made) {
        nvtxDomainCreateA_impl_fntype create = NVTXH_I_TOOL_FUNCTION(nvtxDomainCreateA);

        if (create) {
            domain->nvtxh_i_handle = create(domain->nvtxh_i_name);
        }
        __atomic_store_n(&domain->nvtxh_i_made, 1u, __ATOMIC_RELEASE);
    }
    if (locked) {
        nvtxh_i_unlock(cancel);
    }
}

/* The tool's handle of a domain. Creates the domain if necessary. NULL: NVTX's default domain. */
NVTXH_I_INLINE_LOCAL nvtxDomainHandle_t nvtxh_i_handle(struct nvtxh_domain *domain) {
    if (!domain) {
        return NULL;
    }
    if (NVTXH_I_UNLIKELY(!__atomic_load_n(&domain->nvtxh_i_made, __ATOMIC_ACQUIRE))) {
        nvtxh_i_make_domain(domain);
    }
    return nvtxh_i_handle_of(domain);
}

NVTXH_I_COLD void nvtxh_i_name_category(struct nvtxh_category *category) {
    struct nvtxh_domain *domain = nvtxh_i_domain_of(category->nvtxh_i_domain, NULL);
    const char *c = category->nvtxh_i_name;
    uint32_t id = 2166136261u; /* FNV-1a */
    int cancel = 0;
    bool locked;

    for (; c && *c; c++) {
        id = (id ^ (unsigned char)(*c)) * 16777619u;
    }
    id = (id & 0x3fffffffu) | 0x40000000u;
    locked = nvtxh_i_lock(&cancel);
    if (!category->nvtxh_i_id) {
        nvtxDomainHandle_t handle = nvtxh_i_handle(domain);
        nvtxDomainNameCategoryA_impl_fntype name_in =
            NVTXH_I_TOOL_FUNCTION(nvtxDomainNameCategoryA);
        nvtxNameCategoryA_impl_fntype name = NVTXH_I_TOOL_FUNCTION(nvtxNameCategoryA);

        if (domain && name_in) {
            name_in(handle, id, category->nvtxh_i_name);
        } else if (!domain && name) {
            name(id, category->nvtxh_i_name);
        }
        __atomic_store_n(&category->nvtxh_i_id, id, __ATOMIC_RELEASE);
    }
    if (locked) {
        nvtxh_i_unlock(cancel);
    }
}

/* The number of a category. The tool has the category's name when this function returns. */
NVTXH_I_INLINE_LOCAL uint32_t nvtxh_i_category_id(struct nvtxh_category *category) {
    uintptr_t bits = (uintptr_t)category;
    uint32_t id;

    if (!category) {
        return 0;
    }
    if (bits & 1) {
        return (uint32_t)(bits >> 1);
    }
    id = __atomic_load_n(&category->nvtxh_i_id, __ATOMIC_ACQUIRE);
    if (NVTXH_I_UNLIKELY(!id)) {
        nvtxh_i_name_category(category);
        id = __atomic_load_n(&category->nvtxh_i_id, __ATOMIC_ACQUIRE);
    }
    return id;
}

NVTXH_I_C_END

#endif
