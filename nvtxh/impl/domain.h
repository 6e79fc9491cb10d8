/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_DOMAIN_H
#define NVTXH_IMPL_DOMAIN_H

/* Makes domains and categories known to the tool: each once, before its first event. Not API. */

#include "../category.h"
#include "../domain.h"
#include "nvtx.h"
#include "object.h"
#include "say.h"

#include <stdio.h>
#include <string.h>

NVTXH_I_C_BEGIN

/* The tool's handle of a domain, if nvtxh_i_handle() has been called for the domain before. */
NVTXH_I_INLINE_LOCAL nvtxDomainHandle_t nvtxh_i_handle_of(const struct nvtxh_domain *domain) {
    return (nvtxDomainHandle_t)domain->nvtxh_i_handle;
}

/* The name that the tool gets. Nsight Systems 2022.4 loses its report to an empty one. */
NVTXH_I_INLINE_LOCAL const char *nvtxh_i_tool_name(const char *name) {
    return name && !*name ? "(empty)" : name;
}

/* --- domains that are off --- */

/* Low bits of `nvtxh_i_wanted`, which says whether a domain is on; 0: not known yet. The other bits
 * are those of nvtxh_i_object.switched for which this is so. */
enum { NVTXH_I_WANTED = 1, NVTXH_I_UNWANTED = 2, NVTXH_I_SWITCHED = 4 };

/* What nvtxh_domain_enable() has received for a name. It overrides the environment. */
struct nvtxh_i_switch {
    struct nvtxh_i_switch *next;
    bool on;
    char name[1];
};

NVTXH_I_INLINE_LOCAL uint32_t *nvtxh_i_wanted_of(struct nvtxh_domain *domain) {
    return domain ? &domain->nvtxh_i_wanted : &nvtxh_i_object.default_wanted;
}

/* Is NAME one of LIST, whose items are separated by commas, and blanks after them? */
NVTXH_I_COLD bool nvtxh_i_is_listed(const char *list, const char *name) {
    size_t size = strlen(name), item;

    for (; list; list = list[item] ? list + item + 1 : NULL) {
        list += strspn(list, " \t");
        item = strcspn(list, ",");
        if (item == size && !memcmp(list, name, size)) {
            return true;
        }
    }
    return false;
}

NVTXH_I_INLINE_LOCAL const char *nvtxh_i_domain_name(const struct nvtxh_domain *domain) {
    const char *name = domain ? nvtxh_i_tool_name(domain->nvtxh_i_name) : "default";

    return name ? name : "";
}

NVTXH_I_COLD struct nvtxh_i_switch *nvtxh_i_switch_of(const char *name) {
    struct nvtxh_i_switch *s = __atomic_load_n(&nvtxh_i_object.switches, __ATOMIC_ACQUIRE);

    while (s && strcmp(s->name, name)) {
        s = s->next;
    }
    return s;
}

/* Is this domain on? Called while NVTXH_I_FILTER is set. */
NVTXH_I_EVENT bool nvtxh_i_domain_wanted(struct nvtxh_domain *domain) {
    const struct nvtxh_i_object *object = &nvtxh_i_object;
    uint32_t *known = nvtxh_i_wanted_of(domain), wanted = __atomic_load_n(known, __ATOMIC_RELAXED),
             switched = __atomic_load_n(&object->switched, __ATOMIC_ACQUIRE);

    if (NVTXH_I_UNLIKELY(!wanted || (wanted ^ switched) >= NVTXH_I_SWITCHED)) {
        const char *name = nvtxh_i_domain_name(domain);
        const struct nvtxh_i_switch *s = nvtxh_i_switch_of(name);
        bool on;

        if (s) {
            on = __atomic_load_n(&s->on, __ATOMIC_RELAXED);
        } else {
            on = nvtxh_i_is_listed(object->include ? object->include : object->exclude, name) ==
                 (object->include != NULL);
        }
        wanted = switched | (on ? NVTXH_I_WANTED : NVTXH_I_UNWANTED);
        __atomic_store_n(known, wanted, __ATOMIC_RELAXED);
    }
    return wanted & NVTXH_I_WANTED;
}

