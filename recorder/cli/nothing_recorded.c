/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "record.h"
#include "cli.h"
#include "../base/memory.h"
#include "../elf/image.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Whether the recorder uses musl: it is built with the same C library as this program. */
#ifdef __GLIBC__
#define IS_MUSL false
#else
#define IS_MUSL true
#endif

enum { SHOWN = 8 }; /* how many domains a message names at most */

/* A list for messages: "default" and the names of the program's domains, each once. Free it. */
static char *domains(const struct recording *r) {
    uint32_t seen[SHOWN];
    size_t count = 0, size;
    char *list = NULL;
    FILE *out = must_open_text(&list, &size);

    fputs("default", out);
    for (size_t i = 0; i < r->source.process_count; i++) {
        const struct map *m = &r->processes[i].source->domains;
        for (size_t k = 0; k < m->room && count < SHOWN; k++) {
            bool new = m->slots[k].taken;
            for (size_t s = 0; s < count && new; s++) {
                new = seen[s] != (uint32_t)m->slots[k].value;
            }
            if (new) {
                seen[count++] = (uint32_t)m->slots[k].value;
                fprintf(out, ", %s", texts_get(&r->source.texts, seen[count - 1]));
            }
        }
    }
    fputs(count == SHOWN ? ", ..." : "", out);
    must_close_text(out, &list);
    return list;
}

/* The registered string that is most like `word` without being equal, or NULL. */
static const char *nearest_registered(const struct recording *r, const char *word) {
    const char **words = NULL, *found;
    size_t count = 0, room = 0;

    for (size_t i = 0; i < r->source.process_count; i++) {
        const struct map *m = &r->processes[i].registered;
        for (size_t k = 0; k < m->room; k++) {
            const char *text =
                m->slots[k].taken ? texts_get(&r->source.texts, (uint32_t)m->slots[k].value) : word;
            if (strcmp(text, word) != 0) {
                *ARRAY_NEW(words, count, room) = text;
            }
        }
    }
    found = count ? words_nearest(word, words, count) : NULL;
    free(words);
    return found;
}

/* Why a program cannot load the recorder, as far as its file shows; NULL: no reason was found. */
static const char *obstacle(const char *program) {
    struct error error;
    char path[PATH_MAX];
    struct image image;
    struct stat st;

    if (!search_program(program, path) || stat(path, &st) != 0) {
        return NULL;
    }
    if (st.st_mode & (S_ISUID | S_ISGID)) {
        return "it is set-user-ID or set-group-ID";
    }
    if (!image_open(&image, path, &error)) {
        return NULL;
    }
    bool musl = image.interpreter && image_is_musl(&image),
         same = !image.interpreter || musl == IS_MUSL;
    image_close(&image);
    return same   ? NULL
           : musl ? "it is linked with musl, the recorder with glibc"
                  : "it is linked with glibc, the recorder with musl";
}

void nothing_loaded(const char *program, const char *path, const char *ended) {
    const char *why = obstacle(program);

    if (why) {
        cli_say("%s%s cannot load the recorder: %s; %s is empty", ended, program, why, path);
    } else if (*ended) {
        cli_say("%s%s made no NVTX call before that, %s is empty", ended, program, path);
    } else {
        char *quoted = words_quoted(program);
        cli_say("%s made no NVTX call that reached the recorder, %s is empty; nvtxh doctor -- %s "
                "looks for the reason",
                program, path, quoted);
        free(quoted);
    }
}

static bool ever_open(const struct recording *r) {
    for (size_t i = 0; i < r->source.process_count; i++) {
        const struct process *p = &r->processes[i];
        for (size_t k = 0; k < p->gate_count; k++) {
            if (p->gates[k].open) {
                return true;
            }
        }
    }
    return false;
}

static void no_range(const struct recording *r, const char *range, const char *path, char *known) {
    char message[256];
    const char *at = strrchr(range, '@');

    snprintf(message, sizeof(message), "%.*s", (int)(at ? at - range : (ptrdiff_t)strlen(range)),
             range);
    const char *meant = nearest_registered(r, message);
    cli_say("nothing is in %s: no range %s began%s%s%s domains of the program: %s", path, range,
            meant ? "; was " : "", meant ? meant : "", meant ? " meant? The" : "; the", known);
}

bool nothing_recorded(const struct recording *r, const char *path, const struct record_options *o) {
    const char *range = o->settings[RECORD_CAPTURE].text;
    const struct record_setting *delay = &o->settings[RECORD_DELAY];
    const char *include = o->settings[RECORD_INCLUDE].text,
               *exclude = o->settings[RECORD_EXCLUDE].text;
    bool opened = ever_open(r);
    char *known = domains(r);

    if (r->header.control.pauses & 1 && !opened) {
        char *file = words_file(path);
        cli_say("nothing is in %s: it was paused, and nvtxh resume %s was not run", path, file);
        free(file);
    } else if (delay->text && !opened) {
        cli_say(
            "nothing is in %s: the program ended, or did nothing more, within the --delay of %g s",
            path, (double)delay->number / 1e9);
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
