/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "nesting.h"
#include "filter.h"
#include "../base/map.h"
#include "../base/memory.h"
#include "../base/texts.h"

#include <stdlib.h>
#include <string.h>

void nesting_clear(struct nesting *n)
{
    n->count = 0;
    n->free = n->top = n->meant = n->aside = NESTING_NONE;
    if (n->domains) {
        memset(n->innermost, 0xff, n->domains * sizeof(*n->innermost));
    }
}

uint32_t nesting_new(struct nesting *n)
{
    uint32_t i = n->free;

    if (i != NESTING_NONE) {
        n->free = n->all[i].outer;
    } else {
        ARRAY_ADD(n->all, n->count, n->room);
        i = (uint32_t)n->count++;
    }
    /* The caller sets the span. Clearing it here would cost time for every range. */
    struct open_push *p = &n->all[i];
    p->outer = p->below = p->above = NESTING_NONE;
    p->aside = false;
    p->self_then = 0;
    p->guess = p->outlived = -1;
    return i;
}

void nesting_free_push(struct nesting *n, uint32_t i)
{
    n->all[i].outer = n->free;
    n->free = i;
}

/* Makes room for a domain in `innermost`. */
static void add_domain(struct nesting *n, uint32_t domain)
{
    uint32_t count = domain + 4;

    n->innermost = must_alloc(n->innermost, count, sizeof(*n->innermost));
    memset(n->innermost + n->domains, 0xff, (count - n->domains) * sizeof(*n->innermost));
    n->domains = count;
}

/* Adds the time up to `now` to the self time of the thread's innermost push. */
static void count_self(struct nesting *n, int64_t now)
{
    if (n->top != NESTING_NONE) {
        n->all[n->top].span.self +=
            n->filter ? filter_within(n->filter, n->top_since, now) : now - n->top_since;
    }
    n->top_since = now;
}

/* Removes a push from its list: the open pushes, or the pushes that were set aside. It may be in the middle of the
 * list, because ranges of two domains need not nest. */
