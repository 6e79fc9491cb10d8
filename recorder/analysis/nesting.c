/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "nesting.h"
#include "filter.h"
#include "../util/memory.h"
#include "../util/string_table.h"

#include <stdlib.h>
#include <string.h>

void nesting_clear(struct nesting *n) {
    n->count = 0;
    n->free = n->top = n->meant = n->aside = NESTING_NONE;
    map_free(&n->place_index);
    n->place_count = 0;
    if (n->domains) {
        memset(n->innermost, 0xff, n->domains * sizeof(*n->innermost));
    }
}

uint32_t nesting_new(struct nesting *n) {
    uint32_t i = n->free;

    if (i != NESTING_NONE) {
        n->free = n->all[i].outer;
    } else {
        ARRAY_ADD(n->all, n->count, n->capacity);
        i = (uint32_t)n->count++;
    }
    /* The caller sets the span. Clearing it here would cost time for every range. */
    struct open_push *p = &n->all[i];
    p->outer = p->below = p->above = p->in = NESTING_NONE;
    p->aside = false;
    p->self_then = p->hidden = p->given = 0;
    p->guess = p->outlived = p->limit = -1;
    p->grows = 0;
    return i;
}

void nesting_free_push(struct nesting *n, uint32_t i) {
    n->all[i].outer = n->free;
    n->free = i;
}

static void add_domain(struct nesting *n, uint32_t domain) {
    uint32_t count = domain + 4;

    n->innermost = must_alloc(n->innermost, count, sizeof(*n->innermost));
    memset(n->innermost + n->domains, 0xff, (count - n->domains) * sizeof(*n->innermost));
    n->domains = count;
}

/* Adds the time up to `now` to the self time of the thread's innermost push. */
static void count_self(struct nesting *n, int64_t now) {
    if (n->top != NESTING_NONE) {
        n->all[n->top].span.self +=
            n->filter ? filter_within(n->filter, n->top_since, now) : now - n->top_since;
    }
    n->top_since = now;
}

/* Removes a push from its list: the open pushes, or the pushes that were set aside. The push may be
 * in the middle of the list, because ranges of two domains need not nest. */
