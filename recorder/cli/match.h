/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_MATCH_H
#define NVTXH_CLI_MATCH_H
/* Looks in the events of a recording, while it is written, for those that satisfy a condition. */
#include "condition.h"
#include "../live/follow.h"

struct match {
    struct condition *all;
    size_t count; /* up to 64 */
    const struct follow *follow;
    /* Called for an event that satisfies a condition, with its times and a text about it. */
    void (*fire)(const struct condition *c, int64_t start, int64_t end, const char *what);
    int64_t looked;  /* events that ended before this time were handled before follow began anew */
    uint64_t *about; /* for each row of `follow`: a bit for each condition that is about it */
    size_t about_count, about_room;
    struct map stuck; /* hashes of condition, process and start of open ranges that have fired */
};

/* A callback for follow.event; `arg` is a struct match. */
void match_event(void *arg, const struct follow_event *e);

void match_end(struct match *m);

#endif /* NVTXH_CLI_MATCH_H */
