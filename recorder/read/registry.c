/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "registry.h"
#include "cursor.h"
#include "gates.h"
#include "memory.h"

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

static void take_category(struct process *p, const struct record *rec, uint32_t name)
{
    uint64_t key = (uint64_t)rec->domain << 32 | rec->id;
    uint64_t i = *map_add(&p->category_index, key, p->category_count);

    if (i == p->category_count) {
        ARRAY_ADD(p->categories, p->category_count, p->category_room);
        p->categories[p->category_count++] = (struct category){rec->domain, rec->id, 0};
    }
    p->categories[i].name = name;
}

static void take_thread(struct process *p, const struct record *rec, uint32_t name)
{
    uint64_t i = *map_add(&p->thread_index, rec->id, p->thread_count);

    if (i == p->thread_count) {
        ARRAY_ADD(p->threads, p->thread_count, p->thread_room);
        p->threads[p->thread_count++] = (struct thread_name){rec->id, 0};
    }
    p->threads[i].name = name;
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
        if (rec.kind == REC_GATE) {
            gates_take(p, rec.body, rec.size, rec.id == REC_GATE_OPEN);
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
            take_category(p, &rec, text);
            break;
        case REC_THREAD:
            take_thread(p, &rec, text);
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
    uint64_t *i = map_find(&p->category_index, (uint64_t)domain << 32 | category);
    return i ? p->categories[*i].name : 0;
}

uint32_t registry_thread(const struct process *p, uint32_t tid)
{
    uint64_t *i = map_find(&p->thread_index, tid);
    return i ? p->threads[*i].name : 0;
}
