/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_TOOL_H
#define NVTXH_TEST_TOOL_H

/* The test tool: how it behaves, and what it does in each call. */
#include "store.h"

#include <nvtx3/nvToolsExt.h>

struct tool {
    bool null_handles, uncounted, slow, silent;
};
extern struct tool tool;

struct domain {
    char *name;
};
struct string {
    struct domain *domain;
    char *text;
};

/* Is WORD in NVTXH_TEST_TOOL? */
bool tool_is(const char *word);
char *tool_copy(const char *text);

/* Begins an event: waits if the tool is slow, and takes the lock. tool_note, tool_push or
 * tool_start release it. */
void tool_begin(void);
/* Checks an event and copies it, with its text. */
void tool_fill(struct log_event *event, const struct domain *domain, bool with_domain,
               const nvtxEventAttributes_t *given);
void tool_note(struct log_event *event, const struct domain *domain);
int tool_push(const struct domain *domain, struct log_event *event);
nvtxRangeId_t tool_start(const struct domain *domain, struct log_event *event);

/* These do the whole call. They take EXTENDED over, the payload as text. */
int tool_pop(const struct domain *domain, char *extended);
void tool_end(const struct domain *domain, nvtxRangeId_t id, char *extended);
void tool_name(enum log_kind kind, const struct domain *domain, uint32_t number, const char *text);

#endif
