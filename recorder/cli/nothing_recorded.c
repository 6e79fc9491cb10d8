/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "nothing_recorded.h"
#include "cli.h"
#include "words.h"
#include "../format/environment.h"
#include "../read/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 8 };

/* "default" and the names of the program's domains, each once. Free it. */
static char *domains(const struct recording *r)
{
    uint32_t seen[SHOWN];
    size_t count = 0, size;
    char *list = NULL;
    FILE *out = open_memstream(&list, &size);

    if (!out) {
        return NULL;
    }
    fputs("default", out);
    for (size_t i = 0; i < r->process_count; i++) {
        const struct map *m = &r->processes[i].domains;
        for (size_t k = 0; k < m->room && count < SHOWN; k++) {
            bool new = m->slots[k].taken;
            for (size_t s = 0; s < count && new; s++) {
                new = seen[s] != (uint32_t)m->slots[k].value;
            }
            if (new) {
                seen[count++] = (uint32_t)m->slots[k].value;
                fprintf(out, ", %s", texts_get(&r->texts, seen[count - 1]));
            }
        }
    }
    fputs(count == SHOWN ? ", ..." : "", out);
    fclose(out);
    return list;
}

/* The registered string that is most like a word, or NULL. */
static const char *nearest_registered(const struct recording *r, const char *word)
{
    const char **words = NULL, *found;
    size_t count = 0, room = 0;

    for (size_t i = 0; i < r->process_count; i++) {
        const struct map *m = &r->processes[i].registered;
        for (size_t k = 0; k < m->room; k++) {
            const char *text =
                m->slots[k].taken ? texts_get(&r->texts, (uint32_t)m->slots[k].value) : word;
            if (strcmp(text, word) != 0) {
                ARRAY_ADD(words, count, room);
                words[count++] = text;
            }
        }
    }
    found = count ? words_nearest(word, words, count) : NULL;
    free(words);
    return found;
}

static bool ever_open(const struct recording *r)
{
    for (size_t i = 0; i < r->process_count; i++) {
        const struct process *p = &r->processes[i];
        for (size_t k = 0; k < p->gate_count; k++) {
            if (p->gates[k].open) {
                return true;
            }
        }
    }
    return false;
}

static void no_range(const struct recording *r, const char *range, const char *path, char *known)
{
    char message[256];
    const char *at = strrchr(range, '@');

    snprintf(message, sizeof(message), "%.*s", (int)(at ? at - range : (ptrdiff_t)strlen(range)),
             range);
    const char *meant = nearest_registered(r, message);
    cli_say("nothing is in %s: no range %s began%s%s%s domains of the program: %s", path, range,
            meant ? "; was " : "", meant ? meant : "", meant ? " meant? The" : "; the", known);
}

bool nothing_recorded(const struct recording *r, const char *path)
{
    const char *range = getenv(REC_ENV_CAPTURE);
    const char *delay = getenv(REC_ENV_DELAY);
    const char *include = getenv(REC_ENV_INCLUDE);
    const char *exclude = getenv(REC_ENV_EXCLUDE);
    bool opened = ever_open(r);
    char *known = domains(r);

    if (delay && !opened) {
        cli_say("nothing is in %s: the program ended, or did nothing more, within the --delay of "
                "%s s",
                path, delay);
    } else if (range && !opened) {
        no_range(r, range, path, known);
    } else if (include || exclude) {
        cli_say("nothing is in %s: no event in %s %s; the domains of the program: %s", path,
                include ? "the domains" : "domains other than", include ? include : exclude, known);
    } else {
        free(known);
        return false;
    }
    free(known);
    return true;
}
