/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_EXPORT_STACKS_H
#define NVTXH_EXPORT_STACKS_H
/* The push/pop ranges of each thread as frames of one stack, for viewers that only show stacks. Where ranges of two
 * domains overlap, the inner frame is closed at the outer frame's end and opened again, to keep its time. */
#include "../base/map.h"
#include "../source/source.h"
#include "../source/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stack_name {
    uint32_t domain_name, text;
};

struct stacks {
    struct source *source;
    struct map index; /* domain_name << 32 | text -> name */
    struct stack_name *names;
    size_t name_count, name_room;
    struct stack_open {
        uint32_t name;
        int64_t end, first_end; /* first_end: the earliest end of the frame and its outer frames */
    } * open;                   /* outermost first */
    size_t open_count, open_room;
    const struct source_process *process; /* of the current thread; NULL: no thread so far */
    uint32_t tid;
    const struct stacks_functions *functions;
    void *arg;
};

/* Called thread by thread, in the order of time. begin, end: of a thread. open, close: of frame stacks.names[name]. */
struct stacks_functions {
    void (*begin)(void *arg, const struct source_process *process, uint32_t tid);
    void (*open)(void *arg, uint32_t name, int64_t at);
    void (*close)(void *arg, uint32_t name, int64_t at);
    void (*other)(void *arg, const struct span *span); /* not push/pop; may be NULL */
    void (*end)(void *arg);
};

/* Calls `functions` for a whole recording. False with a message. Call stacks_free either way. */
bool stacks_each(struct stacks *s, struct source *source, const struct stacks_functions *functions, void *arg,
                 struct error *ret_error);

uint32_t stacks_name(struct stacks *s, uint32_t domain_name, uint32_t text);
void stacks_free(struct stacks *s);

#endif /* NVTXH_EXPORT_STACKS_H */
