/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Work is added up in two passes. The first pass takes operations in the order of their launches,
 * because it then knows which ranges are open at a launch. Busy times need operations in the order
 * of their starts, so the first pass adds the operations to `order`, which sorts them for the
 * second pass. There, an operation's span.place is its gpu_node: the set of rows that count it. */
#include "gpu.h"
#include "../util/memory.h"
#include "filter.h"

#include <stdlib.h>
#include <string.h>

#define NO_TIMES ((struct gpu_times){INT64_MAX, INT64_MIN})

void gpu_unite(struct gpu_union *u, const struct span *span) {
    int64_t from = span->start > u->until ? span->start : u->until;

    if (span->end > from) {
        u->total += (double)(span->end - from);
        u->until = span->end;
    }
}

static uint64_t key_of(enum span_style style, uint32_t domain_name, uint32_t text) {
    return (uint64_t)style << 62 | (uint64_t)domain_name << 31 | text;
}

static uint32_t row_of_key(struct gpu *g, uint64_t key, const struct gpu_row *new) {
    return MAP_INTERN(&g->index, key, g->rows, g->count, g->capacity, *new);
}

/* The row of a range. `outer`: the row of the range around it, or 0. */
static uint32_t row_of_range(struct gpu *g, const struct span *s, uint32_t outer) {
    uint32_t text = string_table_at(&g->source->strings, s->text)->size ? s->text : 0;
    uint64_t key = key_of(s->style, s->domain_name, text);
    struct gpu_row new = {.style = s->style, .domain_name = s->domain_name, .text = text};
    uint32_t row = g->by >= GPU_BY_PATH ? tree_enter(&g->tree, s, outer) : row_of_key(g, key, &new);

    while (g->count < g->tree.count) { /* rows for new nodes: the range's and maybe its thread's */
        *ARRAY_NEW(g->rows, g->count, g->capacity) = new;
    }
    g->rows[row].color = s->has_color ? s->color : g->rows[row].color;
    return row;
}

/* The row of the operations with the name of `s` that were launched in ranges of row `range`. */
static uint32_t row_of_kernel(struct gpu *g, uint32_t range, const struct span *s) {
    const struct gpu_row *r = &g->rows[range];
    /* no key of a range has the style SPAN_COUNTER */
    uint64_t key = (uint64_t)SPAN_COUNTER << 62 | (uint64_t)range << 31 | s->text;
    struct gpu_row new = {.style = r->style,
                          .domain_name = r->domain_name,
                          .text = r->text,
                          .color = r->color,
                          .kernel = s->text};

    return row_of_key(g, key, &new);
}

static uint32_t node_of(struct gpu *g, uint32_t a, uint32_t b) {
    return MAP_INTERN(&g->node_index, (uint64_t)a << 32 | b, g->nodes, g->node_count,
                      g->node_capacity, (struct gpu_node){a, b});
}

static uint32_t join(struct gpu *g, uint32_t a, uint32_t b) {
    return a && b ? node_of(g, a, b) : a | b;
}

/* The node of a row and the row of its thread (0: none). */
static uint32_t node_of_row(struct gpu *g, uint32_t row, uint32_t thread) {
    return join(g, thread ? node_of(g, thread, 0) : 0, node_of(g, row, 0));
}

/* The node of the rows below sets[k]. */
static uint32_t set_of(struct gpu *g, struct gpu_process *p, size_t k) {
    size_t i = k - p->leaves;

    if (k < p->leaves && p->sets[k] == UINT32_MAX) {
        uint32_t a = set_of(g, p, 2 * k), b = set_of(g, p, 2 * k + 1);
        p->sets[k] = join(g, a, b);
    } else if (p->sets[k] == UINT32_MAX) {
        p->sets[k] = i < p->row_count ? node_of_row(g, p->rows[i].row, p->rows[i].thread) : 0;
    }
    return p->sets[k];
}

/* Call it after p->rows[i] has changed. */
static void change_set(struct gpu_process *p, size_t i) {
    if (i >= p->leaves) {
        p->leaves = p->leaves ? 2 * p->leaves : 1;
        p->sets = must_alloc(p->sets, 2 * p->leaves, sizeof(*p->sets));
        memset(p->sets, 0xff, 2 * p->leaves * sizeof(*p->sets));
    }
    for (size_t k = p->leaves + i; k && p->sets[k] != UINT32_MAX; k /= 2) {
        p->sets[k] = UINT32_MAX;
    }
}

static void widen(struct gpu_times *t, struct gpu_times by) {
    t->first = by.first < t->first ? by.first : t->first;
    t->last = by.last > t->last ? by.last : t->last;
}

/* Adds the times of operations to all ranges in `places`, which had started before the launches. */
static void add_times(struct gpu_process *p, struct gpu_times times) {
    for (size_t k = p->count; k-- > 0; k &= k + 1) {
        widen(&p->places[k].times, times);
    }
}