static void take_out(struct nesting *n, uint32_t i)
{
    struct open_push *h = &n->all[i];

    if (h->below != NESTING_NONE) {
        n->all[h->below].above = h->above;
    }
    if (h->above != NESTING_NONE) {
        n->all[h->above].below = h->below;
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
    n->all[i].above = NESTING_NONE;
    n->all[i].below = *head;
    if (*head != NESTING_NONE) {
        n->all[*head].above = i;
    }
    *head = i;
}

/* Called if the top has a guess: takes from it the self time that it got since the time of the guess, and gives that to
 * `meant`. If the guess is right, the top had ended by then, and `meant` was the innermost push. */
static void hand_down(struct nesting *n)
{
    struct open_push *top = &n->all[n->top];

    if (n->meant != NESTING_NONE) {
        n->all[n->meant].span.self += top->span.self - top->self_then;
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
    n->all[i].guess = now;
    n->all[i].self_then = n->all[i].span.self;
    n->meant = n->all[i].below;
    return i;
}

void nesting_push(struct nesting *n, uint32_t i)
{
    struct open_push *h = &n->all[i];

    if (h->span.domain >= n->domains) {
        add_domain(n, h->span.domain);
    }
    uint32_t outer = n->innermost[h->span.domain];

    count_self(n, h->span.start);
    if (n->top != n->meant) {
        hand_down(n);
    }
    while (n->top != n->meant) {
        uint32_t guessed = n->top;
        take_out(n, guessed);
        n->all[guessed].aside = true;
        put_on(n, &n->aside, guessed);
    }
    if (outer != NESTING_NONE) {
        const struct open_push *around = &n->all[outer];
        h->span.depth = around->span.depth + (around->guess < 0);
    }
    h->outer = outer;
    n->innermost[h->span.domain] = i;
    put_on(n, &n->top, i);
    n->meant = i;
}

uint32_t nesting_pop(struct nesting *n, uint32_t domain, int64_t now)
{
    uint32_t i = domain < n->domains ? n->innermost[domain] : NESTING_NONE;

    if (i == NESTING_NONE) {
        return i;
    }
    struct open_push *h = &n->all[i];
    count_self(n, now);
    if (n->top != n->meant && h->guess < 0) {
        hand_down(n);
    }
    if (h->above != NESTING_NONE && !h->aside && n->all[h->above].outlived < 0) {
        n->all[h->above].outlived = now;
    }
    take_out(n, i);
    n->innermost[domain] = h->outer;
    return i;
}

/* Lets a push end at `end`, unless it ends earlier already. A negative `end` is no time and changes nothing. */
static void end_at(struct open_push *h, int64_t end)
{
    if (end >= 0 && (h->span.end < 0 || end < h->span.end)) {
        h->span.end = end > h->span.start ? end : h->span.start;
    }
}

static uint32_t outermost(const struct nesting *n)
{
    uint32_t i = n->top;

    while (i != NESTING_NONE && n->all[i].below != NESTING_NONE) {
        i = n->all[i].below;
    }
    return i;
}

uint64_t nesting_settle(struct nesting *n, int64_t last, bool all)
{
    struct map names = {0}; /* the last open push of each name */
    uint64_t early = 0;
    int64_t around = -1; /* the end of the push around the next one */

    count_self(n, last > n->top_since ? last : n->top_since);
    if (n->top != n->meant) {
        hand_down(n);
    }
    for (uint32_t i = outermost(n); i != NESTING_NONE; i = n->all[i].above) {
        struct open_push *h = &n->all[i];
        uint64_t text = h->span.text > TEXTS_EMPTY ? h->span.text : 0;
        uint64_t name = (uint64_t)h->span.domain_name << 32 | text;
        uint64_t *same = map_find(&names, name);
        h->span.open = true;
        h->span.end = -1;
        end_at(h, h->guess);
        end_at(h, h->outlived);
        end_at(h, around > h->span.start ? around : -1);
        around = h->span.end >= 0 ? h->span.end : around;
        if (same) {
            end_at(&n->all[*same], h->span.start);
            *same = i;
        } else {
            map_add(&names, name, i);
        }
    }
    for (uint32_t i = n->top; i != NESTING_NONE; i = n->all[i].below) {
        struct open_push *h = &n->all[i];
        if (h->span.end >= 0) {
            int64_t length = filter_within(n->filter, h->span.start, h->span.end);
            h->span.self = h->span.self < length ? h->span.self : length;
            early++;
        } else if (all) {
            end_at(h, last);
        }
    }
    for (uint32_t i = n->aside; i != NESTING_NONE; i = n->all[i].below) {
        n->all[i].span.open = true;
        n->all[i].span.end = n->all[i].guess;
        early++;
    }
    map_free(&names);
    return early;
}

void nesting_each(const struct nesting *n,
                  void (*f)(void *arg, struct open_push *push, bool is_top), void *arg)
{
    for (uint32_t i = outermost(n); i != NESTING_NONE; i = n->all[i].above) {
        f(arg, &n->all[i], i == n->meant);
    }
    for (uint32_t i = n->aside; i != NESTING_NONE; i = n->all[i].below) {
        f(arg, &n->all[i], false);
    }
}

void nesting_copy(struct nesting *to, const struct nesting *from)
{
    struct nesting old = *to;

    *to = *from;
    to->all = must_alloc(old.all, from->count, sizeof(*to->all));
    to->room = from->count;
    to->innermost = must_alloc(old.innermost, from->domains, sizeof(*to->innermost));
    if (from->count) {
        memcpy(to->all, from->all, from->count * sizeof(*to->all));
    }
    if (from->domains) {
        memcpy(to->innermost, from->innermost, from->domains * sizeof(*to->innermost));
    }
}

void nesting_free(struct nesting *n)
{
    free(n->innermost);
    free(n->all);
    *n = (struct nesting){0};
}
