/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATS_HUB_H
#define NVTXH_STATS_HUB_H

/* Finds or makes the hub: the statistics that all linked objects of a process share. Resets the
 * hub, restarts it in a forked child, and switches statistics on and off for all objects. Each
 * object has an ELF note that leads to its nvtxh_i_stats_object: so the objects find each other.
 * Notes need no visible symbol, and work for plugins loaded with RTLD_LOCAL. During a search, the
 * loader's lock keeps the objects loaded; no other lock is taken. Not API. */

#include "../core/clock.h"
#include "../core/system.h"
#include "../impl/object.h"
#include "layout.h"

#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

enum { NVTXH_I_STATS_NOTE = 1 }; /* the type of the note */

NVTXH_I_C_BEGIN

/* Strict C hides the declarations of <link.h> that are repeated here. The names are our own, so
 * that they cannot collide with those of <link.h>. */
struct nvtxh_i_loaded {
    ElfW(Addr) base;
    const char *name;
    const ElfW(Phdr) * headers;
    ElfW(Half) n_headers;
};
extern int nvtxh_i_each_loaded(int (*call)(struct nvtxh_i_loaded *loaded, size_t size, void *arg),
                               void *arg) __asm__("dl_iterate_phdr");

/* The object that a note leads to. NULL: the note is not ours, or is of an incompatible version. */
static inline struct nvtxh_i_stats_object *nvtxh_i_stats_of_note(const ElfW(Nhdr) * note) {
    const char *name = (const char *)(note + 1);
    struct nvtxh_i_stats_object *object;
    int32_t distance;

    if (note->n_namesz != 6 || note->n_descsz != sizeof(distance) ||
        note->n_type != NVTXH_I_STATS_NOTE || memcmp(name, "nvtxh", 6))
        return NULL;
    memcpy(&distance, name + 8, sizeof(distance));
    object = (struct nvtxh_i_stats_object *)((uintptr_t)name + 8 + (uintptr_t)(intptr_t)distance);
    return object->size == NVTXH_I_STATS_SIZE ? object : NULL;
}

/* A walk that calls `found` for each object. The walk itself does not use `first` and `hub`. */
struct nvtxh_i_stats_search {
    void (*found)(struct nvtxh_i_stats_search *search, struct nvtxh_i_stats_object *object);
    struct nvtxh_i_stats_object *first;
    struct nvtxh_i_stats_hub *hub;
};

static inline int nvtxh_i_stats_look(struct nvtxh_i_loaded *loaded, size_t size, void *arg) {
    struct nvtxh_i_stats_search *search = (struct nvtxh_i_stats_search *)arg;
    struct nvtxh_i_stats_object *object;
    size_t i;

    (void)size;
    for (i = 0; i < loaded->n_headers; i++) {
        const ElfW(Phdr) *header = &loaded->headers[i];
        uintptr_t at = loaded->base + header->p_vaddr, end = at + header->p_memsz;

        /* Our note is aligned to 4 bytes. Notes of other alignments are in other segments. */
        if (header->p_type != PT_NOTE || header->p_align > 4)
            continue;
        while (at + sizeof(ElfW(Nhdr)) < end) {
            const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;

            at += sizeof(*note) + ((note->n_namesz + 3) & ~3u) + ((note->n_descsz + 3) & ~3u);
            object = at <= end ? nvtxh_i_stats_of_note(note) : NULL;
            if (object)
                search->found(search, object);
        }
    }
    return 0;
}

static inline struct nvtxh_i_stats_hub *nvtxh_i_stats_new_hub(void) {
    struct nvtxh_i_stats_hub *hub = (struct nvtxh_i_stats_hub *)nvtxh_i_map(sizeof(*hub), 0);

    if (hub) {
        hub->process = nvtxh_i_getpid();
        hub->counter = nvtxh_i_ticks_usable();
        nvtxh_i_clock_both(hub->counter, 5, &hub->ticks, &hub->ns);
    }
    return hub;
}

/* For nvtxh_i_stats_join(): finds the first object of the walk, and the hub if an object has it. */
static inline void nvtxh_i_stats_note_hub(struct nvtxh_i_stats_search *search,
                                          struct nvtxh_i_stats_object *object) {
    if (!search->first)
        search->first = object;
    if (!search->hub)
        search->hub = __atomic_load_n(&object->hub, __ATOMIC_ACQUIRE);
}

/* Emits this object's note, which holds the distance from the note to nvtxh_i_stats_object. */
/* clang-format off */
NVTXH_I_INLINE_LOCAL void nvtxh_i_stats_write_note(void) {
    __asm__ volatile(".pushsection .note.nvtxh, \"a\", %%note\n"
                     ".balign 4\n"
                     ".long 6, 4, %c1\n"
                     ".asciz \"nvtxh\"\n"
                     ".balign 4\n"
                     ".long " NVTXH_I_TEXT(nvtxh_i_stats_object) " - .\n"
                     ".popsection" : : "m"(nvtxh_i_stats_object), "i"(NVTXH_I_STATS_NOTE));
}
/* clang-format on */

/* Finds the process's hub, or makes it if MAKE is set, and stores it in nvtxh_i_stats_object.hub.
 * NULL: there is no hub, or no memory. */