static struct gpu_times times_of_place(const struct gpu_process *p, size_t place) {
    struct gpu_times times = NO_TIMES;

    for (size_t k = place; k < p->count; k |= k + 1) {
        widen(&times, p->places[k].times);
    }
    return times;
}

static void remove_row(struct gpu *g, uint32_t process, size_t i) {
    struct gpu_process *p = &g->processes[process];

    map_remove(&g->open_rows, (uint64_t)process << 32 | p->rows[i].row);
    p->rows[i] = p->rows[--p->row_count];
    if (i < p->row_count) {
        *map_find(&g->open_rows, (uint64_t)process << 32 | p->rows[i].row) = i;
    }
    change_set(p, i);
    change_set(p, p->row_count);
}

/* Removes the row whose ranges have begun first. */
static void remove_oldest_row(struct gpu *g, uint32_t process) {
    struct gpu_process *p = &g->processes[process];
    size_t oldest = 0;

    for (size_t i = 1; i < p->row_count; i++) {
        oldest = p->rows[i].since < p->rows[oldest].since ? i : oldest;
    }
    remove_row(g, process, oldest);
    g->is_crowded |= g->by >= GPU_BY_RANGE;
}

/* Adds an open process range. p->rows has an element for each row with open ranges, so the time of
 * count_in_ranges grows with the number of these rows, not with the number of open ranges. */
static void begin_in_process(struct gpu *g, uint32_t i, uint32_t process) {
    struct gpu_process *p = &g->processes[process];
    const struct gpu_open *o = &g->open[i];
    size_t before = p->row_count;
    uint32_t row = MAP_INTERN(
        &g->open_rows, (uint64_t)process << 32 | o->row, p->rows, p->row_count, p->row_capacity,
        (struct gpu_open_row){.row = o->row, .thread = o->thread, .since = p->begun});

    g->open[i].number = p->begun++;
    p->rows[row].open++;
    if (p->row_count > before) {
        change_set(p, row);
    }
    if (p->row_count > GPU_ROWS) {
        remove_oldest_row(g, process);
    }
    g->open[i].place = p->count;
    *ARRAY_NEW(p->places, p->count, p->capacity) = (struct gpu_place){NO_TIMES, i};
    p->open++;
}

/* Removes the places of ranges that have ended. Each other place gets its times_of_place, which
 * includes the times of later places. So the times of an operation may then be in several places.
 * This does no harm: an operation of a later range belongs to the earlier ranges, too. */
static void close_gaps(struct gpu *g, struct gpu_process *p) {
    size_t kept = 0;

    for (size_t k = 0; k < p->count; k++) {
        if (p->places[k].range) {
            g->open[p->places[k].range].place = kept;
            p->places[kept++] = (struct gpu_place){times_of_place(p, k), p->places[k].range};
        }
    }
    p->count = kept;
}

static void end_in_process(struct gpu *g, const struct gpu_open *o, uint32_t process) {
    struct gpu_process *p = &g->processes[process];
    uint64_t *row = map_find(&g->open_rows, (uint64_t)process << 32 | o->row);

    /* The row may have been removed, and may have come again with a later range. */
    if (row && o->number >= p->rows[*row].since && !--p->rows[*row].open) {
        remove_row(g, process, *row);
    }
    p->open--;
    p->places[o->place].range = 0;
    while (p->count && !p->places[p->count - 1].range) {
        p->count--;
        add_times(p, p->places[p->count].times);
    }
    if (p->count > 2 * p->open) {
        close_gaps(g, p);
    }
}

/* The index in g->open of the innermost open push of a thread; 0: none is open. enter_range cannot
 * use outer->place: if the filter leaves out `outer`, outer->place is that of the push around
 * `outer`. That push may have ended, because ranges of two domains need not nest. */
static uint64_t *innermost(struct gpu *g, const struct source_process *process, uint32_t tid) {
    return map_add(&g->innermost, (uint64_t)process->number << 32 | tid, 0);
}

static uint32_t enter_range(void *arg, const struct span *s, const struct span *outer) {
    struct gpu *g = arg;
    uint32_t i = g->free, above = 0;

    (void)outer;
    if (s->on_gpu) {
        return 0;
    }
    if (i) {
        g->free = g->open[i].next;
    } else {
        ARRAY_ADD(g->open, g->open_count, g->open_capacity);
        i = (uint32_t)g->open_count++;
    }
    if (s->style == SPAN_PUSH_POP) {
        uint64_t *top = innermost(g, s->process, s->tid);
        above = (uint32_t)*top;
        *top = i;
    }
    uint32_t row = row_of_range(g, s, g->open[above].row);
    g->open[above].inner = i;
    g->open[i] = (struct gpu_open){.outer = above, .row = row, .times = NO_TIMES};
    if (above) {
        g->open[i].thread = g->open[above].thread;
    } else if (g->by >= GPU_BY_PATH) {
        g->open[i].thread = g->tree.nodes[row].parent;
    }
    if (s->style == SPAN_START_END) {
        begin_in_process(g, i, s->process->number);
    }
    return i;
}

