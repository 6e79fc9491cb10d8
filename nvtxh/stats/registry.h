/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATS_REGISTRY_H
#define NVTXH_STATS_REGISTRY_H

/* Finds or makes the process-wide registry: the statistics that all linked objects of a process
 * share. Resets the registry, restarts it in a forked child, and switches statistics on and off for
 * all objects. Each object has an ELF note that leads to its nvtxh_i_stats_object: so the objects
 * find each other. Notes need no visible symbol, and work for plugins loaded with RTLD_LOCAL.
 * During a search, the loader's lock keeps the objects loaded; no other lock is taken. Not API. */

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
        note->n_type != NVTXH_I_STATS_NOTE || memcmp(name, "nvtxh", 6)) {
        return NULL;
    }
    memcpy(&distance, name + 8, sizeof(distance));
    object = (struct nvtxh_i_stats_object *)((uintptr_t)name + 8 + (uintptr_t)(intptr_t)distance);
    return object->size == NVTXH_I_STATS_SIZE ? object : NULL;
}

/* A walk that calls `found` for each object. It does not itself use `first` and `registry`. */
struct nvtxh_i_stats_search {
    void (*found)(struct nvtxh_i_stats_search *search, struct nvtxh_i_stats_object *object);
    struct nvtxh_i_stats_object *first;
    struct nvtxh_i_stats_registry *registry;
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
        if (header->p_type != PT_NOTE || header->p_align > 4) {
            continue;
        }
        while (at + sizeof(ElfW(Nhdr)) < end) {
            const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;

            at += sizeof(*note) + ((note->n_namesz + 3) & ~3u) + ((note->n_descsz + 3) & ~3u);
            object = at <= end ? nvtxh_i_stats_of_note(note) : NULL;
            if (object) {
                search->found(search, object);
            }
        }
    }
    return 0;
}

static inline struct nvtxh_i_stats_registry *nvtxh_i_stats_new_registry(void) {
    struct nvtxh_i_stats_registry *registry =
        (struct nvtxh_i_stats_registry *)nvtxh_i_map(sizeof(*registry), 0);

    if (registry) {
        registry->process = nvtxh_i_getpid();
        registry->counter = nvtxh_i_ticks_usable();
        nvtxh_i_clock_both(registry->counter, 5, &registry->ticks, &registry->ns);
    }
    return registry;
}

/* For nvtxh_i_stats_join(): finds the first object of the walk, and the registry if an object has
 * it. */