NVTXH_I_COLD struct nvtxh_i_stats_hub *nvtxh_i_stats_join(bool make) {
    struct nvtxh_i_stats_search search = {nvtxh_i_stats_note_hub, NULL, NULL};
    struct nvtxh_i_stats_hub *hub = nvtxh_i_stats_shared();

    nvtxh_i_stats_write_note();
    if (hub)
        return hub;
    nvtxh_i_each_loaded(nvtxh_i_stats_look, &search);
    if (!search.hub && make) {
        /* All objects walk in the same order, so they agree on the first one. It gets the hub. */
        if (!search.first)
            search.first = &nvtxh_i_stats_object;
        hub = nvtxh_i_stats_new_hub();
        if (__atomic_compare_exchange_n(&search.first->hub, &search.hub, hub, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            search.hub = hub;
        else if (hub)
            munmap(hub, sizeof(*hub));
    }
    __atomic_store_n(&nvtxh_i_stats_object.hub, search.hub, __ATOMIC_RELEASE);
    return search.hub;
}

/* --- reset and fork --- */

/* Resets all counts, under the hub's lock. Each thread zeroes its own counts at its next event;
 * until then, readers leave the thread's counts out. */
static inline void nvtxh_i_stats_reset_all(struct nvtxh_i_stats_hub *hub) {
    uint32_t resets = hub->resets + 1;
    struct nvtxh_i_stats_thread *thread;
    struct nvtxh_i_stats_table *table;
    size_t i;

    __atomic_store_n(&hub->resets, resets, __ATOMIC_RELAXED);
    for (thread = hub->threads; thread; thread = thread->next) {
        __atomic_store_n(&thread->resets_asked, resets, __ATOMIC_SEQ_CST);
        for (table = thread->tables; table; table = table->next)
            for (i = 0; i < table->n; i++)
                __atomic_store_n(&table->of[i].sum, NULL, __ATOMIC_SEQ_CST);
    }
}

NVTXH_I_LINKONCE void nvtxh_stats_reset(void) {
    struct nvtxh_i_stats_hub *hub = nvtxh_i_stats_join(false);
    uint64_t signals;

    if (!hub)
        return;
    nvtxh_i_spin_lock(&hub->lock, &signals);
    nvtxh_i_stats_reset_all(hub);
    nvtxh_i_spin_unlock(&hub->lock, &signals);
}

/* Every linked object calls this in a forked child, where only one thread runs. The first call does
 * the work. */
NVTXH_I_COLD void nvtxh_i_stats_forked(void) {
    struct nvtxh_i_stats_hub *hub = nvtxh_i_stats_shared();
    uint32_t process = nvtxh_i_getpid();
    uintptr_t self = nvtxh_i_thread_pointer();
    struct nvtxh_i_stats_thread *thread;

    if (!hub || hub->process == process)
        return;
    hub->process = process;
    hub->lock = 0;
    hub->forked = true;
    nvtxh_i_stats_reset_all(hub);
    for (thread = hub->threads; thread; thread = thread->next)
        thread->tid = thread->tid && thread->self == self ? process : 0;
}

static inline void nvtxh_i_stats_at_fork(void) {
    if (!nvtxh_i_stats_object.at_fork)
        nvtxh_i_stats_object.at_fork = !pthread_atfork(NULL, NULL, nvtxh_i_stats_forked);
}

/* --- on and off --- */

/* Stores the hub in one object, and switches the object's statistics on or off, as the hub says. */
static inline void nvtxh_i_stats_switch(struct nvtxh_i_stats_search *search,
                                        struct nvtxh_i_stats_object *object) {
    __atomic_store_n(&object->hub, search->hub, __ATOMIC_RELEASE);
    nvtxh_i_set_state(object->state, NVTXH_I_STATS,
                      __atomic_load_n(&search->hub->enabled, __ATOMIC_ACQUIRE) ? NVTXH_I_STATS : 0);
}

NVTXH_I_LINKONCE void nvtxh_stats_enable(bool on) {
    struct nvtxh_i_stats_hub *hub = nvtxh_i_stats_join(on);
    struct nvtxh_i_stats_search search = {nvtxh_i_stats_switch, NULL, hub};
    uint64_t signals;

    if (!hub)
        return;
    nvtxh_i_stats_at_fork();
    nvtxh_i_spin_lock(&hub->lock, &signals);
    if (!hub->enabled == on)
        __atomic_store_n(&hub->switches, hub->switches + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&hub->enabled, (uint32_t)on, __ATOMIC_RELEASE);
    nvtxh_i_spin_unlock(&hub->lock, &signals);
    nvtxh_i_each_loaded(nvtxh_i_stats_look, &search);
    nvtxh_i_stats_switch(&search, &nvtxh_i_stats_object); /* in case the note has been stripped */
}

NVTXH_I_LINKONCE bool nvtxh_stats_enabled(void) {
    struct nvtxh_i_stats_hub *hub = nvtxh_i_stats_join(false);

    return hub && __atomic_load_n(&hub->enabled, __ATOMIC_RELAXED);
}

NVTXH_I_C_END

#endif
