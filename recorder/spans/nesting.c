/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "nesting.h"
#include "filter.h"
#include "../base/map.h"
#include "../base/memory.h"

#include <stdlib.h>
#include <string.h>

uint32_t nesting_new(struct nesting *n)
{
    uint32_t i = n->free;

    if (i != NESTING_NONE) {
        n->free = n->halves[i].outer;
    } else {
        ARRAY_ADD(n->halves, n->count, n->room);
        i = (uint32_t)n->count++;
    }
    /* The caller sets the span. Clearing it here would cost time for every range. */
    struct half *h = &n->halves[i];
    h->outer = h->below = h->above = NESTING_NONE;
    h->is_end = h->is_top = h->aside = false;
    h->used = true;
    h->seen = h->self_then = 0;
    h->guess = h->outlived = -1;
    return i;
}

void nesting_free_half(struct nesting *n, uint32_t i)
{
    n->halves[i].used = false;
    n->halves[i].outer = n->free;
    n->free = i;
}

void nesting_begin_process(struct nesting *n)
{
    n->count = 0;
    n->free = NESTING_NONE;
}

void nesting_begin_stream(struct nesting *n)
{
    size_t size = (REC_DOMAIN_MAX + 1) * sizeof(*n->innermost);

    if (!n->innermost) {
        n->innermost = must_alloc(NULL, size, 1);
    }
    memset(n->innermost, 0xff, size);
    n->top = n->meant = n->aside = NESTING_NONE;
}

/* Adds the time up to `now` to the self time of the thread's innermost push. */
static void count_self(struct nesting *n, int64_t now)
{
    if (n->top != NESTING_NONE) {
        n->halves[n->top].span.self +=
            n->filter ? filter_within(n->filter, n->top_since, now) : now - n->top_since;
    }
    n->top_since = now;
}

/* Removes a push from its list: the open pushes, or the pushes that were set aside. It may be in the middle of the
 * list, because ranges of two domains need not nest. */
static void take_out(struct nesting *n, uint32_t i)
{
    struct half *h = &n->halves[i];

    if (h->below != NESTING_NONE) {
        n->halves[h->below].above = h->above;
    }
    if (h->above != NESTING_NONE) {
        n->halves[h->above].below = h->below;
    } else if (h->aside) {
        n->aside = h->below;
    } else {
        n->top = h->below;
    }
    if (i == n->meant) {
        n->meant = h->below;
    }
}

static void put_on(struct nesting *n, uint32_t *head, uint32_t i)
{
    n->halves[i].above = NESTING_NONE;
    n->halves[i].below = *head;
    if (*head != NESTING_NONE) {
        n->halves[*head].above = i;
    }
    *head = i;
}

/* Called if the top has a guess: takes from it the self time that it got since the time of the guess, and gives that to
 * `meant`. If the guess is right, the top had ended by then, and `meant` was the innermost push. */
static void hand_down(struct nesting *n)
{
    struct half *top = &n->halves[n->top];

    if (n->meant != NESTING_NONE) {
        n->halves[n->meant].span.self += top->span.self - top->self_then;
    }
    top->span.self = top->self_then;
}

uint32_t nesting_no_push(struct nesting *n, int64_t now)
{
    uint32_t i = n->meant;

    count_self(n, now);
    if (i == NESTING_NONE) {
        return i;
    }
    if (n->top != i) {
        hand_down(n);
    }
    n->halves[i].guess = now;
    n->halves[i].self_then = n->halves[i].span.self;
    n->meant = n->halves[i].below;
    return i;
}

void nesting_push(struct nesting *n, uint32_t i)
{
    struct half *h = &n->halves[i];
    uint32_t outer = n->innermost[h->span.domain];

    count_self(n, h->span.start);
    if (n->top != n->meant) {
        hand_down(n);
    }
    while (n->top != n->meant) {
        uint32_t guessed = n->top;
        take_out(n, guessed);
        n->halves[guessed].aside = true;
        put_on(n, &n->aside, guessed);
    }
    if (outer != NESTING_NONE) {
        const struct half *around = &n->halves[outer];
        h->span.depth = around->span.depth + (around->guess < 0);
    }
    h->outer = outer;
    n->innermost[h->span.domain] = i;
    put_on(n, &n->top, i);
    n->meant = i;
}

uint32_t nesting_pop(struct nesting *n, uint32_t domain, int64_t now)
{
    uint32_t i = n->innermost[domain];

    if (i == NESTING_NONE) {
        return i;
    }
    struct half *h = &n->halves[i];
    count_self(n, now);
    if (n->top != n->meant && h->guess < 0) {
        hand_down(n);
    }
    if (h->above != NESTING_NONE && !h->aside && n->halves[h->above].outlived < 0) {
        n->halves[h->above].outlived = now;
    }
    take_out(n, i);
    n->innermost[domain] = h->outer;
    return i;
}

/* Lets a push end at `end`, unless it ends earlier already. A negative `end` is no time and changes nothing. */
static void end_at(struct half *h, int64_t end)
{
    if (end >= 0 && (h->span.end < 0 || end < h->span.end)) {
        h->span.end = end > h->span.start ? end : h->span.start;
    }
}

static uint32_t outermost(const struct nesting *n)
{
    uint32_t i = n->top;

    while (i != NESTING_NONE && n->halves[i].below != NESTING_NONE) {
        i = n->halves[i].below;
    }
    return i;
}

uint64_t nesting_finish(struct nesting *n, int64_t last, bool all)
{
    struct map names = {0}; /* the last open push of each name */
    uint64_t early = 0;
    int64_t around = -1; /* the end of the push around the next one */

    count_self(n, last > n->top_since ? last : n->top_since);
    for (uint32_t i = outermost(n); i != NESTING_NONE; i = n->halves[i].above) {
        struct half *h = &n->halves[i];
        uint64_t name = (uint64_t)h->span.domain_name << 32 | h->span.text;
        uint64_t *same = map_find(&names, name);
        h->span.open = true;
        h->span.end = -1;
        end_at(h, h->guess);
        end_at(h, h->outlived);
        end_at(h, around > h->span.start ? around : -1);
        around = h->span.end >= 0 ? h->span.end : around;
        if (same) {
            end_at(&n->halves[*same], h->span.start);
            *same = i;
        } else {
            map_add(&names, name, i);
        }
    }
    for (uint32_t i = n->top; i != NESTING_NONE; i = n->halves[i].below) {
        struct half *h = &n->halves[i];
        if (h->span.end >= 0) {
            int64_t length = filter_within(n->filter, h->span.start, h->span.end);
            h->span.self = h->guess >= 0 ? h->self_then : h->span.self;
            h->span.self = h->span.self < length ? h->span.self : length;
            early++;
        } else if (all) {
            end_at(h, last);
        }
        h->is_top = i == n->top && h->span.end < 0;
        h->seen = last;
    }
    for (uint32_t i = n->aside; i != NESTING_NONE; i = n->halves[i].below) {
        n->halves[i].span.open = true;
        n->halves[i].span.end = n->halves[i].guess;
        early++;
    }
    map_free(&names);
    return early;
}

void nesting_free(struct nesting *n)
{
    free(n->innermost);
    free(n->halves);
}
