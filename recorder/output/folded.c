/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Folded stacks, as flamegraph.pl and inferno read them. Each path of nested ranges is a line: the
 * thread and the ranges, outermost first, separated by semicolons; then a space and the ns in which
 * the last range of the path was the innermost open range. */
#include "export.h"
#include "../analysis/name.h"
#include "../util/memory.h"
#include "quote.h"
#include "../analysis/tree.h"

#include <stdlib.h>

enum {
    LEVELS = 1000, /* the self time of deeper ranges is added to the range at this level */
    LONGEST = 1000 /* at most so many bytes of a name are written */
};

struct folding {
    const struct tree *tree;
    FILE *out;
    char *path;
    size_t size, capacity;
    size_t ends[LEVELS + 1]; /* by level: the size of `path` down to this level, in bytes */
    double self;             /* the self time of `path`, which is not written yet; ns */
};

static void put_character(struct folding *f, char c) {
    *ARRAY_NEW(f->path, f->size, f->capacity) = c;
}

/* Appends a name to the path. Replaces semicolons, control characters and bytes that are not UTF-8,
 * because semicolons and ends of lines have a meaning in the format. */
static void put_name(struct folding *f, const char *name, size_t size) {
    for (size_t i = 0, n; i < size; i += n ? n : 1) {
        unsigned char c = (unsigned char)name[i];
        n = utf8_character(name + i, size - i);
        const char *as = n == 0                  ? "\xef\xbf\xbd"
                         : c == ';'              ? ":"
                         : c < 0x20 || c == 0x7f ? " "
                                                 : NULL;
        if (i >= LONGEST) {
            as = "...";
            i = n = size;
        }
        for (size_t k = 0; as ? as[k] != 0 : k < n; k++) {
            put_character(f, as ? as[k] : name[i + k]);
        }
    }
}

static void write_line(struct folding *f) {
    if (f->self > 0) {
        fprintf(f->out, "%.*s %.0f\n", (int)f->size, f->path, f->self);
    }
    f->self = 0;
}

static bool visit_node(void *arg, const struct tree_node *node) {
    struct folding *f = arg;
    const struct source *source = f->tree->source;
    size_t size;

    if (node->level > LEVELS) {
        f->self += node->self;
        return true;
    }
    write_line(f);
    char *name = node->level
                     ? name_of_range(source, node->domain_name, node->text, !node->text, &size)
                     : name_of_thread(source, node->process, node->tid, name_pid(node->process),
                                      true, false, &size);
    f->size = node->level ? f->ends[node->level - 1] : 0;
    if (node->level) {
        put_character(f, ';');
    }
    put_name(f, name, size);
    f->ends[node->level] = f->size;
    f->self = node->level ? node->self : 0;
    free(name);
    return true;
}

bool export_folded(const struct export_job *job, struct error *ret_error) {
    struct tree tree;
    struct folding f = {.tree = &tree, .out = job->out};

    tree_make(&tree, job->source, false);
    tree_walk(&tree, visit_node, &f);
    write_line(&f);
    free(f.path);
    tree_free(&tree);
    return source_was_read(job->source, ret_error);
}
