/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "parquet_place.h"

#include <stdio.h>
#include <string.h>

/* Escapes a value for a path with %XX, which query engines decode. */
static void put_value(char *to, size_t size, const char *value)
{
    size_t used = 0;

    for (; *value && used + 4 < size; value++) {
        bool plain =
            (unsigned char)*value > ' ' && *value != 127 && !strchr("\"#%'*/:=?\\{}[]^", *value);
        used += (size_t)snprintf(to + used, size - used, plain ? "%c" : "%%%02X",
                                 (unsigned char)*value);
    }
    to[used] = 0;
}

void parquet_place(const struct source_process *p, char ret[PARQUET_PLACE])
{
    char job[256], host[256], rank[32] = "-1";

    put_value(job, sizeof(job), p->identity.job);
    put_value(host, sizeof(host), p->host);
    if (p->identity.rank != REC_RANK_NONE) {
        snprintf(rank, sizeof(rank), "%u", p->identity.rank);
    }
    snprintf(ret, PARQUET_PLACE, "job=%s/host=%s/rank=%s", *job ? job : "none",
             *host ? host : "none", rank);
}
