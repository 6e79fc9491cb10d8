/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "record.h"
#include "cli.h"
#include "../util/memory.h"
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
        struct map_slot *all = map_sorted(m);
        for (size_t k = 0; k < m->count && count < SHOWN; k++) {
            bool new = true;
            for (size_t s = 0; s < count && new; s++) {
                new = seen[s] != (uint32_t)all[k].value;
            }
            if (new) {
                seen[count++] = (uint32_t)all[k].value;
                fprintf(out, ", %s", string_table_get(&r->source.strings, seen[count - 1]));
            }
        }
        free(all);
    }
    fputs(count == SHOWN ? ", ..." : "", out);
    must_close_text(out, &list);
    return list;
}

/* The registered string that is most like `word` without being equal, or NULL. */
static const char *nearest_registered(const struct recording *r, const char *word) {
    const char **words = NULL, *found;
    size_t count = 0, capacity = 0;

    for (size_t i = 0; i < r->source.process_count; i++) {
        const struct map *m = &r->processes[i].registered;
        struct map_slot *all = map_sorted(m);
        for (size_t k = 0; k < m->count; k++) {
            const char *text = string_table_get(&r->source.strings, (uint32_t)all[k].value);
            if (strcmp(text, word) != 0) {
                *ARRAY_NEW(words, count, capacity) = text;
            }
        }
        free(all);
    }
    found = count ? text_nearest(word, words, count) : NULL;
    free(words);
    return found;
}

char *off_switch(size_t i) {
    static const struct {
        const char *name, *what;
    } all[OFF_SWITCHES] = {
        {"NVTXH_DISABLE", "all annotations made with nvtxh"},
        {"NVTX_DISABLE", "all annotations made with nvtxh or Python's nvtx"},
        {"NVTXH_DOMAIN_INCLUDE", "annotations made with nvtxh that are not in these domains"},
        {"NVTXH_DOMAIN_EXCLUDE", "annotations made with nvtxh that are in these domains"}};
    const char *value = getenv(all[i].name), *before = i == 3 ? getenv(all[2].name) : NULL;

    if (!value || !*value || (before && *before)) { /* EXCLUDE does nothing beside INCLUDE */
        return NULL;
    }
    return must_print("%s is %.100s, which switches off %s", all[i].name, value, all[i].what);
}

/* The text of the first variable that switches annotations off; NULL: none does. Free it. */
static char *first_off_switch(void) {
    char *said = NULL;

    for (size_t i = 0; i < OFF_SWITCHES && !said; i++) {
        said = off_switch(i);
    }
    return said;
}

/* What a program's file shows. */
struct look {
    const char *obstacle; /* why the program cannot load the recorder; NULL: no reason was found */
    bool is_known;        /* the file could be read */
    bool has_hooks;       /* it was compiled with -finstrument-functions */
};

static struct look look_at(const char *program) {
    struct look l = {0};
    struct error error;
    char path[PATH_MAX];
    struct image image;
    struct stat st;

    if (!search_program(program, path) || stat(path, &st) != 0) {
        return l;
    }
    if (st.st_mode & (S_ISUID | S_ISGID)) {
        l.obstacle = "it is set-user-ID or set-group-ID";
    } else if (image_open(&image, path, &error)) {
        bool musl = image.interpreter && image_is_musl(&image);
        l.is_known = true;
        l.has_hooks = image_symbols(&image).hooks;
        l.obstacle = !image.interpreter || musl == IS_MUSL ? NULL
                     : musl ? "it is linked with musl, the recorder with glibc"
                            : "it is linked with glibc, the recorder with musl";
        image_close(&image);
    }
    return l;
}

char *nothing_because(const char *program, const char *ended, bool functions) {
    char *off = first_off_switch(), *quoted = shell_quoted(program);
    struct look l = look_at(program);
    bool lacks_hooks = functions && l.is_known && !l.has_hooks;
    char *text =
        off           ? must_print(": %s", off)
        : lacks_hooks ? must_print(": %s was not built with -finstrument-functions", program)
        : functions && !l.is_known ? must_print(": was it built with -finstrument-functions?")
        : *ended                   ? must_print("%s", "")
                                   : must_print("; to find out why: nvtxh doctor -- %s", quoted);

    free(quoted);
    free(off);
    return text;
}

void nothing_loaded(const char *program, const char *path, const char *ended, bool functions) {
    const char *why = look_at(program).obstacle;

    if (why) {
        cli_say("%s%s cannot load the recorder: %s; %s is empty", ended, program, why, path);
        return;
    }
    char *because = nothing_because(program, ended, functions);
    cli_say("%s%s made no NVTX call %s, %s is empty%s", ended, program,
            *ended ? "before that" : "that reached the recorder", path, because);
    free(because);
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
    const struct record_setting *from = &o->settings[RECORD_FROM];
    const char *include = o->settings[RECORD_INCLUDE].text,
               *exclude = o->settings[RECORD_EXCLUDE].text;
    bool opened = ever_open(r), has_reason = true;
    char *known = domains(r), *off = first_off_switch();

    if (r->header.control.pauses.count & 1 && !opened) {
        char *file = shell_file(path);
        cli_say("nothing is in %s: it was paused, and nvtxh resume %s was not run", path, file);
        free(file);
    } else if (from->text && !opened) {
        cli_say("nothing is in %s: the program ended, or did nothing more, before --from %g s",
                path, (double)from->number / 1e9);
    } else if (range && !opened) {
        no_range(r, range, path, known);
    } else if (include || exclude) {
        cli_say("nothing is in %s: no event in %s %s; the domains of the program: %s", path,
                include ? "the domains" : "domains other than", include ? include : exclude, known);
    } else if (off) {
        cli_say("nothing is in %s: %s", path, off);
    } else {
        has_reason = false;
    }
    free(known);
    free(off);
    return has_reason;
}
