/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "match.h"
#include "../base/memory.h"
#include "../report/figures.h"

#include <stdio.h>
#include <stdlib.h>

/* Returns which conditions are about a row, as bits. */
static uint64_t about(struct match *m, uint32_t row)
{
    const struct follow *f = m->follow;

    while (m->about_count <= row) {
        const struct follow_row *r = &f->rows[m->about_count];
        const struct text colon = {.bytes = (char *)":", .size = r->domain_name ? 1 : 0};
        size_t size;
        char *name = texts_join(
            (const struct text *const[]){texts_at(&f->recording.source.texts, r->domain_name),
                                         &colon, texts_at(&f->recording.source.texts, r->text)},
            3, &size);
        uint64_t bits = 0;
        for (size_t i = 0; i < m->count; i++) {
            bool is = condition_is_about(&m->all[i], r->style, name);
            bits |= (uint64_t)is << i;
            m->all[i].seen |= is;
        }
        free(name);
        ARRAY_ADD(m->about, m->about_count, m->about_room);
        m->about[m->about_count++] = bits;
    }
    return m->about[row];
}

/* Whether this open range satisfies the condition for the first time. Remembers the range. */
static bool is_first(struct match *m, const struct condition *c, uint32_t pid, int64_t start)
{
    uint64_t which = (uint64_t)pid << 32 | (uint64_t)(c - m->all);
    uint64_t key = which * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)start;
    size_t before = m->stuck.count;

    map_add(&m->stuck, key, 0);
    return m->stuck.count > before;
}

/* Calls m->fire if an event satisfies a condition that is about its name. */
static void meet(struct match *m, struct condition *c, const struct follow_event *e)
{
    char figure[64], what[160];
    const struct span *span = e->span;
    double value = span->style == SPAN_COUNTER ? e->value : (double)(span->end - span->start);
    bool holds = condition_holds(c, value), held = c->holds;

    if (c->kind == CONDITION_VALUE) {
        c->holds = holds;
        snprintf(figure, sizeof(figure), "%.9g", value);
    } else {
        figure_time(value, 0, 0, false, figure);
    }
    if (c->kind == CONDITION_STUCK) {
        holds = e->is_open && value > c->bound && is_first(m, c, e->pid, span->start);
    } else if (c->kind == CONDITION_MARK) {
        holds = true;
    } else {
        holds = holds && !held && !e->is_open;
    }
    if (holds) {
        snprintf(what, sizeof(what), "%s%s in process %u",
                 c->kind == CONDITION_STUCK ? "open for " : "",
                 c->kind == CONDITION_MARK ? "" : figure, e->pid);
        m->fire(c, span->start, span->end, c->kind == CONDITION_MARK ? what + 1 : what);
    }
}

/* Called for each range that has ended, each mark and each sample, and at the end of follow_read for each open range. */
void match_event(void *arg, const struct follow_event *e)
{
    struct match *m = arg;

    if (e->is_open || e->span->end >= m->looked) {
        for (uint64_t bits = about(m, e->row); bits; bits &= bits - 1) {
            meet(m, &m->all[__builtin_ctzll(bits)], e);
        }
    }
}

void match_end(struct match *m)
{
    map_free(&m->stuck);
    free(m->about);
}
