/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "source.h"
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
    const char *exe = string_table_get(&s->strings, p->exe), *slash = strrchr(exe, '/');
    return slash ? slash + 1 : exe;
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

enum { PROCESS_LABEL = 128 };

/* " of process 4711 of rank 3 on node7"; "" for the only process. */
static void label_of_process(const struct source *s, const struct source_process *p, uint32_t pid,
                             char ret[PROCESS_LABEL]) {
    const char *host = source_host(s, p);
    char rank[32] = "";

    ret[0] = 0;
    if (s->process_count > 1) {
        if (p->identity.rank != REC_RANK_NONE) {
            snprintf(rank, sizeof(rank), " of rank %u", p->identity.rank);
        }
        snprintf(ret, PROCESS_LABEL, " of process %u%s%s%s", pid, rank, *host ? " on " : "", host);
    }
}

char *source_thread_label(const struct source *s, const struct source_process *p, uint32_t tid,
                          uint32_t pid, bool program, bool name_last, size_t *ret_size) {
    const struct str *name = string_table_at(&s->strings, source_thread(p, tid));
    struct str number = {.bytes = (char[16]){0}}, space = {.bytes = (char *)" "};
    struct str of = {.bytes = (char[PROCESS_LABEL]){0}}, main;
    bool is_lane = tid >= SOURCE_LANES;

    number.size = is_lane ? 0 : (size_t)sprintf(number.bytes, "%u", tid);
    if (!name->size && program && tid == p->pid) {
        main.bytes = (char *)source_program(s, p);
        main.size = strlen(main.bytes);
        name = &main;
    }
    space.size = name->size && number.size;
    label_of_process(s, p, pid, of.bytes);
    of.size = strlen(of.bytes);
    return name_last && !is_lane
               ? str_join((const struct str *const[]){&number, &of, &space, name}, 4, ret_size)
               : str_join((const struct str *const[]){&number, &space, name, &of}, 4, ret_size);
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
    string_table_free(&s->strings);
}
