/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ranks.h"
#include "name.h"
#include "../util/memory.h"

#include <stdlib.h>
#include <string.h>

struct reading {
    struct ranks *all;
    struct source *source;
    struct rank **of_process; /* by the process's number; NULL: left out */
    struct span_order *gpu;   /* operations of GPUs */
    struct map names; /* domain and text of the recording -> number of the name; 0: left out */
};

static uint32_t host_of(struct ranks *all, const char *name) {
    uint32_t text = string_table_add(&all->names, name, strlen(name));

    for (size_t i = 0; i < all->host_count; i++) {
        if (all->hosts[i].name == text) {
            return (uint32_t)i;
        }
    }
    ARRAY_ADD(all->hosts, all->host_count, all->host_capacity);
    all->hosts[all->host_count] = (struct rank_host){.name = text};
    return (uint32_t)all->host_count++;
}

static struct rank *find_rank(const struct ranks *all, uint32_t number) {
    for (size_t i = 0; i < all->count; i++) {
        if (all->all[i].number == number) {
            return &all->all[i];
        }
    }
    return NULL;
}

static void thin_out(struct rank_cell *c) {
    for (uint32_t i = 0; 2 * i < c->moment_count; i++) {
        c->moments[i] = c->moments[2 * i];
    }
    c->moment_count = (c->moment_count + 1) / 2;
    c->stride *= 2;
}

static void add_moment(struct rank_cell *c, int64_t start, int64_t end) {
    if (c->instances % c->stride == 0 && c->moment_count == RANKS_MOMENTS) {
        thin_out(c);
    }
    if (c->instances % c->stride == 0) {
        c->moments[c->moment_count++] = (struct rank_moment){start, end};
    }
    c->instances++;
}

static struct rank_cell *cell_of(struct reading *d, struct rank *rank, const struct span *s) {
    const struct string_table *strings = &d->source->strings;
    uint64_t *name = map_add(&d->names, (uint64_t)s->domain_name << 32 | s->text, 0);

    if (!*name && d->all->ranges.count < RANKS_NAMES) {
        uint32_t text =
            string_table_at(strings, s->text)->size ? s->text : 0; /* empty is like missing */
        size_t size, short_size;
        char *joined = name_of_range(d->source, s->domain_name, text, !text, &size);
        char *brief = name_of_range(d->source, s->domain_name, text, true, &short_size);
        *name = string_table_add(&d->all->names, joined, size);
        map_add(&d->all->ranges, *name, string_table_add(&d->all->names, brief, short_size));
        free(joined);
        free(brief);
    }
    if (!*name) {
        return NULL;
    }
    uint32_t at = MAP_INTERN(
        &rank->by_range, *name, rank->cells, rank->cell_count, rank->cell_capacity,
        (struct rank_cell){.range = (uint32_t)*name,
                           .stride = 1,
                           .moments = must_alloc(NULL, RANKS_MOMENTS, sizeof(struct rank_moment)),
                           .unnumbered = s->process->lacks_beginning,
                           .process = s->process,
                           .tid = s->tid});
    return &rank->cells[at];
}

static void count_instance(void *arg, const struct span *s) {
    struct reading *d = arg;
    struct rank *rank = d->of_process[s->process->number];
    int64_t start = (int64_t)d->source->start + s->start, end = (int64_t)d->source->start + s->end;

    if (rank) {
        rank->begin = start < rank->begin && !s->process->lacks_beginning ? start : rank->begin;
        rank->end = end > rank->end ? end : rank->end;
        if (s->on_gpu) {
            span_order_add(d->gpu, s);
        }
    }
    if (!rank || s->style >= SPAN_MARK) {
        return;
    }
    struct rank_cell *c = cell_of(d, rank, s);
    if (!c) {
        d->all->left_out++;
        return;
    }
    c->count++;
    c->total += (double)(s->end - s->start);
    if (c->process == s->process && c->tid == s->tid) {
        add_moment(c, start, end);
    }
}

static void on_operation(void *arg, const struct span *s) {
    struct reading *d = arg;
    struct rank *rank = d->of_process[s->process->number];

    rank->gpu_begin = rank->gpu_end == INT64_MIN ? s->start : rank->gpu_begin;
    rank->gpu_end = s->end > rank->gpu_end ? s->end : rank->gpu_end;
    gpu_unite(&rank->gpu_busy, s);
}

/* Finds or adds the rank of a process. NULL: it has no rank, or another recording has the rank. */
static struct rank *rank_of(struct ranks *all, const struct source_process *p, const char *path) {
    uint32_t number = p->identity.rank;
    struct rank *rank = number == REC_RANK_NONE ? NULL : find_rank(all, number);