static inline void nvtxh_i_stats_find_registry(struct nvtxh_i_stats_search *search,
                                               struct nvtxh_i_stats_object *object) {
    if (!search->first) {
        search->first = object;
    }
    if (!search->registry) {
        search->registry = __atomic_load_n(&object->registry, __ATOMIC_ACQUIRE);
    }
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

/* Finds the process's registry, or makes it if MAKE is set, and stores it in
 * nvtxh_i_stats_object.registry. NULL: there is no registry, or no memory. */
NVTXH_I_COLD struct nvtxh_i_stats_registry *nvtxh_i_stats_join(bool make) {
    struct nvtxh_i_stats_search search = {nvtxh_i_stats_find_registry, NULL, NULL};
    struct nvtxh_i_stats_registry *registry = nvtxh_i_stats_shared();

    nvtxh_i_stats_write_note();
    if (registry) {
        return registry;
    }
    nvtxh_i_each_loaded(nvtxh_i_stats_look, &search);
    if (!search.registry && make) {
        /* All objects walk in the same order, so they agree on the first. It gets the registry. */
        if (!search.first) {
            search.first = &nvtxh_i_stats_object;
        }
        registry = nvtxh_i_stats_new_registry();
        if (__atomic_compare_exchange_n(&search.first->registry, &search.registry, registry, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            search.registry = registry;
        } else if (registry) {
            munmap(registry, sizeof(*registry));
        }
    }
    __atomic_store_n(&nvtxh_i_stats_object.registry, search.registry, __ATOMIC_RELEASE);
    return search.registry;
}

/* --- reset and fork --- */

/* Resets all counts, under the registry's lock. Each thread zeroes its own counts at its next
 * event; until then, readers leave the thread's counts out. */
static inline void nvtxh_i_stats_reset_all(struct nvtxh_i_stats_registry *registry) {
    uint32_t resets = registry->resets + 1;
    struct nvtxh_i_stats_thread *thread;
    struct nvtxh_i_stats_table *table;
    size_t i;

    __atomic_store_n(&registry->resets, resets, __ATOMIC_RELAXED);
    for (thread = registry->threads; thread; thread = thread->next) {
        __atomic_store_n(&thread->resets_asked, resets, __ATOMIC_SEQ_CST);
        for (table = thread->tables; table; table = table->next) {
            for (i = 0; i < table->n; i++) {
                __atomic_store_n(&table->of[i].sum, NULL, __ATOMIC_SEQ_CST);
            }
        }
    }
}

NVTXH_I_LINKONCE void nvtxh_stats_reset(void) {
    struct nvtxh_i_stats_registry *registry = nvtxh_i_stats_join(false);
    uint64_t blocked;

    if (!registry) {
        return;
    }
    nvtxh_i_spin_lock(&registry->lock, &blocked);
    nvtxh_i_stats_reset_all(registry);
    nvtxh_i_spin_unlock(&registry->lock, &blocked);
}

/* Every linked object calls this in a forked child, where only one thread runs. The first call does
 * the work. */
NVTXH_I_COLD void nvtxh_i_stats_forked(void) {
    struct nvtxh_i_stats_registry *registry = nvtxh_i_stats_shared();
    uint32_t process = nvtxh_i_getpid();
    uintptr_t self = nvtxh_i_thread_pointer();
    struct nvtxh_i_stats_thread *thread;

    if (!registry || registry->process == process) {
        return;
    }
    registry->process = process;
    registry->lock = 0;
    registry->forked = true;
    nvtxh_i_stats_reset_all(registry);
    for (thread = registry->threads; thread; thread = thread->next) {
        thread->tid = thread->tid && thread->self == self ? process : 0;
    }
}

static inline void nvtxh_i_stats_at_fork(void) {
    if (!__atomic_exchange_n(&nvtxh_i_stats_object.at_fork, true, __ATOMIC_RELAXED) &&
        pthread_atfork(NULL, NULL, nvtxh_i_stats_forked)) {
        __atomic_store_n(&nvtxh_i_stats_object.at_fork, false, __ATOMIC_RELAXED);
    }
}

/* --- on and off --- */

/* Stores the registry in one object, and switches the object's statistics on or off, as the
 * registry says. */
static inline void nvtxh_i_stats_switch(struct nvtxh_i_stats_search *search,
                                        struct nvtxh_i_stats_object *object) {
    __atomic_store_n(&object->registry, search->registry, __ATOMIC_RELEASE);
    nvtxh_i_set_state(object->state, NVTXH_I_STATS,
                      __atomic_load_n(&search->registry->enabled, __ATOMIC_ACQUIRE) ? NVTXH_I_STATS
                                                                                    : 0);
}

NVTXH_I_LINKONCE void nvtxh_stats_enable(bool on) {
    struct nvtxh_i_stats_registry *registry = nvtxh_i_stats_join(on);
    struct nvtxh_i_stats_search search = {nvtxh_i_stats_switch, NULL, registry};
    uint64_t blocked;

    if (!registry) {
        return;
    }
    nvtxh_i_stats_at_fork();
    nvtxh_i_spin_lock(&registry->lock, &blocked);
    if (!registry->enabled == on) {
        __atomic_store_n(&registry->switches, registry->switches + 1, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&registry->enabled, (uint32_t)on, __ATOMIC_RELEASE);
    nvtxh_i_spin_unlock(&registry->lock, &blocked);
    nvtxh_i_each_loaded(nvtxh_i_stats_look, &search);
    nvtxh_i_stats_switch(&search, &nvtxh_i_stats_object); /* in case the note has been stripped */
}

NVTXH_I_LINKONCE bool nvtxh_stats_enabled(void) {
    struct nvtxh_i_stats_registry *registry = nvtxh_i_stats_join(false);

    return registry && __atomic_load_n(&registry->enabled, __ATOMIC_RELAXED);
}

NVTXH_I_C_END

#endif
