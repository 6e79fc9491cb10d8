/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "labels.h"
#include "../read/memory.h"
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
    char *name = must_alloc(NULL, strlen(exe) + strlen(host) + 5, 1);

    *ret_size = (size_t)sprintf(name, "%s%s%s", exe, *host ? " on " : "", host);
    return name;
}

const char *label_category(const struct recording *r, const struct span *s)
{
    return texts_get(&r->texts, registry_category(s->process, s->domain, s->category));
}
