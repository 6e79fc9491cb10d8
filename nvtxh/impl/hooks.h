/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_HOOKS_H
#define NVTXH_IMPL_HOOKS_H

/* Hooks: functions of statistics and structured payloads that are called at events, when the linked
 * object looks for listeners, and when it is unloaded. They are as much code as the rest of nvtxh,
 * so they are linked only if a file of the linked object includes stats.h or payload.h. Otherwise
 * they are NULL, and without stats.h NVTXH_I_STATS is never set. Not API. */

#include "../attr.h"
#include "../core/site.h"
#include "../state.h"
#include "nvtx.h"

struct nvtxh_i_range_slot;

NVTXH_I_C_BEGIN

/* Called for a scope if only statistics listen; `plain`: for a scope without attributes. */
NVTXH_I_LINKONCE uintptr_t NVTXH_I_SYMBOL(stats_enter)(const struct nvtxh_i_site *site,
                                                       struct nvtxh_domain *domain);
NVTXH_I_LINKONCE uintptr_t NVTXH_I_SYMBOL(stats_enter_plain)(const struct nvtxh_i_site *site);
/* Called for a scope if a tool may have received it, too. OPEN: the value that the scope's guard
 * would have without statistics. */
NVTXH_I_LINKONCE uintptr_t NVTXH_I_SYMBOL(stats_begin)(const struct nvtxh_i_site *site,
                                                       struct nvtxh_domain *domain, uintptr_t open);
NVTXH_I_LINKONCE void NVTXH_I_SYMBOL(stats_leave)(uintptr_t guard);
/* Push and pop return NVTX_NO_PUSH_POP_TRACKING, since statistics do not count the depth. */
NVTXH_I_LINKONCE int NVTXH_I_SYMBOL(stats_push)(const struct nvtxh_i_site *site,
                                                struct nvtxh_domain *domain);
NVTXH_I_LINKONCE int NVTXH_I_SYMBOL(stats_pop)(struct nvtxh_domain *domain);
NVTXH_I_LINKONCE void NVTXH_I_SYMBOL(stats_mark)(const struct nvtxh_i_site *site,
                                                 struct nvtxh_domain *domain);
NVTXH_I_LINKONCE void NVTXH_I_SYMBOL(stats_range_begin)(struct nvtxh_i_range_slot *range,
                                                        const struct nvtxh_i_site *site);
NVTXH_I_LINKONCE void NVTXH_I_SYMBOL(stats_range_end)(const struct nvtxh_i_range_slot *range);
/* Called when the linked object finds out who listens. Returns NVTXH_I_STATS or 0. */
NVTXH_I_LINKONCE unsigned NVTXH_I_SYMBOL(stats_listens)(void);
/* Called when the linked object is unloaded, and when the process exits. */
NVTXH_I_LINKONCE void NVTXH_I_SYMBOL(stats_unload)(void);
/* Sends an end with a payload to the tool: that of the process range *RANGE or, if RANGE is NULL, a
 * pop. True: the tool has received it. */
NVTXH_I_LINKONCE bool NVTXH_I_SYMBOL(payload_close)(struct nvtxh_domain *domain,
                                                    const nvtxRangeId_t *range,
                                                    struct nvtxh_payload_value payload,
                                                    int *ret_depth);

/* Is this hook linked? Tests an address that is stored in data, because in code the linker gold
 * replaces the address of a missing hook by the address where the object is loaded. */
#define NVTXH_I_IS_LINKED(hook)                                                                    \
    __extension__({                                                                                \
        static __typeof__(&NVTXH_I_SYMBOL(hook)) const volatile nvtxh_i_at = NVTXH_I_SYMBOL(hook); \
        nvtxh_i_at != NULL;                                                                        \
    })

NVTXH_I_INLINE_LOCAL bool nvtxh_i_stats_on(void) {
    return nvtxh_i_listeners(active) & NVTXH_I_STATS;
}

NVTXH_I_INLINE_LOCAL bool nvtxh_i_stats_alone(void) {
    return nvtxh_i_listeners(active) == NVTXH_I_STATS;
}

/* Is there a tool, and is there no pause (nvtxh_enable)? */
NVTXH_I_INLINE_LOCAL bool nvtxh_i_tool_on(void) {
    return __atomic_load_n(&nvtxh_i_state.active, __ATOMIC_RELAXED) & NVTXH_I_TOOL;
}

/* Does only the tool listen, are all domains on, and does the table of slots (slot.h) exist? */
NVTXH_I_INLINE_LOCAL bool nvtxh_i_tool_alone(void) {
    return nvtxh_i_listeners(active) == (NVTXH_I_TOOL | NVTXH_I_SLOTS);
}

NVTXH_I_C_END

#endif
