/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "labels.h"
#include "../base/memory.h"
#include "../read/registry.h"

#include <stdio.h>
#include <string.h>

uint32_t label_pid(const struct process *p)
{
    return p->info.pid + (p->again << 24);
}

const struct text *label_event(const struct recording *r, const struct span *s)
{
    const struct text *text = texts_at(&r->texts, s->text);
    return text->size ? text : &texts_no_message;
}

char *label_process(const struct recording *r, const struct process *p, size_t *ret_size)
{
    const char *exe = texts_get(&r->texts, p->exe), *host = recording_host(r, p);
    char *name = must_alloc(NULL, strlen(exe) + strlen(host) + 32, 1), rank[24] = "";

    if (p->identity.rank != REC_RANK_NONE) {
        sprintf(rank, " rank %u", p->identity.rank);
    }
    *ret_size = (size_t)sprintf(name, "%s%s%s%s", exe, rank, *host ? " on " : "", host);
    return name;
}

char *label_thread(const struct recording *r, const struct process *p, uint32_t tid,
                   size_t *ret_size)
{
    const struct text *name = texts_at(&r->texts, registry_thread(p, tid));
    const char *exe = texts_get(&r->texts, p->exe), *slash = strrchr(exe, '/');
    struct text number = {.bytes = (char[16]){0}}, space = {.bytes = (char *)" "};
    struct text of = {.bytes = (char[RECORDING_PROCESS]){0}}, main = {.bytes = (char *)exe};

    number.size = (size_t)sprintf(number.bytes, "%u", tid);
    if (!name->size && tid == p->info.pid) {
        main.bytes = (char *)(slash ? slash + 1 : exe);
        main.size = strlen(main.bytes);
        name = &main;
    }
    space.size = name->size ? 1 : 0;
    recording_process(r, p, label_pid(p), of.bytes);
    of.size = strlen(of.bytes);
    return texts_join((const struct text *const[]){&number, &space, name, &of}, 4, ret_size);
}

char *label_range(const struct recording *r, uint32_t domain_name, uint32_t text, size_t *ret_size)
{
    const struct text *message = texts_at(&r->texts, text);
    struct text colon = {.bytes = (char *)":", .size = domain_name ? 1 : 0};

    message = message->size ? message : &texts_no_message;
    return texts_join(
        (const struct text *const[]){texts_at(&r->texts, domain_name), &colon, message}, 3,
        ret_size);
}

const char *label_category(const struct recording *r, const struct span *s)
{
    return texts_get(&r->texts, registry_category(s->process, s->domain, s->category));
}
