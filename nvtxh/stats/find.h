/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATS_FIND_H
#define NVTXH_STATS_FIND_H

/* Finds the statistics of a message. Not API. */

#include "hub.h"
#include "read.h"
#include "types.h"

#if NVTXH_I_IMPL

#include <stdint.h>
#include <string.h>

NVTXH_I_C_BEGIN

/* Is MESSAGE the row's message, or its domain, a colon and its message? NVTX's default domain is "". */
static inline bool nvtxh_i_stats_is(const struct nvtxh_i_stats_row *row, const char *message)
{
    const char *domain = row->domain ? row->domain : "";
    size_t n = strlen(domain);

    if (!row->message || !message)
        return row->message == message;
    return !strcmp(row->message, message) || (!strncmp(domain, message, n) && message[n] == ':' &&
                                              !strcmp(row->message, message + n + 1));
}

NVTXH_I_LINKONCE struct nvtxh_stats nvtxh_stats_find(const char *message)
{
    struct nvtxh_i_stats_hub *hub = nvtxh_i_stats_join(false);
    struct nvtxh_i_stats_merged merged, sum;
    const struct nvtxh_i_stats_row *row;
    struct nvtxh_stats stats, one;

    memset(&stats, 0, sizeof(stats));
    memset(&sum, 0, sizeof(sum));
    sum.min = UINT64_MAX;
    row = hub ? __atomic_load_n(&hub->rows, __ATOMIC_ACQUIRE) : NVTXH_I_NULL;
    for (; row; row = row->next) {
        if (!nvtxh_i_stats_is(row, message))
            continue;
        nvtxh_i_stats_read_row(hub, row, &merged, &one);
        if (!merged.count)
            continue;
        stats = one; /* the sum gets the place of the oldest row, which is read last */
        nvtxh_i_stats_add_up(&sum, &merged);
    }
    if (sum.count)
        nvtxh_i_stats_result(&sum, nvtxh_i_stats_rate(hub), &stats);
    return stats;
}

NVTXH_I_C_END

#endif
#endif
