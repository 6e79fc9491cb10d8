/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define NVTXH_NO_IMPL /* only the layout of struct nvtxh_i_site is needed */
#include "image.h"
#include "../../nvtxh/core/site.h"
#include "../util/memory.h"

#include <stdlib.h>
#include <string.h>

#define SITE sizeof(struct nvtxh_i_site)
#define BYTES_MOST (64u << 20) /* bytes of the strings of all sites together */
#define FLAGS                                                                                      \
    (NVTXH_I_SITE_AUTO_COLOR | NVTXH_I_SITE_HOME | NVTXH_I_SITE_OWN | NVTXH_I_SITE_UNCOUNTED)
#define OWN (SITE + sizeof(struct nvtxh_i_slot *)) /* the size of struct nvtxh_i_site_own */

static const char *kind_of(unsigned kind) {
    static const char *const kinds[] = {NULL, "scope", "mark", "push", "range"};

    kind &= ~(unsigned)NVTXH_I_KIND_FORMAT;
    return kind < sizeof(kinds) / sizeof(kinds[0]) ? kinds[kind] : NULL;
}

/* Reads the record of an annotation at an address. False: there is none. */
static bool site_at(const struct image *image, uint64_t address, struct site *ret,
                    unsigned *flags) {
    uint64_t message, file, function, domain, last, name;

    if (!image_word(image, address + offsetof(struct nvtxh_i_site, message), &message) ||
        !image_word(image, address + offsetof(struct nvtxh_i_site, file), &file) ||
        !image_word(image, address + offsetof(struct nvtxh_i_site, function), &function) ||
        !image_word(image, address + offsetof(struct nvtxh_i_site, domain), &domain) ||
        !image_word(image, address + offsetof(struct nvtxh_i_site, line), &last)) {
        return false;
    }
    unsigned kind = (unsigned)(last >> 32 & 0xffff);
    *flags = (unsigned)(last >> 48);
    *ret = (struct site){.message = message ? image_text(image, message) : NULL,
                         .file = file ? image_text(image, file) : NULL,
                         .function = function ? image_text(image, function) : NULL,
                         .line = (uint32_t)last,
                         .kind = kind_of(kind),
                         .is_format = kind & NVTXH_I_KIND_FORMAT,
                         .elsewhere = !(*flags & NVTXH_I_SITE_HOME)};
    if (domain && image_word(image, domain, &name)) { /* the domain's first member is its name */
        ret->domain = image_text(image, name);
    }
    return ret->file && ret->function && ret->kind && ret->line && !(*flags & ~(unsigned)FLAGS) &&
           (!message || ret->message) && (!domain || ret->domain);
}

static size_t length(const char *text) {
    return text ? strlen(text) : 0;
}

static void add_site(struct sites *s, const struct site *site) {
    s->bytes +=
        length(site->message) + length(site->file) + length(site->function) + length(site->domain);
    if (s->bytes > BYTES_MOST) {
        s->cut = true;
        return;
    }
    *ARRAY_NEW(s->all, s->count, s->capacity) = *site;
}

/* In the section nvtxh_sites, records follow each other. g++ puts records anywhere in the data,
 * each followed by a pointer that is NULL until the program runs. So words of the data count as a
 * record if the strings, domain, line, kind and flags in them are all plausible. */
static void find_in(struct sites *s, const struct image *image, const struct image_section *section,
                    bool only_sites) {
    static const unsigned char null[OWN - SITE];
    size_t size = only_sites ? SITE : OWN, step = only_sites ? SITE : 8;
    struct site site;
    unsigned flags;

    for (uint64_t at = 0; at + size <= section->size && !s->cut; at += step) {
        if (site_at(image, section->address + at, &site, &flags) &&
            (only_sites || (flags & NVTXH_I_SITE_OWN && *site.file && *site.function &&
                            !memcmp(section->bytes + at + SITE, null, sizeof(null))))) {
            add_site(s, &site);
            at += size - step;
        }
    }
}

ARRAY_ORDER(by_line, struct site,
            strcmp(x->file, y->file) ?: ORDER(x->line, y->line) ?: strcmp(x->function, y->function)
            ?: strcmp(x->message ? x->message : "", y->message ? y->message : ""))

void sites_find(struct sites *s, const struct image *image) {
    *s = (struct sites){0};
    for (size_t i = 0; i < image->count; i++) {
        const struct image_section *section = &image->sections[i];
        bool only_sites = !strcmp(section->name, "nvtxh_sites");
        if (only_sites || section->writable) {
            find_in(s, image, section, only_sites);
        }
    }
    ARRAY_SORT(s->all, s->count, by_line);
}

void sites_free(struct sites *s) {
    free(s->all);
    *s = (struct sites){0};
}
