/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "registry.h"
#include "gates.h"
#include "../base/memory.h"

#include <string.h>

static void take_process(struct recording *r, struct process *p, const struct record *rec)
{
    if (rec->size < sizeof(p->info) || p->known) {
        return;
    }
    memcpy(&p->info, rec->body, sizeof(p->info));
    p->info.host[sizeof(p->info.host) - 1] = 0;
    p->source->exe =
        texts_add(&r->source.texts, rec->body + sizeof(p->info), rec->size - sizeof(p->info));
    p->known = true;
}

static void take_identity(struct process *p, const struct record *rec)
{
    struct rec_identity *identity = &p->source->identity;

    if (rec->size >= sizeof(*identity)) {
        memcpy(identity, rec->body, sizeof(*identity));
        identity->job[sizeof(identity->job) - 1] = 0;
    }
}

/* Takes a record of kind REC_EXTENDED. */
static void take_extended(struct recording *r, struct process *p, const struct record *rec)
{
    size_t size = rec->size < sizeof(r->statistics) ? rec->size : sizeof(r->statistics);

    switch (rec->id) {
    case REC_EXTENDED_IDENTITY:
        take_identity(p, rec);
        break;
    case REC_EXTENDED_BOUND:
        if (rec->size >= sizeof(p->bound)) {
            memcpy(&p->bound, rec->body, sizeof(p->bound));
        }
        break;
    case REC_EXTENDED_STATISTICS:
        memcpy(&r->statistics, rec->body, size);
        r->source.is_statistics = true;
        break;
    case REC_EXTENDED_TOOL:
        ARRAY_ADD(p->tools, p->tool_count, p->tool_room);
        p->tools[p->tool_count++] = texts_add(&r->source.texts, rec->body, rec->size);
        break;
    default:
        break;
    }
}

/* The process whose definitions are being read. */
struct loading {
    struct recording *r;
    struct process *p;
};

static void take(void *arg, const struct record *rec)
{
    struct recording *r = ((struct loading *)arg)->r;
    struct process *p = ((struct loading *)arg)->p;
    uint32_t text = 0;

    if (rec->kind >= REC_DOMAIN && rec->kind <= REC_THREAD) {
        text = texts_add(&r->source.texts, rec->body, rec->size);
    }
    switch (rec->kind) {
    case REC_PROCESS:
        take_process(r, p, rec);
        break;
    case REC_EXTENDED:
        take_extended(r, p, rec);
        break;
    case REC_GATE:
        gates_take(p, rec->body, rec->size, rec->id == REC_GATE_OPEN);
        break;
    case REC_TIME:
        time_domains_take(&p->times, rec->id, rec->domain, rec->body, rec->size);
        break;
    case REC_DOMAIN:
        *map_add(&p->source->domains, rec->id, text) = text;
        break;
    case REC_REGISTERED:
        *map_add(&p->registered, rec->id, text) = text;
        break;
    case REC_CATEGORY:
        source_name_add(&p->source->categories, rec->domain, rec->id, text);
        break;
    case REC_THREAD:
        source_name_add(&p->source->threads, 0, rec->id, text);
        break;
    default:
        schemas_take(&p->schemas, &r->source.texts, &p->registered, rec->kind, rec->id, rec->domain,
                     rec->body, rec->size);
        break;
    }
}

void registry_each(struct recording *r, const struct process *p,
                   void (*f)(void *arg, const struct record *rec), void *arg)
{
    struct cursor c = {0};
    struct record rec;
    size_t count = 0;

    while (count < p->chunk_count && r->chunks[p->first_chunk + count].stream == 0) {
        count++;
    }
    cursor_begin(&c, r, p->first_chunk, count);
    while (cursor_next(&c, &rec)) {
        f(arg, &rec);
    }
    cursor_end(&c);
}

/* Makes the processes, without what their streams of definitions say. */
static void make_processes(struct recording *r)
{
    size_t count = 0;

    for (size_t i = 0; i < r->chunk_count; i++) {
        count += i == 0 || r->chunks[i].process != r->chunks[i - 1].process;
    }
    r->processes = must_alloc(NULL, count, sizeof(*r->processes));
    r->source.processes = must_alloc(NULL, count, sizeof(*r->source.processes));
    for (size_t i = 0; i < r->chunk_count; i++) {
        if (i == 0 || r->chunks[i].process != r->chunks[i - 1].process) {
            uint32_t number = (uint32_t)r->source.process_count++;
            r->source.processes[number] = (struct source_process){
                .number = number,
                .identity = {REC_RANK_NONE, REC_RANK_NONE, REC_RANK_NONE, 0, ""},
            };
            r->processes[number] = (struct process){.source = &r->source.processes[number],
                                                    .first_chunk = i,
                                                    .origin = r->chunks[i].origin};
        }
        r->processes[r->source.process_count - 1].chunk_count++;
    }
}

void registry_load(struct recording *r)
{
    struct map pids = {0};
    const char *host = NULL;

    make_processes(r);
    for (size_t i = 0; i < r->source.process_count; i++) {
        struct process *process = &r->processes[i];
        struct source_process *shown = process->source;
        registry_each(r, process, take, &(struct loading){r, process});
        schemas_ready(&process->schemas);
        shown->pid = process->info.pid;
        shown->ppid = process->info.ppid;
        shown->host = process->info.host;
        shown->lacks_beginning = process->info.ring;
        uint64_t *before = map_add(&pids, shown->pid, 0);
        shown->again = (uint32_t)(*before)++;
        if (process->known) {
            host = host ? host : shown->host;
            r->source.hosts_differ |= strcmp(shown->host, host) != 0;
        }
    }
    map_free(&pids);
}