static void leave_range(struct gpu *g, const struct span *s) {
    struct gpu_open *o = &g->open[s->place];
    struct gpu_row *row = &g->rows[o->row];
    struct span part = *s;

    if (!g->source->filter || filter_cut(g->source->filter, &part)) {
        row->instances++;
        row->total += (double)(part.end - part.start);
        if (g->by >= GPU_BY_PATH && s->style == SPAN_PUSH_POP) {
            tree_count(&g->tree, o->row, &part);
        }
    }
    uint64_t *top = s->style == SPAN_PUSH_POP ? innermost(g, s->process, s->tid) : NULL;
    if (!top) {
        o->times = times_of_place(&g->processes[s->process->number], o->place);
        end_in_process(g, o, s->process->number);
    } else if (*top == s->place) {
        *top = o->outer;
    }
    if (o->times.first <= o->times.last) {
        row->span += (double)(o->times.last - o->times.first);
        span_order_add(
            g->order,
            &(struct span){.start = o->times.first, .end = o->times.last, .place = o->row});
    }
    g->open[o->inner].outer = o->outer; /* `inner` may still be open: see innermost() */
    g->open[o->outer].inner = o->inner;
    o->next = g->free;
    g->free = s->place;
}

static void count_operation(struct gpu *g, uint32_t number, const struct span *s) {
    struct gpu_row *row = &g->rows[number];
    double length = (double)(s->end - s->start);

    if (row->last == g->ops) {
        return;
    }
    row->last = g->ops;
    row->ops++;
    row->sum += length;
    if (g->by < GPU_BY_RANGE) {
        distribution_add(&row->lengths, &g->budget, (uint64_t)(s->end - s->start));
    }
    if (s->payload_type) {
        row->copied += (double)s->payload;
        row->copying += (double)(g->whole->end - g->whole->start);
    }
    if (s->launch > INT64_MIN) {
        int64_t late = g->whole->start - s->launch;
        distribution_add(&row->launch, &g->budget, late > 0 ? (uint64_t)late : 0);
    }
}

/* Counts an operation in the rows `row` and `thread` (0: none). */
static void count_in(struct gpu *g, uint32_t row, uint32_t thread, const struct span *s) {
    count_operation(g, row, s);
    if (thread) {
        count_operation(g, thread, s);
    }
}

/* Counts an operation in the innermost GPU_ROWS pushes around its launch. Returns their node. */
static uint32_t count_in_pushes(struct gpu *g, const struct span *s) {
    uint32_t node = 0, last = 0, count = 0;

    for (uint32_t i = g->around; i; i = g->open[i].outer) {
        if (count++ == GPU_ROWS) {
            g->is_crowded = true;
            break;
        }
        last = i;
        count_in(g, g->open[i].row, g->open[i].thread, s);
        widen(&g->open[i].times, (struct gpu_times){s->start, s->end});
    }
    /* from the outermost inwards, so that nodes are shared by the pushes within it */
    for (uint32_t i = last; i; i = i == g->around ? 0 : g->open[i].inner) {
        node = join(g, node, node_of_row(g, g->open[i].row, node ? 0 : g->open[i].thread));
    }
    return node;
}

/* Counts an operation in all ranges around its launch. Returns the node of their rows. */
static uint32_t count_in_ranges(struct gpu *g, const struct span *s) {
    struct gpu_process *p = &g->processes[s->process->number];
    uint32_t pushes = count_in_pushes(g, s), node = 0;

    if (g->around) {
        tree_count_thread(&g->tree, s->process, s->end_tid);
    }
    if (s->launch > INT64_MIN) {
        add_times(p, (struct gpu_times){s->start, s->end});
        for (size_t k = 0; k < p->row_count; k++) {
            count_in(g, p->rows[k].row, p->rows[k].thread, s);
        }
        node = p->leaves ? set_of(g, p, 1) : 0;
    }
    if (!(node = join(g, node, pushes))) {
        count_operation(g, 0, s);
    }
    return node;
}

/* Counts an operation by its name, or by its name and range. Returns the node of its row. */
static uint32_t count_by_name(struct gpu *g, const struct span *s) {
    const struct gpu_process *p = &g->processes[s->process->number];
    uint32_t range = g->by == GPU_BY_RANGE_AND_KERNEL ? g->around : 0;

    if (g->by == GPU_BY_RANGE_AND_KERNEL && !range && p->count && s->launch > INT64_MIN) {
        range = p->places[p->count - 1].range;
    }
    uint32_t row = row_of_kernel(g, g->open[range].row, s);
    count_operation(g, row, s);
    return node_of(g, row, 0);
}

