/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "source.h"
#include "../format/create.h"
#include "../util/memory.h"

#include <stdlib.h>
#include <string.h>

void source_name_add(struct source_names *n, uint32_t domain, uint32_t id, uint32_t name) {
    uint32_t i = MAP_INTERN(&n->index, (uint64_t)domain << 32 | id, n->all, n->count, n->capacity,
                            (struct source_name){.domain = domain, .id = id});
    n->all[i].name = name;
}

static uint32_t name_of_id(const struct source_names *n, uint32_t domain, uint32_t id) {
    uint64_t *i = map_find(&n->index, (uint64_t)domain << 32 | id);
    return i ? n->all[*i].name : 0;
}

uint32_t source_domain(const struct source_process *p, uint32_t domain) {
    uint64_t *name = domain ? map_find(&p->domains, domain) : NULL;
    return name ? (uint32_t)*name : 0;
}

uint32_t source_category(const struct source_process *p, uint32_t domain, uint32_t category) {
    return name_of_id(&p->categories, domain, category);
}

const char *source_program(const struct source *s, const struct source_process *p) {
    return path_base(string_table_get(&s->strings, p->exe));
}

uint32_t source_thread(const struct source_process *p, uint32_t tid) {
    return name_of_id(&p->threads, 0, tid);
}

const char *source_host(const struct source *s, const struct source_process *p) {
    return s->hosts_differ ? p->host : "";
}

bool source_has_ranks(const struct source *s) {
    for (size_t i = 0; i < s->process_count; i++) {
        if (s->processes[i].identity.rank != REC_RANK_NONE) {
            return true;
        }
    }
    return false;
}

bool source_has_switches(const struct source *s) {
    size_t i = 0;

    while (i < s->process_count && !s->processes[i].switches) {
        i++;
    }
    return i < s->process_count;
}

bool source_was_read(const struct source *s, struct error *ret_error) {
    return !s->error || error_set(ret_error, "cannot read the recording: %s", strerror(s->error));
}

void source_free(struct source *s) {
    for (size_t i = 0; i < s->process_count; i++) {
        struct source_process *p = &s->processes[i];
        map_free(&p->domains);
        map_free(&p->categories.index);
        map_free(&p->threads.index);
        free(p->categories.all);
        free(p->threads.all);
    }
    free(s->processes);
    map_free(&s->folded);
    string_table_free(&s->strings);
}
