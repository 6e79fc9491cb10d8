/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "export.h"
#include "../util/memory.h"

#include <string.h>

uint32_t label_pid(const struct source_process *p) {
    return p->pid + (p->again << 24);
}

const struct str *label_event(const struct source *source, const struct span *s) {
    const struct str *text = string_table_at(&source->strings, s->text);
    return text->size ? text : &str_no_message;
}

char *label_process(const struct source *source, const struct source_process *p, size_t *ret_size) {
    const char *exe = string_table_get(&source->strings, p->exe), *host = source_host(source, p);
    char *name = must_alloc(NULL, strlen(exe) + strlen(host) + 32, 1), rank[24] = "";

    if (p->identity.rank != REC_RANK_NONE) {
        sprintf(rank, " rank %u", p->identity.rank);
    }
    *ret_size = (size_t)sprintf(name, "%s%s%s%s", exe, rank, *host ? " on " : "", host);
    return name;
}

const char *label_category(const struct source *source, const struct span *s) {
    return string_table_get(&source->strings, source_category(s->process, s->domain, s->category));
}
