/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "registry.h"
#include "cursor.h"
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
    p->exe = texts_add(&r->texts, rec->body + sizeof(p->info), rec->size - sizeof(p->info));
    p->known = true;
}

static void take_identity(struct process *p, const struct record *rec)
{
    if (rec->size >= sizeof(p->identity)) {
        memcpy(&p->identity, rec->body, sizeof(p->identity));
        p->identity.job[sizeof(p->identity.job) - 1] = 0;
    }
}

static uint64_t key_of(uint32_t domain, uint32_t id)
{
    return (uint64_t)domain << 32 | id;
}

static void take_name(struct named_ids *n, uint32_t domain, uint32_t id, uint32_t name)
{
    uint64_t i = *map_add(&n->index, key_of(domain, id), n->count);

    if (i == n->count) {
        ARRAY_ADD(n->all, n->count, n->room);
        n->all[n->count++] = (struct named_id){domain, id, 0};
    }
    n->all[i].name = name;
}

static uint32_t name_of(const struct named_ids *n, uint32_t domain, uint32_t id)
{
    uint64_t *i = map_find(&n->index, key_of(domain, id));
    return i ? n->all[*i].name : 0;
}

void registry_load(struct recording *r, struct process *p)
{
    struct cursor c = {0};
    struct record rec;
    size_t count = 0;

    while (count < p->chunk_count && r->chunks[p->first_chunk + count].stream == 0) {
        count++;
    }
    cursor_begin(&c, r, p->first_chunk, count);
    while (cursor_next(&c, &rec)) {
        if (rec.kind == REC_PROCESS) {
            take_process(r, p, &rec);
        }
        if (rec.kind == REC_EXTENDED && rec.id == REC_EXTENDED_IDENTITY) {
            take_identity(p, &rec);
        }
        if (rec.kind == REC_EXTENDED && rec.id == REC_EXTENDED_BOUND &&
            rec.size >= sizeof(p->bound)) {
            memcpy(&p->bound, rec.body, sizeof(p->bound));
        }
        if (rec.kind == REC_EXTENDED && rec.id == REC_EXTENDED_STATISTICS) {
            size_t size = rec.size < sizeof(r->statistics) ? rec.size : sizeof(r->statistics);
            memcpy(&r->statistics, rec.body, size);
            r->is_statistics = true;
        }
        if (rec.kind == REC_GATE) {
            gates_take(p, rec.body, rec.size, rec.id == REC_GATE_OPEN);
        }
        if (rec.kind == REC_TIME) {
            time_domains_take(&p->times, rec.id, rec.domain, rec.body, rec.size);
        }
        if (rec.kind == REC_EXTENDED && rec.id == REC_EXTENDED_TOOL) {
            ARRAY_ADD(p->tools, p->tool_count, p->tool_room);
            p->tools[p->tool_count++] = texts_add(&r->texts, rec.body, rec.size);
        }
        schemas_take(&p->schemas, &r->texts, &p->registered, rec.kind, rec.id, rec.domain, rec.body,
                     rec.size);
        if (rec.kind < REC_DOMAIN || rec.kind > REC_THREAD) {
            continue;
        }
        uint32_t text = texts_add(&r->texts, rec.body, rec.size);
        switch (rec.kind) {
        case REC_DOMAIN:
            *map_add(&p->domains, rec.id, text) = text;
            break;
        case REC_REGISTERED:
            *map_add(&p->registered, rec.id, text) = text;
            break;
        case REC_CATEGORY:
            take_name(&p->categories, rec.domain, rec.id, text);
            break;
        case REC_THREAD:
            take_name(&p->threads, 0, rec.id, text);
            break;
        default:
            break;
        }
    }
    cursor_end(&c);
}

uint32_t registry_domain(const struct process *p, uint32_t domain)
{
    uint64_t *name = domain ? map_find(&p->domains, domain) : NULL;
    return name ? (uint32_t)*name : 0;
}

uint32_t registry_category(const struct process *p, uint32_t domain, uint32_t category)
{
    return name_of(&p->categories, domain, category);
}

uint32_t registry_thread(const struct process *p, uint32_t tid)
{
    return name_of(&p->threads, 0, tid);
}
