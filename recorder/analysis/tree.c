/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tree.h"
#include "name.h"
#include "../util/memory.h"

#include <stdlib.h>

static uint32_t child(struct tree *t, uint32_t parent, uint64_t name, struct tree_node node) {
    node.parent = parent;
    return MAP_INTERN(&t->index, (uint64_t)parent << 32 | name, t->nodes, t->count, t->capacity,
                      node);
}

/* Finds or adds the entry of a thread in tree.threads. */
static uint64_t *entry_of(struct tree *t, const struct source_process *p, uint32_t tid) {
    uint64_t thread = (uint64_t)p->number << 32 | tid, key = UINT64_C(1) << 63 | thread;
    uint64_t *known = map_find(&t->threads, thread);
    struct tree_node node = {.process = p, .tid = tid};

    if (known) {
        return known;
    }
    if (t->merged) {
        node.text = name_shared(t->source, p, tid);
        key = UINT64_C(3) << 62 | (uint64_t)p->exe << 31 | node.text;
    }
    uint64_t name = *map_add(&t->names, key, t->names.count + 1);
    return map_add(&t->threads, thread, (uint64_t)child(t, 0, name, node) << 1);
}

uint32_t tree_enter(struct tree *t, const struct span *s, uint32_t outer) {
    uint32_t parent = outer ? outer
                      : s->style == SPAN_START_END
                          ? child(t, 0, 0, (struct tree_node){0})
                          : (uint32_t)(*entry_of(t, s->process, s->tid) >> 1);
    uint32_t text = string_table_at(&t->source->strings, s->text)->size ? s->text : 0;
    uint64_t key = (uint64_t)s->domain_name << 32 | text;
    uint64_t name = *map_add(&t->names, key, t->names.count + 1);

    return child(t, parent, name,
                 (struct tree_node){.level = t->nodes[parent].level + 1,
                                    .domain_name = s->domain_name,
                                    .text = text});
}

void tree_count(struct tree *t, uint32_t number, const struct span *s) {
    struct tree_node *node = &t->nodes[number];

    node->instances++;
    spans_add_off(&node->off, node->total, s);
    node->color = s->has_color ? s->color : node->color;
    node->total += (double)(s->end - s->start);
    node->self += (double)s->self;
    node->busy += (double)s->busy;
    tree_count_thread(t, s->process, s->tid);
}

void tree_count_thread(struct tree *t, const struct source_process *p, uint32_t tid) {
    uint64_t *thread = t->merged ? entry_of(t, p, tid) : NULL;

    if (thread && !(*thread & 1)) {
        struct tree_node *node = &t->nodes[*thread >> 1];
        node->process = p;
        node->tid = tid;
        node->threads++;
        *thread |= 1;
    }
}

static uint32_t enter_node(void *arg, const struct span *s, const struct span *outer) {
    return tree_enter(arg, s, outer ? outer->place : 0);
}

static void leave_node(void *arg, const struct span *s) {
    struct tree *t = arg;

    if (s->style == SPAN_PUSH_POP) {
        t->nodes[s->place].seen = true;
        tree_count(t, s->place, s);
    }
}

/* For each thread, adds up the instances of its outermost ranges, and sets its total to the sum of
 * the busy times of all its ranges. Sets `seen` of all nodes above a node that is `seen`. */
static void add_up(struct tree *t) {
    for (uint32_t i = (uint32_t)t->count - 1; i > 0; i--) { /* children have higher numbers */
        struct tree_node *node = &t->nodes[i], *above = &t->nodes[node->parent];
        above->seen |= node->seen;
        above->instances += node->level == 1 ? node->instances : 0;
        above->busy += node->busy;
        node->total = node->level ? node->total : node->busy;
    }
    t->busy = t->nodes[0].busy;
}

static const struct tree *sorted; /* for by_parent, to which qsort passes no argument */

static int by_parent(const void *a, const void *b) {
    const struct tree_node *x = &sorted->nodes[*(const uint32_t *)a],
                           *y = &sorted->nodes[*(const uint32_t *)b];

    return ORDERS(ORDER(x->parent, y->parent) ?: ORDER(y->gpu_busy, x->gpu_busy)
                  ?: ORDER(y->total, x->total)
                  ?: ORDER(*(const uint32_t *)a, *(const uint32_t *)b));
}

void tree_begin(struct tree *t, struct source *source, bool merged) {
    *t = (struct tree){.source = source, .merged = merged};
    *ARRAY_NEW(t->nodes, t->count, t->capacity) = (struct tree_node){0};
}

void tree_end(struct tree *t) {
    t->order = must_alloc(NULL, t->count, sizeof(*t->order));
    for (uint32_t i = 0; i < t->count; i++) {
        t->order[i] = i;
    }
    add_up(t);
    sorted = t;
    qsort(t->order + 1, t->count - 1, sizeof(*t->order), by_parent);
    for (uint32_t i = 1; i < t->count; i++) {
        struct tree_node *parent = &t->nodes[t->nodes[t->order[i]].parent];
        parent->first = parent->children++ ? parent->first : i;
    }
}

void tree_make(struct tree *t, struct source *source, bool merged) {
    tree_begin(t, source, merged);
    spans_each(source, leave_node, enter_node, t, &t->totals);
    tree_end(t);
}

void tree_walk(const struct tree *t, bool (*f)(void *, const struct tree_node *), void *arg) {
    /* For each level: which children are still to visit. Nesting may be too deep for recursion. */
    struct level {
        uint32_t next, end;
    } *levels = NULL;
    size_t depth = 0, capacity = 0;
    const struct tree_node *node = &t->nodes[0];
    bool inside = true;

    do {
        if (inside && node->children) {
            *ARRAY_NEW(levels, depth, capacity) =
                (struct level){node->first, node->first + node->children};
        }
        while (depth && levels[depth - 1].next == levels[depth - 1].end) {
            depth--;
        }
        if (depth) {
            node = &t->nodes[t->order[levels[depth - 1].next++]];
            inside = node->seen && f(arg, node);
        }
    } while (depth);
    free(levels);
}

void tree_free(struct tree *t) {
    for (size_t i = 0; i < t->count; i++) {
        free(t->nodes[i].off);
    }
    free(t->nodes);
    free(t->order);
    map_free(&t->names);
    map_free(&t->index);
    map_free(&t->threads);
    *t = (struct tree){0};
}

void tree_count_names(const struct tree *t, struct fold *f) {
    for (size_t i = 0; i < t->count; i++) {
        const struct tree_node *node = &t->nodes[i];
        if (node->level) {
            fold_count(f, t->source, node->domain_name, node->text, node->instances);
        }
    }
}