static void remove_at(struct nesting *n, uint32_t i) {
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

static void put_on(struct nesting *n, uint32_t *head, uint32_t i) {
    n->all[i].above = NESTING_NONE;
    n->all[i].below = *head;
    if (*head != NESTING_NONE) {
        n->all[*head].above = i;
    }
    *head = i;
}

/* Moves the self time that the push `top` got after its guess (see nesting.h) to `meant`: if the
 * guess is right, `top` ended then, and `meant` has been innermost since. Call it if `top` has a
 * guess. */
static void hand_down(struct nesting *n) {
    struct open_push *top = &n->all[n->top];

    if (n->meant != NESTING_NONE) {
        n->all[n->meant].span.self += top->span.self - top->self_then;
    }
    top->span.self = top->self_then;
}

/* If the filter hides a push, adds the push's busy time to `hidden` of the push `to`, without the
 * part that another push has got before. */
static void give_busy(struct nesting *n, struct open_push *h, uint32_t to) {
    int64_t busy = h->span.self + h->hidden - h->given;

    if (h->span.is_hidden && to != NESTING_NONE) {
        n->all[to].hidden += busy;
        h->given += busy;
    }
}

/* --- inclusive times -------------------------------------------------------------------------- */

static void add_time(const struct nesting *n, struct nesting_times *to, int64_t from, int64_t end) {
    to->all += filter_within(n->filter, from, end);
    from = from > n->late ? from : n->late;
    to->late += end > from ? end - from : 0;
}

static void add_part(struct open_push *h, struct nesting_place *place, struct nesting_times part) {
    h->span.inclusive += part.all;
    h->span.late += part.late;
    place->total.all += part.all;
    place->total.late += part.late;
}

static void enter_place(struct nesting *n, struct open_push *h) {
    h->in = MAP_INTERN(&n->place_index, h->span.place, n->places, n->place_count, n->place_capacity,
                       (struct nesting_place){0});
    struct nesting_place *place = &n->places[h->in];
    place->counted = place->open++ ? place->counted : h->span.start;
}

/* Adds to the inclusive time of a push the time of its place that was not divided yet, up to `now`.
 * A push with a `limit` already has the time up to `limit`. It gets the time from `limit` to `now`,
 * minus the parts of this time that other pushes of the place have got or will get. */
static void count_until(struct nesting *n, struct open_push *h, int64_t now) {
    struct nesting_place *place = &n->places[h->in];
    struct nesting_times part = {0, 0}, others = {0, 0};

    if (h->limit < 0) {
        h->counted_from = place->counted;
        add_time(n, &part, place->counted, now);
        place->counted = now;
        place->open--;
    } else {
        add_time(n, &part, h->limit, now);
        add_time(n, &others, place->open ? place->counted : now, now);
        part.all -= place->total.all - h->total_then.all + others.all;
        part.late -= place->total.late - h->total_then.late + others.late;
    }
    add_part(h, place, part);
    h->limit = now;
    h->total_then = place->total;
}

static uint32_t outermost(const struct nesting *n) {
    uint32_t i = n->top;

    while (i != NESTING_NONE && n->all[i].below != NESTING_NONE) {
        i = n->all[i].below;
    }
    return i;
}

/* Divides the rest of each place's time among its open pushes. Call it when their ends are set. In
 * each place, the outermost push with a negative end gets the time until the process ends. */
static void settle_places(struct nesting *n) {
    for (uint32_t i = outermost(n); i != NESTING_NONE; i = n->all[i].above) {
        struct open_push *h = &n->all[i];
        if (h->in == NESTING_NONE) {
            continue;
        }
        struct nesting_place *place = &n->places[h->in];
        int64_t start = h->span.start, end = h->span.end;
        struct nesting_times part = {0, 0};
        if (h->limit >= 0) { /* the push was counted up to `limit`, but may end earlier */
            add_time(n, &part, end > h->counted_from ? end : h->counted_from, h->limit);
            h->span.inclusive -= part.all;
            h->span.late -= part.late;
            continue;
        }
        bool lasts = end < 0 && place->counted < INT64_MAX;
        end = end < 0 ? n->top_since : end;
        add_time(n, &part, start > place->counted ? start : place->counted, end);
        add_part(h, place, part);
        place->counted = lasts ? INT64_MAX : end > place->counted ? end : place->counted;
        h->grows |= lasts ? NESTING_INCLUSIVE : 0;
    }
}

/* Sets the busy times of all open pushes. Call it when their ends and self times are set. */
static void settle_busy(struct nesting *n) {
    uint32_t innermost = n->meant; /* becomes the innermost push that the filter shows */

    for (uint32_t i = n->top; i != NESTING_NONE; i = n->all[i].below) {
        struct open_push *h = &n->all[i];
        h->span.busy = h->span.self + h->hidden;
        give_busy(n, h, h->below);
        innermost = h->span.is_hidden && i == innermost ? h->below : innermost;
        h->grows |= h->span.end < 0 && i == n->meant ? NESTING_SELF : 0;
        h->grows |= h->span.end < 0 && i == innermost ? NESTING_BUSY : 0;
    }
    for (uint32_t i = n->aside; i != NESTING_NONE; i = n->all[i].below) {
        n->all[i].span.busy = n->all[i].span.self + n->all[i].hidden;
    }
}

void nesting_grow(const struct nesting *n, struct span *span, unsigned grows, int64_t seen) {
    struct nesting_times more = {0, 0}, less = {0, 0};

    add_time(n, &more, seen, span->end);
    add_time(n, &less, span->end, seen); /* a pop without a push may make `seen` later than `end` */
    span->self += grows & NESTING_SELF ? more.all : 0;
    span->busy += grows & NESTING_BUSY ? more.all : 0;
    span->inclusive += grows & NESTING_INCLUSIVE ? more.all - less.all : 0;
    span->late += grows & NESTING_INCLUSIVE ? more.late - less.late : 0;
}

/* --- pushes and pops -------------------------------------------------------------------------- */

uint32_t nesting_no_push(struct nesting *n, int64_t now) {
    uint32_t i = n->meant;

    count_self(n, now);
    if (i == NESTING_NONE) {
        return i;
    }
    if (n->top != i) {
        hand_down(n);
    }
    n->all[i].guess = now;
    if (n->all[i].in != NESTING_NONE) { /* the push may have ended now */
        count_until(n, &n->all[i], now);
    }
    n->all[i].self_then = n->all[i].span.self;
    n->meant = n->all[i].below;
    return i;
}

void nesting_push(struct nesting *n, uint32_t i, span_enter *enter, void *arg) {
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
        remove_at(n, guessed);
        give_busy(n, &n->all[guessed], n->all[guessed].below);
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
    if (enter) {
        uint32_t entered =
            enter(arg, &h->span, h->below != NESTING_NONE ? &n->all[h->below].span : NULL);
        h->span.place = entered & SPAN_PLACE;
        h->span.is_hidden = entered & SPAN_HIDDEN;
        if (entered & SPAN_INCLUSIVE) {
            enter_place(n, h);
        }
    }
}

uint32_t nesting_pop(struct nesting *n, uint32_t domain, int64_t now) {
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
        if (n->all[h->above].in != NESTING_NONE && n->all[h->above].limit < 0) {
            count_until(n, &n->all[h->above], now);
        }
    }
    /* Hidden ranges of other domains may outlive this range, which gets their busy time so far. */
    for (uint32_t k = h->aside ? NESTING_NONE : h->above;
         !h->span.is_hidden && k != NESTING_NONE && n->all[k].span.is_hidden; k = n->all[k].above) {
        give_busy(n, &n->all[k], i);
    }
    h->span.busy = h->span.self + h->hidden;
    give_busy(n, h, h->aside ? NESTING_NONE : h->below);
    if (h->in != NESTING_NONE) {
        count_until(n, h, now);
    }
    remove_at(n, i);
    n->innermost[domain] = h->outer;
    return i;
}