NVTXH_I_INLINE_LOCAL bool nvtxh_i_domain_off(struct nvtxh_domain *domain) {
    return NVTXH_I_UNLIKELY(nvtxh_i_listeners(attached) & NVTXH_I_FILTER) &&
           !nvtxh_i_domain_wanted(domain);
}

/* Under the lock: the switch of a name, made if necessary. NULL: no memory. */
NVTXH_I_COLD struct nvtxh_i_switch *nvtxh_i_switch_get(const char *name) {
    struct nvtxh_i_switch *s = nvtxh_i_switch_of(name);
    size_t size = strlen(name);

    if (s) {
        return s;
    }
    s = (struct nvtxh_i_switch *)nvtxh_i_arena_alloc(&nvtxh_i_object.arena, sizeof(*s) + size, 8);
    if (s) {
        memcpy(s->name, name, size);
        s->on = true;
        s->next = nvtxh_i_object.switches;
        __atomic_store_n(&nvtxh_i_object.switches, s, __ATOMIC_RELEASE);
    }
    return s;
}

NVTXH_I_ENTRY_DEF void nvtxh_i_domain_enable(struct nvtxh_domain *domain, bool on) {
    int cancel = 0;
    bool locked = nvtxh_i_lock(&cancel);
    struct nvtxh_i_switch *s =
        nvtxh_i_switch_get(nvtxh_i_domain_name(nvtxh_i_domain_of(domain, NULL)));

    if (s) {
        nvtxh_i_object.off += (on ? 0u : 1u) - (s->on ? 0u : 1u);
        __atomic_store_n(&s->on, on, __ATOMIC_RELAXED);
        __atomic_fetch_add(&nvtxh_i_object.switched, (uint32_t)NVTXH_I_SWITCHED, __ATOMIC_RELEASE);
    }
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

/* --- domains of headers --- */

/* The section's beginning and end, which the linker defines. Both NULL: there is no section. */
extern const struct nvtxh_i_domain_said __start_nvtxh_domains[] NVTXH_I_LINKONCE;
extern const struct nvtxh_i_domain_said __stop_nvtxh_domains[] NVTXH_I_LINKONCE;

/* Reports identifiers that stand for different domains in different files: the linker has kept one
 * domain object for them. */
NVTXH_I_COLD void nvtxh_i_check_domains(void) {
    const struct nvtxh_i_domain_said *said = __start_nvtxh_domains;
    char text[512];

    for (; said != __stop_nvtxh_domains; said++) {
        if (strcmp(said->name, said->domain->nvtxh_i_name)) {
            snprintf(text, sizeof(text),
                     "nvtxh: %.120s: domain \"%.80s\" is \"%.80s\" here, because %.120s uses the "
                     "same identifier\n",
                     said->file, said->name, said->domain->nvtxh_i_name,
                     said->domain->nvtxh_i_file);
            nvtxh_i_say(text, 0);
        }
    }
}

/* --- domains and categories in the tool --- */

NVTXH_I_COLD void nvtxh_i_make_domain(struct nvtxh_domain *domain) {
    int cancel = 0;
    bool locked = nvtxh_i_lock(&cancel);

    if (!domain->nvtxh_i_made) {
        nvtxDomainCreateA_impl_fntype create = NVTXH_I_TOOL_FUNCTION(nvtxDomainCreateA);

        if (create) {
            domain->nvtxh_i_handle = create(nvtxh_i_tool_name(domain->nvtxh_i_name));
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
    const char *called = nvtxh_i_tool_name(category->nvtxh_i_name), *c = called;
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
            name_in(handle, id, called);
        } else if (!domain && name) {
            name(id, called);
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
