/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_HOOKS_H
#define NVTXH_IMPL_HOOKS_H

/*
 * What statistics, captures and structured payloads do at events and at the end of the object. They
 * are as much code as all else together, so they are only there if some file of the linked object
 * includes stats.h, capture.h or payload.h; these functions are NULL if none does, and then
 * NVTXH_I_STATS is never set. Not API.
 */

#include "../attr.h"
#include "../core/site.h"
#include "../state.h"
#include "nvtx.h"

#if NVTXH_I_IMPL

struct nvtxh_i_range_slot;

NVTXH_I_C_BEGIN

/* Where statistics alone listen. */
NVTXH_I_LINKONCE uintptr_t nvtxh_i_stats_enter(const struct nvtxh_i_site *site,
                                               struct nvtxh_domain *domain);
NVTXH_I_LINKONCE uintptr_t nvtxh_i_stats_enter_plain(const struct nvtxh_i_site *site);
/* Where the tool has been told as well: OPEN is what the scope's guard would be without statistics. */
NVTXH_I_LINKONCE uintptr_t nvtxh_i_stats_begin(const struct nvtxh_i_site *site,
                                               struct nvtxh_domain *domain, uintptr_t open);
NVTXH_I_LINKONCE void nvtxh_i_stats_leave(uintptr_t guard);
/* The depth, which they do not count. */
NVTXH_I_LINKONCE int nvtxh_i_stats_push(const struct nvtxh_i_site *site,
                                        struct nvtxh_domain *domain);
NVTXH_I_LINKONCE int nvtxh_i_stats_pop(struct nvtxh_domain *domain);
NVTXH_I_LINKONCE void nvtxh_i_stats_mark(const struct nvtxh_i_site *site,
                                         struct nvtxh_domain *domain);
NVTXH_I_LINKONCE void nvtxh_i_stats_range_begin(struct nvtxh_i_range_slot *range,
                                                const struct nvtxh_i_site *site);
NVTXH_I_LINKONCE void nvtxh_i_stats_range_end(const struct nvtxh_i_range_slot *range);
/* When the object looks for who listens: NVTXH_I_STATS or 0. */
NVTXH_I_LINKONCE unsigned nvtxh_i_stats_listens(void);
/* When the object is unloaded, or the process exits. */
NVTXH_I_LINKONCE void nvtxh_i_stats_unload(void);
NVTXH_I_LINKONCE void nvtxh_i_free_captures(void);
/* A payload at the end of a range, or of a push if that is NULL. True if it has told the end. */
NVTXH_I_LINKONCE bool nvtxh_i_payload_close(struct nvtxh_domain *domain, const nvtxRangeId_t *range,
                                            struct nvtxh_payload_value payload, int *ret_depth);

/*
 * Is there such a hook? By an address in data: where code takes that of a hook that is not there, gold
 * makes it the address at which the object is loaded.
 */
#define NVTXH_I_IS_LINKED(hook)                                                                    \
    __extension__({                                                                                \
        static __typeof__(&(hook)) const volatile nvtxh_i_at = hook;                               \
        nvtxh_i_at != NVTXH_I_NULL;                                                                \
    })

/* Are statistics on? */
NVTXH_I_INLINE bool nvtxh_i_stats_on(void)
{
    return nvtxh_i_listeners(active) & NVTXH_I_STATS;
}

/* And nobody else? */
NVTXH_I_INLINE bool nvtxh_i_stats_alone(void)
{
    return nvtxh_i_listeners(active) == NVTXH_I_STATS;
}

/* Is there a tool, and are we not paused? */
NVTXH_I_INLINE bool nvtxh_i_tool_on(void)
{
    return __atomic_load_n(&nvtxh_i_state.active, __ATOMIC_RELAXED) & NVTXH_I_TOOL;
}

/* Is the tool the only one who listens, and does every site in the section have its slot? */
NVTXH_I_INLINE bool nvtxh_i_tool_alone(void)
{
    return nvtxh_i_listeners(active) == (NVTXH_I_TOOL | NVTXH_I_SLOTS);
}

/* The same for sites that are not in the section. */
NVTXH_I_INLINE bool nvtxh_i_tool_alone_own(void)
{
    return (nvtxh_i_listeners(active) | NVTXH_I_SLOTS) == (NVTXH_I_TOOL | NVTXH_I_SLOTS);
}

NVTXH_I_C_END

#endif
#endif