static void on_span(void *arg, const struct span *span) {
    struct gpu *g = arg;
    struct filter *f = g->source->filter;
    struct span s = *span;

    if (!s.on_gpu && s.place) { /* 0: enter_range was not called for it */
        leave_range(g, span);
    }
    if (s.on_gpu &&
        (!f || (filter_cut(f, &s) && (g->by != GPU_BY_KERNEL || filter_wants(f, g->source, &s))))) {
        g->ops++;
        g->whole = span;
        g->around = s.launch > INT64_MIN ? (uint32_t)*innermost(g, s.process, s.end_tid) : 0;
        s.place = g->by >= GPU_BY_RANGE ? count_in_ranges(g, &s) : count_by_name(g, &s);
        span_order_add(g->order, &s);
    }
}

static void unite_rows(struct gpu *g, uint32_t node, const struct span *s) {
    for (; g->nodes[node].b; node = g->nodes[node].a) {
        unite_rows(g, g->nodes[node].b, s);
    }
    gpu_unite(&g->rows[g->nodes[node].a].busy, s);
}

static void on_span_in_order(void *arg, const struct span *s) {
    struct gpu *g = arg;

    if (!s->on_gpu) {
        gpu_unite(&g->rows[s->place].around, s);
        return;
    }
    gpu_unite(&g->busy, s);
    unite_rows(g, s->place, s);
}

ARRAY_ORDER(by_busy, struct gpu_row,
            ORDER(y->busy.total, x->busy.total) ?: ORDER(x->text, y->text)
            ?: ORDER(x->kernel, y->kernel))

bool gpu_make(struct gpu *g, struct source *source, enum gpu_by by, size_t among,
              struct error *ret_error) {
    *g = (struct gpu){.source = source, .by = by, .budget = DISTRIBUTION_BUDGET / 2 / among};
    if (by >= GPU_BY_PATH) {
        tree_begin(&g->tree, source, by == GPU_BY_MERGED_PATH);
    }
    row_of_key(g, key_of(SPAN_MARK, 0, 0), &(struct gpu_row){.style = SPAN_MARK});
    node_of(g, 0, 0);
    *ARRAY_NEW(g->open, g->open_count, g->open_capacity) = (struct gpu_open){0};
    g->process_count = source->process_count;
    g->processes = must_alloc(NULL, g->process_count, sizeof(*g->processes));
    memset(g->processes, 0, g->process_count * sizeof(*g->processes));
    g->order = span_order_begin();
    source->by_launch = true;
    spans_each(source, on_span, enter_range, g, &g->totals);
    source->by_launch = false;
    g->totals.is_crowded = g->is_crowded;
    bool is_done = span_order_end(g->order, source, on_span_in_order, g, ret_error);
    for (size_t i = 0; i < g->count; i++) {
        distribution_finish(&g->rows[i].launch);
        distribution_finish(&g->rows[i].lengths);
    }
    if (by >= GPU_BY_PATH) {
        g->tree.totals = g->totals;
        for (size_t i = 0; i < g->count; i++) {
            g->tree.nodes[i].seen = g->rows[i].ops > 0;
            g->tree.nodes[i].gpu_busy = g->rows[i].busy.total;
        }
        tree_end(&g->tree);
        return is_done;
    }
    qsort(g->rows + 1, g->count - 1, sizeof(*g->rows), by_busy);
    for (size_t i = 0; i < g->count && by == GPU_BY_RANGE; i++) {
        *map_find(&g->index, key_of(g->rows[i].style, g->rows[i].domain_name, g->rows[i].text)) = i;
    }
    return is_done;
}

const struct gpu_row *gpu_find(const struct gpu *g, enum span_style style, uint32_t domain_name,
                               uint32_t text) {
    const uint64_t *row = map_find(&g->index, key_of(style, domain_name, text));

    return row && *row && g->rows[*row].ops ? &g->rows[*row] : NULL;
}

void gpu_free(struct gpu *g) {
    for (size_t i = 0; i < g->count; i++) {
        distribution_free(&g->rows[i].launch);
        distribution_free(&g->rows[i].lengths);
    }
    free(g->rows);
    free(g->nodes);
    free(g->open);
    for (size_t i = 0; i < g->process_count; i++) {
        free(g->processes[i].places);
        free(g->processes[i].rows);
        free(g->processes[i].sets);
    }
    free(g->processes);
    map_free(&g->open_rows);
    map_free(&g->index);
    map_free(&g->node_index);
    map_free(&g->innermost);
    tree_free(&g->tree);
    *g = (struct gpu){0};
}
