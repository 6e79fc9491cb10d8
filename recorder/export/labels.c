/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "export.h"
#include "../read/registry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

uint32_t process_shown(const struct process *p)
{
    return p->info.pid + (p->again << 24);
}

const struct text *event_name(const struct recording *r, const struct span *s)
{
    const struct text *text = s->text ? &r->texts.all[s->text] : NULL;
    return text && text->size ? text : &texts_no_message;
}

char *process_name(const struct recording *r, const struct process *p, size_t *ret_size)
{
    const char *exe = texts_get(&r->texts, p->exe), *host = recording_host(r, p);
    char *name = must_alloc(NULL, strlen(exe) + strlen(host) + 5, 1);

    *ret_size = (size_t)sprintf(name, "%s%s%s", exe, *host ? " on " : "", host);
    return name;
}

bool export_failed(char *ret_error, size_t error_size)
{
    snprintf(ret_error, error_size, "no room for sorting in %s: %s",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/var/tmp", strerror(errno));
    return false;
}

const char *category_name(const struct recording *r, const struct span *s)
{
    return texts_get(&r->texts, registry_category(s->process, s->domain, s->category));
}
