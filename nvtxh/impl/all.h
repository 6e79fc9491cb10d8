/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_ALL_H
#define NVTXH_IMPL_ALL_H

/* The whole implementation, for files that contain it. Not API. */

#include "../config.h"

#include "attach.h"
#include "hooks.h"
#include "mark.h"
#include "named.h"
#include "push.h"
#include "range.h"
#include "range_pool.h"
#include "scope.h"
#include "slot.h"
#include "thread.h"

NVTXH_I_C_BEGIN

/* Called when the linked object (executable or shared object) is unloaded. Frees its memory, unless
 * the process exits or may be exiting: then other threads may be in the middle of an event. */
NVTXH_I_PUBLIC void nvtxh_i_on_unload(void) NVTXH_I_LINKED("on_unload")
    __attribute__((__destructor__));

NVTXH_I_LINKONCE void nvtxh_i_on_unload(void) {
    if (NVTXH_I_IS_LINKED(stats_unload)) {
        NVTXH_I_SYMBOL(stats_unload)();
    }
    if (nvtxh_i_object.exiting || !nvtxh_i_object.knows_exit) {
        return;
    }
    nvtxh_i_set_state(&nvtxh_i_state, NVTXH_I_TOOL | NVTXH_I_STATS | NVTXH_I_SLOTS, 0);
    nvtxh_i_free_slots();
    nvtxh_i_free_ranges();
    nvtxh_i_free_names();
    nvtxh_i_object.switches = NULL;
    nvtxh_i_arena_free(&nvtxh_i_object.arena);
    free(nvtxh_i_object.include);
    free(nvtxh_i_object.exclude);
    nvtxh_i_object.include = nvtxh_i_object.exclude = NULL;
}

NVTXH_I_C_END

#endif
