/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_DOMAIN_H
#define NVTXH_IMPL_DOMAIN_H

/* Domains and categories, each given to the tool once, before its first event. Not API. */

#include "../category.h"
#include "../domain.h"
#include "nvtx.h"
#include "object.h"

#if NVTXH_I_IMPL

NVTXH_I_C_BEGIN

/* The tool's handle of a domain that has a handle already. */
NVTXH_I_INLINE nvtxDomainHandle_t nvtxh_i_handle_of(const struct nvtxh_domain *domain)
{
    return NVTXH_I_CAST(nvtxDomainHandle_t, domain->nvtxh_i_handle);
}

NVTXH_I_FN_COLD(void nvtxh_i_make_domain(struct nvtxh_domain *domain))
{
    int cancel = 0;
    bool locked = nvtxh_i_lock(&cancel);

    if (!domain->nvtxh_i_made) {
        nvtxDomainCreateA_impl_fntype create = NVTXH_I_TAKEN(nvtxDomainCreateA);

        if (create)
            domain->nvtxh_i_handle = create(domain->nvtxh_i_name);
        __atomic_store_n(&domain->nvtxh_i_made, 1u, __ATOMIC_RELEASE);
    }
    if (locked)
        nvtxh_i_unlock(cancel);
}

/* The tool's handle of a domain. Makes the domain if necessary. NULL is NVTX's default domain. */
NVTXH_I_INLINE nvtxDomainHandle_t nvtxh_i_handle(struct nvtxh_domain *domain)
{
    if (!domain)
        return NVTXH_I_NULL;
    if (NVTXH_I_UNLIKELY(!__atomic_load_n(&domain->nvtxh_i_made, __ATOMIC_ACQUIRE)))
        nvtxh_i_make_domain(domain);
    return nvtxh_i_handle_of(domain);
}

NVTXH_I_FN_COLD(void nvtxh_i_name_category(struct nvtxh_category *category))
{
    struct nvtxh_domain *domain = nvtxh_i_domain_of(category->nvtxh_i_domain, NVTXH_I_NULL);
    const char *c = category->nvtxh_i_name;
    uint32_t id = 2166136261u; /* FNV-1a */
    int cancel = 0;
    bool locked;

    for (; c && *c; c++)
        id = (id ^ NVTXH_I_CAST(unsigned char, *c)) * 16777619u;
    id = (id & 0x3fffffffu) | 0x40000000u;
    locked = nvtxh_i_lock(&cancel);
    if (!category->nvtxh_i_id) {
        nvtxDomainHandle_t handle = nvtxh_i_handle(domain);
        nvtxDomainNameCategoryA_impl_fntype name_in = NVTXH_I_TAKEN(nvtxDomainNameCategoryA);
        nvtxNameCategoryA_impl_fntype name = NVTXH_I_TAKEN(nvtxNameCategoryA);

        if (domain && name_in)
            name_in(handle, id, category->nvtxh_i_name);
        else if (!domain && name)
            name(id, category->nvtxh_i_name);
        __atomic_store_n(&category->nvtxh_i_id, id, __ATOMIC_RELEASE);
    }
    if (locked)
        nvtxh_i_unlock(cancel);
}

/* The number of a category. The tool knows its name when this returns. */
NVTXH_I_INLINE uint32_t nvtxh_i_category_id(struct nvtxh_category *category)
{
    uintptr_t bits = NVTXH_I_BITS(uintptr_t, category);
    uint32_t id;

    if (!category)
        return 0;
    if (bits & 1)
        return NVTXH_I_CAST(uint32_t, bits >> 1);
    id = __atomic_load_n(&category->nvtxh_i_id, __ATOMIC_ACQUIRE);
    if (NVTXH_I_UNLIKELY(!id)) {
        nvtxh_i_name_category(category);
        id = __atomic_load_n(&category->nvtxh_i_id, __ATOMIC_ACQUIRE);
    }
    return id;
}

NVTXH_I_C_END

#endif
#endif
