/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "time_domains.h"
#include "recording.h"
#include "../util/memory.h"
#include "../format/entry_type.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POINTS_MOST (1 << 20) /* a clock that has so many points gets no points of further links */
/* All factors of a recording give so many points, and then a few more each: many clocks, each with
 * a factor, would multiply the points of one clock. */
#define FACTOR_POINTS (1 << 20)
#define FACTOR_LEAST 16
#define CHAIN 8 /* most links, one after the other, from a clock to a clock of enum known_clock */

#define SPACING 100000000 /* ns; points at least so far apart give an exact rate: see timeline.c */
#define LONGEST 1e18      /* ns, 31 years */

/* The points by which a program's clock is converted. Each point is one moment, on this clock and
 * in ns since the recording began. */
struct sync_points {
    struct sync_point {
        int64_t at; /* on the clock */
        int64_t ns; /* since the recording began */
    } * all;
    size_t count, capacity;
    double first_rate, last_rate; /* ns per tick: before the first point; after the last */
};

static int64_t points_difference(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

/* a + b * rate in ns; +-31 years if b * rate is beyond that. A sum that overflows wraps around. */
static int64_t points_later(int64_t a, int64_t b, double rate) {
    double since = (double)b * rate;

    if (!(since < LONGEST && since > -LONGEST)) {
        return since > 0 ? (int64_t)LONGEST : -(int64_t)LONGEST;
    }
    return (int64_t)((uint64_t)a + (uint64_t)(int64_t)(since + (since < 0 ? -0.5 : 0.5)));
}

static void points_add(struct sync_points *s, int64_t at, int64_t ns) {
    if (ns < (int64_t)LONGEST && ns > -(int64_t)LONGEST) { /* else the file is damaged */
        *ARRAY_NEW(s->all, s->count, s->capacity) = (struct sync_point){at, ns};
    }
}

static int by_at(const void *a, const void *b) {
    const struct sync_point *x = a, *y = b;
    return ORDERS(ORDER(x->at, y->at) ?: ORDER(x->ns, y->ns));
}

static double rate_between(const struct sync_point *a, const struct sync_point *b) {
    return (double)(b->ns - a->ns) / (double)points_difference(b->at, a->at);
}

/* The rate between two points, in ns per tick. `said`: the rate that the program gave; 0: none.
 * Between points that are close together, `said` is more exact than a rate computed from them. */
static double rate_of(const struct sync_point *a, const struct sync_point *b, double said) {
    return a == b || (b->ns - a->ns < SPACING && said > 0) ? said : rate_between(a, b);
}

/* Prepares points_ns. Call it after the last point. `rate`: ns per tick, as given by the program,
 * or 0. False: there are too few points to convert times (none, or one without a rate). */
static bool points_ready(struct sync_points *s, double rate) {
    size_t kept = 0, i;

    ARRAY_SORT(s->all, s->count, by_at);
    for (i = 0; i < s->count; i++) {
        const struct sync_point *p = &s->all[i], *last = kept ? &s->all[kept - 1] : NULL;
        if (!last || (p->ns >= last->ns && points_difference(p->at, last->at) > 0)) {
            s->all[kept++] = *p;
        }
    }
    s->count = kept;
    if (!kept) {
        return false;
    }
    struct sync_point *first = &s->all[0], *last = &s->all[kept - 1];
    for (i = 0; i + 1 < kept && s->all[i].ns - first->ns < SPACING; i++) {
    }
    s->first_rate = rate_of(first, &s->all[i], rate);
    for (i = kept - 1; i > 0 && last->ns - s->all[i].ns < SPACING; i--) {
    }
    s->last_rate = rate_of(&s->all[i], last, rate);
    return kept > 1 || rate > 0;
}

/* Converts a time of the clock. Call it only after points_ready has returned true. */
static int64_t points_ns(const struct sync_points *s, int64_t at) {
    const struct sync_point *first = &s->all[0], *last = &s->all[s->count - 1];

    if (at <= first->at) {
        return points_later(first->ns, points_difference(at, first->at), s->first_rate);
    }
    if (at >= last->at) {
        return points_later(last->ns, points_difference(at, last->at), s->last_rate);
    }
    const struct sync_point *b = &s->all[ARRAY_SEARCH(i, 1, s->count - 1, s->all[i].at <= at)],
                            *a = b - 1;
    return points_later(a->ns, points_difference(at, a->at), rate_between(a, b));
}

/* NVTX's clocks (NVTX_TIMESTAMP_TYPE_...) that can be converted without a struct time_link. */
enum known_clock {
    CLOCK_UNKNOWN,
    CLOCK_TICKS, /* the recording's ticks */
    CLOCK_TSC,   /* the recording's ticks if they are of the TSC; unknown in merged recordings */
    CLOCK_REALTIME_NS,
    CLOCK_MONOTONIC_NS,
};

static enum known_clock known_clock(uint64_t type) {
    switch (type) {
    case REC_TIME_TOOL:
        return CLOCK_TICKS;
    case 10: /* CPU_TSC, CPU_TSC_NONVIRTUALIZED */
    case 11:
        return CLOCK_TSC;
    case 12: /* CLOCK_REALTIME, _COARSE, std::chrono::system_clock */
    case 13:
    case 52:
        return CLOCK_REALTIME_NS;
    case 14: /* CLOCK_MONOTONIC, _COARSE, std::chrono::steady_clock */
    case 16:
    case 50:
        return CLOCK_MONOTONIC_NS;
    default:
        return CLOCK_UNKNOWN;
    }
}

struct time_domain {
    uint64_t number, scope, type;
    uint32_t domain;
    int64_t resolution;
    bool registered;
    unsigned round; /* in which round time_domains_ready could convert it; 0: in none */
    struct sync_points points;
};

/* What the program said about two clocks. A point says that at[0] and at[1] are the same moment on
 * the two clocks. A factor also gives the ratio of their rates. */
struct time_link {
    uint64_t numbers[2]; /* of the two time domains */
    uint32_t domain;
    int64_t at[2];
    double slope; /* of a factor: ticks of the second clock per tick of the first; 0: a point */
};

/* Numbers of clocks below 2^24 are NVTX's, those from 2^32 on the recorder's. The others are the
 * program's and valid in one NVTX domain only, so their keys contain the domain. */
static uint64_t key_of_domain(uint32_t domain, uint64_t number) {
    return number >> 32 || number < REC_TYPE_SCHEMA
               ? number & ~(UINT64_C(1) << 63)
               : UINT64_C(1) << 63 | (uint64_t)domain << 32 | number;
}

static struct time_domain *find_domain(const struct time_domains *t, uint32_t domain,
                                       uint64_t number) {
    uint64_t *i = map_find(&t->index, key_of_domain(domain, number));
    return i ? &t->all[*i] : NULL;
}

static struct time_domain *find_or_add(struct time_domains *t, uint32_t domain, uint64_t number) {
    uint32_t i =
        MAP_INTERN(&t->index, key_of_domain(domain, number), t->all, t->count, t->capacity,
                   (struct time_domain){.number = number, .type = number, .domain = domain});
    return &t->all[i];
}

static void add_link(struct time_domains *t, const struct time_link *link) {
    find_or_add(t, link->domain, link->numbers[0]);
    find_or_add(t, link->domain, link->numbers[1]);
    *ARRAY_NEW(t->links, t->link_count, t->link_capacity) = *link;
}

void time_domains_parse(struct time_domains *t, uint32_t id, uint32_t domain, const char *body,
                        size_t size) {
    struct time_link link = {.domain = domain};
    struct rec_time_domain head;

    if (id == REC_TIME_DOMAIN && size >= sizeof(head)) {
        memcpy(&head, body, sizeof(head));
        struct time_domain *d = find_or_add(t, domain, head.time_domain);
        d->registered = true;
        d->scope = head.scope;
        d->type = head.type;
        d->resolution = head.resolution;
    } else if (id == REC_TIME_POINTS && size >= sizeof(link.numbers)) {
        memcpy(link.numbers, body, sizeof(link.numbers));
        for (size_t at = sizeof(link.numbers); size - at >= sizeof(link.at);
             at += sizeof(link.at)) {
            memcpy(link.at, body + at, sizeof(link.at));
            add_link(t, &link);
        }
    } else if (id == REC_TIME_FACTOR && size >= sizeof(link.numbers) + 8 + sizeof(link.at)) {
        memcpy(link.numbers, body, sizeof(link.numbers));
        memcpy(&link.slope, body + sizeof(link.numbers), 8);
        memcpy(link.at, body + sizeof(link.numbers) + 8, sizeof(link.at));
        if (isnormal(link.slope) && link.slope > 0) {
            add_link(t, &link);
        }
    }
}

static bool by_known(struct recording *r, const struct process *p, enum known_clock clock,
                     int64_t at, int64_t *ret_ns) {
    struct timeline *t = &r->timelines[p->origin];

    switch (clock) {
    case CLOCK_TSC:
        if (p->origin || r->header.clock != REC_CLOCK_TSC) {
            return false;
        } /* fallthrough */
    case CLOCK_TICKS:
        *ret_ns = timeline_ns(t, (uint64_t)at);
        return true;
    case CLOCK_MONOTONIC_NS:
        *ret_ns = points_difference(at, (int64_t)t->origin);
        return true;
    case CLOCK_REALTIME_NS:
        *ret_ns = timeline_ns_of_realtime(t, (uint64_t)at);
        return true;
    default:
        return false;
    }
}

/* The time at which a sample was taken, on one of the sample's three clocks. */
static int64_t at_sample(enum known_clock clock, const struct rec_sample *s) {
    return (int64_t)(clock == CLOCK_REALTIME_NS    ? s->realtime
                     : clock == CLOCK_MONOTONIC_NS ? s->monotonic
                                                   : s->ticks);
}

static bool convert(struct recording *r, const struct process *p, struct time_domain *d, int64_t at,
                    int64_t *ret_ns) {
    if (d->points.count) {
        *ret_ns = points_ns(&d->points, at);
        return true;
    }
    return by_known(r, p, known_clock(d->type), at, ret_ns);
}

/* Gives points to `to`, one of the two clocks of a link. Times of the other clock, `from`
 * (link->numbers[known]), can be converted already. A factor holds at all times, so it gives a
 * point for each point of `from` or, if `from` has none, for each sample of the timeline; once
 * FACTOR_POINTS are nearly used up, only for some, at even distances. */
static void follow_link(struct recording *r, const struct process *p, const struct time_link *link,
                        int known, struct time_domain *from, struct time_domain *to) {
    const struct timeline *t = &r->timelines[p->origin];
    int64_t ns, at, start = link->at[known];

    if (to->points.count >= POINTS_MOST) {
        return;
    }

    if (!(link->slope > 0)) {
        if (convert(r, p, from, start, &ns)) {
            points_add(&to->points, link->at[!known], ns);
        }
        return;
    }
    double slope = known ? 1 / link->slope : link->slope; /* ticks of `to` per tick of `from` */
    size_t count = from->points.count ? from->points.count : t->count, most = count;
    if (r->factor_points + count > FACTOR_POINTS) {
        most = (FACTOR_POINTS - r->factor_points) / 2;
        most = count < FACTOR_LEAST ? count : most < FACTOR_LEAST ? FACTOR_LEAST : most;
    }
    r->factor_points += most < FACTOR_POINTS - r->factor_points ? most : 0;
    for (size_t k = 0; k < most; k++) {
        size_t i = most == count ? k : k * (count - 1) / (most - 1);
        at = from->points.count ? from->points.all[i].at
                                : at_sample(known_clock(from->type), &t->samples[i]);
        if (convert(r, p, from, at, &ns)) {
            points_add(&to->points,
                       points_later(link->at[!known], points_difference(at, start), slope), ns);
        }
    }
}

static int by_scope(const void *a, const void *b) {
    const struct time_clock *x = a, *y = b;
    return ORDERS(ORDER(x->domain, y->domain)
                  ?: ORDER(x->scope, y->scope) ?: ORDER(x->order, y->order));
}

/* Lists the registered clocks for time_domains_of_scope. */
static void list_clocks(struct time_domains *t) {
    t->clocks = must_alloc(NULL, t->count, sizeof(*t->clocks));
    for (size_t i = 0; i < t->count; i++) {
        const struct time_domain *d = &t->all[i];
        if (d->registered) {
            t->clocks[t->clock_count++] =
                (struct time_clock){d->domain, (uint32_t)i, d->scope, d->number};
        }
    }
    ARRAY_SORT(t->clocks, t->clock_count, by_scope);
}

void time_domains_ready(struct recording *r, struct process *p) {
    struct time_domains *t = &p->times;
    bool more = true;
    int64_t ns;

    list_clocks(t);
    for (size_t i = 0; i < t->count; i++) {
        t->all[i].round = convert(r, p, &t->all[i], 0, &ns);
    }
    for (unsigned round = 2; more && round < 2 + CHAIN; round++) {
        more = false;
        for (size_t i = 0; i < t->link_count; i++) {
            struct time_link *link = &t->links[i];
            struct time_domain *ends[2] = {find_domain(t, link->domain, link->numbers[0]),
                                           find_domain(t, link->domain, link->numbers[1])};
            if (!ends[0] || !ends[1] || !ends[0]->round == !ends[1]->round) {
                continue;
            }
            int known = !ends[0]->round;
            follow_link(r, p, link, known, ends[known], ends[!known]);
        }
        for (size_t i = 0; i < t->count; i++) {
            struct time_domain *d = &t->all[i];
            double rate = d->resolution > 0 ? 1e9 / (double)d->resolution : 0;
            if (!d->round && points_ready(&d->points, rate)) {
                d->round = round;
                more = true;
            } else if (!d->round) {
                d->points.count = 0;
            }
        }
    }
}

uint64_t time_domains_of_scope(const struct process *p, uint32_t domain, uint64_t scope) {
    const struct time_domains *t = &p->times;
    const struct time_clock *c = t->clocks;
    size_t i = ARRAY_SEARCH(k, 0, t->clock_count,
                            c[k].domain < domain || (c[k].domain == domain && c[k].scope < scope));

    if (scope && i < t->clock_count && c[i].domain == domain && c[i].scope == scope) {
        return c[i].number;
    }
    i = ARRAY_SEARCH(k, 0, t->clock_count, c[k].domain < domain);
    bool is_one = i < t->clock_count && c[i].domain == domain &&
                  (i + 1 == t->clock_count || c[i + 1].domain != domain);
    return is_one ? c[i].number : REC_TIME_TOOL;
}

bool time_domains_ns(struct recording *r, const struct process *p, uint32_t domain, uint64_t number,
                     int64_t at, int64_t *ret_ns) {
    struct time_domain *d = find_domain(&p->times, domain, number);
    int64_t ns;

    if (d ? !d->round || !convert(r, p, d, at, &ns)
          : !by_known(r, p, known_clock(number), at, &ns)) {
        return false;
    }
    *ret_ns = ns < 0 ? 0 : ns > RECORDING_MAX_NS ? RECORDING_MAX_NS : ns;
    return true;
}

void time_domains_free(struct time_domains *t) {
    for (size_t i = 0; i < t->count; i++) {
        free(t->all[i].points.all);
    }
    free(t->all);
    free(t->links);
    free(t->clocks);
    map_free(&t->index);
}
