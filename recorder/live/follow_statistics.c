/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "follow_statistics.h"
#include "follow_rows.h"
#include "../base/memory.h"
#include "../spans/statistics.h"

#include <stdlib.h>

static void take(void *arg, const struct statistics_row *from)
{
    struct follow *f = arg;
    const struct follow_key key = {
        .style = from->row.style, .domain_name = from->row.domain_name, .text = from->row.text};
    uint32_t number = follow_row(f, &key); /* may move the rows */
    struct follow_row *row = &f->rows[number];

    row->count += from->row.instances;
    row->closed_time += from->row.durations.total;
    row->value = from->row.value_last;
    row->color = from->row.color;
    distribution_merge(&row->ended, &f->budget, &from->row.durations);
}

/* The durations that are in `all` but not in `before`. */
static struct distribution added(const struct distribution *all, const struct distribution *before,
                                 struct distribution_budget *budget)
{
    struct distribution since = {0};
    uint64_t low, count;

    for (size_t at = 0; distribution_next_bin(all, &at, &low, &count);) {
        uint64_t then = distribution_bin(before, low);
        uint64_t more = count > then ? count - then : 0;
        distribution_merge(&since, budget,
                           &(struct distribution){.count = more,
                                                  .min = low,
                                                  .max = low,
                                                  .mean = (double)low,
                                                  .values = &low,
                                                  .counts = &more,
                                                  .value_count = 1});
    }
    since.total = all->total - before->total;
    return since;
}

void follow_statistics_read(struct follow *f)
{
    struct recording *r = &f->recording;
    int64_t until = (int64_t)r->statistics.until;

    f->ended = r->header.end.ticks || !recording_is_alive(r);
    if (f->is_statistics && until <= f->now) {
        return;
    }
    f->is_statistics = true;
    f->from = f->now;
    f->now = until > f->from && until < RECORDING_MAX_NS ? until : f->from + 1;
    f->threads = r->statistics.threads;
    f->dropped = 0;
    for (size_t i = 0; i < r->source.process_count; i++) {
        f->dropped += r->processes[i].info.lost[REC_LOSS_NO_STREAM];
    }
    follow_rows_begin(f);
    f->budget.left = 0;
    for (size_t i = 0; i < f->count; i++) {
        struct follow_row *row = &f->rows[i];
        row->count_now = row->count;
        row->time_now = row->closed_time;
        row->count = 0;
        row->closed_time = 0;
    }
    statistics_each(r, take, f);
    f->before = must_alloc(f->before, f->count, sizeof(*f->before));
    for (; f->before_count < f->count; f->before_count++) {
        f->before[f->before_count] = (struct distribution){0};
    }
    for (size_t i = 0; i < f->count; i++) {
        struct follow_row *row = &f->rows[i];
        struct distribution all = row->ended;
        row->count_now = row->count - row->count_now;
        row->past[FOLLOW_PAST - 1] = row->count_now;
        row->time_now = row->closed_time - row->time_now;
        row->time = row->closed_time;
        row->ended = added(&all, &f->before[i], &f->budget);
        distribution_finish(&row->ended);
        distribution_free(&f->before[i]);
        f->before[i] = all;
    }
}
