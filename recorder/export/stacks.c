/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "export.h"
#include "../base/memory.h"

#include <stdlib.h>

uint32_t stacks_name(struct stacks *s, uint32_t domain_name, uint32_t text) {
    /* A missing and an empty message look the same, so they are one name. */
    text = texts_at(&s->source->texts, text)->size ? text : 0;
    return MAP_INTERN(&s->index, (uint64_t)domain_name << 32 | text, s->names, s->name_count,
                      s->name_room, (struct stack_name){domain_name, text});
}

static void push_frame(struct stacks *s, uint32_t name, int64_t end, int64_t at) {
    int64_t first = s->open_count ? s->open[s->open_count - 1].first_end : end;

    *ARRAY_NEW(s->open, s->open_count, s->open_room) =
        (struct stack_open){name, end, first < end ? first : end};
    s->functions->open(s->arg, name, at);
}

/* Closes the frame that ends first. Before that, closes the frames inside it; after that, opens
 * them again. All this happens at one time, the end of that frame. */
static void close_first(struct stacks *s) {
    int64_t at = s->open[s->open_count - 1].first_end;
    size_t count = s->open_count, i = count;

    do {
        i--;
        s->functions->close(s->arg, s->open[i].name, at);
    } while (s->open[i].end != at);
    s->open_count = i;
    for (i++; i < count; i++) {
        push_frame(s, s->open[i].name, s->open[i].end, at);
    }
}

static void close_until(struct stacks *s, int64_t time) {
    while (s->open_count && s->open[s->open_count - 1].first_end <= time) {
        close_first(s);
    }
}

static void end_thread(struct stacks *s) {
    if (s->process) {
        close_until(s, INT64_MAX);
        s->functions->end(s->arg);
    }
}

static void stack_span(void *arg, const struct span *span) {
    struct stacks *s = arg;
    bool wanted = span->style == SPAN_PUSH_POP || s->functions->other;

    if (wanted && (span->process != s->process || span->tid != s->tid)) {
        end_thread(s);
        s->process = span->process;
        s->tid = span->tid;
        s->functions->begin(s->arg, s->process, s->tid);
    }
    if (span->style == SPAN_PUSH_POP) {
        close_until(s, span->start);
        push_frame(s, stacks_name(s, span->domain_name, span->text), span->end, span->start);
    } else if (wanted) {
        s->functions->other(s->arg, span);
    }
}

bool stacks_each(struct stacks *s, struct source *source, const struct stacks_functions *functions,
                 void *arg, struct error *ret_error) {
    *s = (struct stacks){.source = source, .functions = functions, .arg = arg};
    bool done = spans_by_thread(source, stack_span, s, ret_error);
    end_thread(s);
    return done;
}

void stacks_free(struct stacks *s) {
    map_free(&s->index);
    free(s->names);
    free(s->open);
}
