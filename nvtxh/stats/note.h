/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATS_NOTE_H
#define NVTXH_STATS_NOTE_H

/* How the linked objects of a process find each other: an ELF note in each leads to the object's nvtxh_i_stats_object.
 * Notes need no visible symbol, and work for plugins loaded with RTLD_LOCAL. During a search, the loader's lock keeps
 * the objects loaded; no other lock is taken. Not API. */

#include "layout.h"

#if NVTXH_I_IMPL

#include <link.h>
#include <string.h>

#define NVTXH_I_STATS_NOTE 1

/* Emits the note, which holds the distance to nvtxh_i_stats_object. For use in a function. */
/* clang-format off */
#define NVTXH_I_STATS_WRITE_NOTE()                                                                 \
    __asm__ volatile(".pushsection .note.nvtxh, \"a\", %%note\n"                                  \
                     ".balign 4\n"                                                                 \
                     ".long 6, 4, " NVTXH_I_TEXT(NVTXH_I_STATS_NOTE) "\n"                          \
                     ".asciz \"nvtxh\"\n"                                                          \
                     ".balign 4\n"                                                                 \
                     ".long " NVTXH_I_TEXT(nvtxh_i_stats_object) " - .\n"                          \
                     ".popsection" : : "m"(nvtxh_i_stats_object))
/* clang-format on */

NVTXH_I_C_BEGIN

/* Strict C hides these declarations of <link.h>. The names are our own, so that they cannot collide. */
struct nvtxh_i_loaded {
    ElfW(Addr) base;
    const char *name;
    const ElfW(Phdr) * headers;
    ElfW(Half) n_headers;
};
extern int nvtxh_i_each_loaded(int (*call)(struct nvtxh_i_loaded *loaded, size_t size, void *arg),
                               void *arg) __asm__("dl_iterate_phdr");

/* The object that a note leads to; NULL: not our note, or another version's. */
static inline struct nvtxh_i_stats_object *nvtxh_i_stats_of_note(const ElfW(Nhdr) * note)
{
    const char *name = NVTXH_I_BITS(const char *, note + 1);
    struct nvtxh_i_stats_object *object;
    int32_t distance;

    if (note->n_namesz != 6 || note->n_descsz != sizeof(distance) || note->n_type != NVTXH_I_STATS_NOTE ||
        memcmp(name, "nvtxh", 6))
        return NVTXH_I_NULL;
    memcpy(&distance, name + 8, sizeof(distance));
    object = NVTXH_I_BITS(struct nvtxh_i_stats_object *, NVTXH_I_BITS(uintptr_t, name) + 8 +
                                                             NVTXH_I_CAST(uintptr_t, NVTXH_I_CAST(intptr_t, distance)));
    return object->size == NVTXH_I_STATS_SIZE ? object : NVTXH_I_NULL;
}

/* A walk over the objects: calls `found` for each object; `first` and `hub` are for the use of `found`. */
struct nvtxh_i_stats_search {
    void (*found)(struct nvtxh_i_stats_search *search, struct nvtxh_i_stats_object *object);
    struct nvtxh_i_stats_object *first;
    struct nvtxh_i_stats_hub *hub;
};

static inline int nvtxh_i_stats_look(struct nvtxh_i_loaded *loaded, size_t size, void *arg)
{
    struct nvtxh_i_stats_search *search = NVTXH_I_CAST(struct nvtxh_i_stats_search *, arg);
    struct nvtxh_i_stats_object *object;
    size_t i;

    (void)size;
    for (i = 0; i < loaded->n_headers; i++) {
        const ElfW(Phdr) *header = &loaded->headers[i];
        uintptr_t at = loaded->base + header->p_vaddr, end = at + header->p_memsz;

        /* Our note is aligned to 4 bytes, and each alignment of notes has its own segment. */
        if (header->p_type != PT_NOTE || header->p_align > 4)
            continue;
        while (at + sizeof(ElfW(Nhdr)) < end) {
            const ElfW(Nhdr) *note = NVTXH_I_BITS(const ElfW(Nhdr) *, at);

            at += sizeof(*note) + ((note->n_namesz + 3) & ~3u) + ((note->n_descsz + 3) & ~3u);
            object = at <= end ? nvtxh_i_stats_of_note(note) : NVTXH_I_NULL;
            if (object)
                search->found(search, object);
        }
    }
    return 0;
}

NVTXH_I_C_END

#endif
#endif