/* Lets a push end at `end`, unless it ends earlier already. A negative `end` changes nothing. */
static void end_at(struct open_push *h, int64_t end) {
    if (end >= 0 && (h->span.end < 0 || end < h->span.end)) {
        h->span.end = end > h->span.start ? end : h->span.start;
    }
}

void nesting_settle(struct nesting *n, int64_t last, bool all) {
    struct map names = {0}; /* the last open push of each name */
    int64_t around = -1;    /* end of the innermost push so far that has an end; -1: none */

    count_self(n, last > n->top_since ? last : n->top_since);
    if (n->top != n->meant) {
        hand_down(n);
    }
    for (uint32_t i = outermost(n); i != NESTING_NONE; i = n->all[i].above) {
        struct open_push *h = &n->all[i];
        uint64_t text = h->span.text > STRING_EMPTY ? h->span.text : 0;
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
        } else if (all) {
            end_at(h, last);
        }
    }
    for (uint32_t i = n->aside; i != NESTING_NONE; i = n->all[i].below) {
        n->all[i].span.open = true;
        n->all[i].span.end = n->all[i].guess;
    }
    map_free(&names);
    settle_places(n);
    settle_busy(n);
}

void nesting_each(const struct nesting *n, void (*f)(void *arg, struct open_push *push),
                  void *arg) {
    for (uint32_t i = outermost(n); i != NESTING_NONE; i = n->all[i].above) {
        f(arg, &n->all[i]);
    }
    for (uint32_t i = n->aside; i != NESTING_NONE; i = n->all[i].below) {
        f(arg, &n->all[i]);
    }
}

void nesting_copy(struct nesting *to, const struct nesting *from) {
    struct nesting old = *to;

    *to = *from;
    to->place_index = old.place_index;
    map_copy(&to->place_index, &from->place_index);
    to->places = must_copy_array(old.places, from->places, from->place_count, sizeof(*to->places));
    to->place_capacity = from->place_count;
    to->all = must_copy_array(old.all, from->all, from->count, sizeof(*to->all));
    to->capacity = from->count;
    to->innermost =
        must_copy_array(old.innermost, from->innermost, from->domains, sizeof(*to->innermost));
}

void nesting_free(struct nesting *n) {
    map_free(&n->place_index);
    free(n->places);
    free(n->innermost);
    free(n->all);
    *n = (struct nesting){.filter = n->filter, .late = n->late};
    nesting_clear(n);
}
