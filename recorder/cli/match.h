/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_MATCH_H
#define NVTXH_CLI_MATCH_H
/* Looks for conditions in the events of a recording that is followed. */
#include "condition.h"
#include "../read/follow.h"

struct match {
    struct condition *all;
    size_t count; /* up to 64 */
    const struct follow *follow;
    void (*fire)(const struct condition *c, int64_t start, int64_t end, const char *what);
    int64_t looked;  /* events that ended before this time have been handled */
    uint64_t *about; /* for each row, bits: the conditions that are about it */
    size_t about_count, about_room;
    struct map stuck; /* open ranges that have fired: hashes of condition, process and start */
};

/* A callback for follow.event; `arg` is a struct match. */
void match_event(void *arg, const struct follow_event *e);

void match_end(struct match *m);

#endif /* NVTXH_CLI_MATCH_H */