    if (number == REC_RANK_NONE) {
        all->complain(path,
                      "process %u has no rank and is left out; nvtxh record --rank or nsys profile "
                      "-t mpi gives one",
                      p->pid);
        return NULL;
    }
    if (rank && strcmp(rank->path, path) != 0) {
        all->complain(path, "rank %u is left out, because another recording has it", number);
        return NULL;
    }
    if (!rank) {
        rank = ARRAY_NEW(all->all, all->count, all->capacity);
        *rank = (struct rank){.number = number,
                              .host = host_of(all, p->host),
                              .path = path,
                              .begin = INT64_MAX,
                              .end = INT64_MIN,
                              .gpu_end = INT64_MIN};
        all->hosts[rank->host].ranks++;
    }
    if (p->identity.world != REC_RANK_NONE && p->identity.world > all->world) {
        all->world = p->identity.world;
    }
    return rank;
}

/* Reduces the moments of a rank to what it may keep (RANKS_ALL), and frees unused memory. */
static void pack(struct rank *rank) {
    size_t most = RANKS_ALL / (rank->cell_count ? rank->cell_count : 1);

    most = most < 16 ? 16 : most;
    for (size_t i = 0; i < rank->cell_count; i++) {
        struct rank_cell *c = &rank->cells[i];
        while (c->moment_count > most) {
            thin_out(c);
        }
        c->moments = must_alloc(c->moments, c->moment_count + 1, sizeof(*c->moments));
    }
    map_free(&rank->by_range);
    for (size_t i = 0; i < rank->cell_count; i++) {
        map_add(&rank->by_range, rank->cells[i].range, i);
    }
}

bool ranks_add(struct ranks *all, struct source *source, const char *path,
               struct error *ret_error) {
    struct reading d = {.all = all, .source = source, .gpu = span_order_begin()};
    struct span_totals totals;
    size_t before = all->count;

    /* All ranks are added before pointers to them are kept, because adding moves them. */
    for (size_t i = 0; i < source->process_count; i++) {
        rank_of(all, &source->processes[i], path);
    }
    d.of_process = must_alloc(NULL, source->process_count, sizeof(struct rank *));
    for (size_t i = 0; i < source->process_count; i++) {
        struct rank *rank = find_rank(all, source->processes[i].identity.rank);
        d.of_process[i] = rank && !strcmp(rank->path, path) ? rank : NULL;
    }
    spans_each(source, count_instance, NULL, &d, &totals);
    bool is_done = span_order_end(d.gpu, source, on_operation, &d, ret_error);
    for (size_t i = before; i < all->count; i++) {
        pack(&all->all[i]);
    }
    free(d.of_process);
    map_free(&d.names);
    return is_done;
}

ARRAY_ORDER(by_number, struct rank, ORDER(x->number, y->number))

void ranks_finish(struct ranks *all) {
    all->base = INT64_MAX;
    ARRAY_SORT(all->all, all->count, by_number);
    all->by_host = must_alloc(NULL, all->count, sizeof(struct rank *));
    for (size_t h = 0, next = 0; h < all->host_count; h++) {
        all->hosts[h].first = next;
        for (size_t i = 0; i < all->count; i++) {
            if (all->all[i].host == h) {
                all->by_host[next++] = &all->all[i];
            }
        }
    }
    for (size_t k = 0; all->count && k < all->all[0].cell_count; k++) {
        const struct rank_cell *c = &all->all[0].cells[k];
        if (c->moment_count && c->moments[0].start < all->base) {
            all->base = c->moments[0].start;
        }
    }
    all->base = all->base == INT64_MAX ? 0 : all->base;
}

void ranks_free(struct ranks *all) {
    for (size_t i = 0; i < all->count; i++) {
        for (size_t k = 0; k < all->all[i].cell_count; k++) {
            free(all->all[i].cells[k].moments);
        }
        free(all->all[i].cells);
        map_free(&all->all[i].by_range);
    }
    free(all->all);
    free(all->by_host);
    free(all->hosts);
    free(all->rows);
    string_table_free(&all->names);
    map_free(&all->ranges);
}

const struct str *rank_short_name(const struct ranks *all, uint32_t range) {
    return string_table_at(&all->names, (uint32_t)*map_find(&all->ranges, range));
}

const struct rank_cell *rank_cell_of(const struct rank *rank, uint32_t range) {
    const uint64_t *at = map_find(&rank->by_range, range);
    return at ? &rank->cells[*at] : NULL;
}

const struct rank_moment *rank_moment_of(const struct rank *rank, uint32_t range,
                                         uint64_t instance) {
    const struct rank_cell *c = rank_cell_of(rank, range);
    bool is_known =
        c && !c->unnumbered && instance % c->stride == 0 && instance / c->stride < c->moment_count;

    return is_known ? &c->moments[instance / c->stride] : NULL;
}
