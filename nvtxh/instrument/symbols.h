/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_INSTRUMENT_SYMBOLS_H
#define NVTXH_INSTRUMENT_SYMBOLS_H

/* Finds the name of a function by its address. dladdr knows only exported symbols, so the symbol
 * tables are read from the ELF files. A damaged file counts as a file without symbols. Not API. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "../core/arena.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A loaded object's symbols. `symbols` and `names` point into its file, which stays mapped. */
struct nvtxh_i_symbols {
    struct nvtxh_i_symbols *next;
    uintptr_t base;
    const char *name; /* the object's name in the loader; for the program it is /proc/self/exe */
    const char *path;
    const ElfW(Sym) * symbols;
    size_t n_symbols;
    const char *names;
    size_t names_size;
};

extern char *nvtxh_i_demangle(const char *name, char *buffer, size_t *size,
                              int *status) __asm__("__cxa_demangle") __attribute__((__weak__));

/* Memory for what is known of functions. Taken under the lock of functions.h; never freed. */
static struct nvtxh_i_arena nvtxh_i_instrument_arena;
#define NVTXH_I_INSTRUMENT_ALLOC(type, size)                                                       \
    ((type *)nvtxh_i_arena_alloc(&nvtxh_i_instrument_arena, size, 16))

NVTXH_I_UNHOOKED static char *nvtxh_i_instrument_copy(const char *text, size_t n) {
    char *copy = NVTXH_I_INSTRUMENT_ALLOC(char, n + 1);

    if (copy) {
        memcpy(copy, text, n);
    }
    return copy;
}

/* Do n items of `size` bytes, from `offset` on, lie within a file of `file` bytes? */
NVTXH_I_UNHOOKED static bool nvtxh_i_in_file(size_t file, uint64_t offset, uint64_t n,
                                             uint64_t size) {
    return offset <= file && n <= (file - offset) / size;
}

NVTXH_I_UNHOOKED static void nvtxh_i_read_symbols(struct nvtxh_i_symbols *s, const char *file,
                                                  size_t size) {
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)(const void *)file;
    const ElfW(Shdr) * sections, *names;
    size_t i;

    if (size < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
        header->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
        header->e_shentsize != sizeof(*sections) || header->e_shoff % sizeof(void *) ||
        !nvtxh_i_in_file(size, header->e_shoff, header->e_shnum, sizeof(*sections))) {
        return;
    }
    sections = (const ElfW(Shdr) *)(const void *)(file + header->e_shoff);
    for (i = 0; i < header->e_shnum; i++) {
        if (sections[i].sh_type != SHT_SYMTAB || sections[i].sh_link >= header->e_shnum) {
            continue;
        }
        names = &sections[sections[i].sh_link];
        if (sections[i].sh_offset % sizeof(void *) ||
            !nvtxh_i_in_file(size, sections[i].sh_offset, sections[i].sh_size, 1) ||
            !nvtxh_i_in_file(size, names->sh_offset, names->sh_size, 1) || !names->sh_size ||
            file[names->sh_offset + names->sh_size - 1]) {
            continue;
        }
        s->symbols = (const ElfW(Sym) *)(const void *)(file + sections[i].sh_offset);
        s->n_symbols = sections[i].sh_size / sizeof(ElfW(Sym));
        s->names = file + names->sh_offset;
        s->names_size = names->sh_size;
    }
}

struct nvtxh_i_lookup {
    uintptr_t address, base;
    const char *path;
    bool found;
};

NVTXH_I_UNHOOKED static int nvtxh_i_look_at(struct dl_phdr_info *object, size_t size, void *arg) {
    struct nvtxh_i_lookup *lookup = (struct nvtxh_i_lookup *)arg;
    size_t i;

    (void)size;
    for (i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];

        if (segment->p_type == PT_LOAD &&
            lookup->address - object->dlpi_addr - segment->p_vaddr < segment->p_memsz) {
            lookup->base = object->dlpi_addr;
            lookup->path =
                object->dlpi_name && *object->dlpi_name ? object->dlpi_name : "/proc/self/exe";
            lookup->found = true;
            return 1;
        }
    }
    return 0;
}

/* The symbols of the loaded object that contains an address. NULL: none does, or no memory. */
NVTXH_I_UNHOOKED static struct nvtxh_i_symbols *nvtxh_i_symbols_at(uintptr_t address) {
    static struct nvtxh_i_symbols *all; /* protected by the lock of functions.h */
    struct nvtxh_i_lookup lookup = {address, 0, NULL, false};
    static char target[4096];
    struct nvtxh_i_symbols *s;
    struct stat status;
    ssize_t n;
    int fd;

    dl_iterate_phdr(nvtxh_i_look_at, &lookup);
    if (!lookup.found) {
        return NULL;
    }
    for (s = all; s; s = s->next) {
        if (s->base == lookup.base && !strcmp(s->name, lookup.path)) {
            return s;
        }
    }
    n = strcmp(lookup.path, "/proc/self/exe") ? 0
                                              : readlink(lookup.path, target, sizeof(target) - 1);
    s = NVTXH_I_INSTRUMENT_ALLOC(struct nvtxh_i_symbols, sizeof(*s));
    if (!s || !(s->name = nvtxh_i_instrument_copy(lookup.path, strlen(lookup.path))) ||
        !(s->path = n > 0 ? nvtxh_i_instrument_copy(target, (size_t)n) : s->name)) {
        return NULL;
    }
    s->base = lookup.base;
    fd = open(lookup.path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && !fstat(fd, &status) && status.st_size > 0) {
        void *file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

        if (file != MAP_FAILED) {
            nvtxh_i_read_symbols(s, (const char *)file, (size_t)status.st_size);
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    s->next = all;
    all = s;
    return s;
}

/* The name of the function that begins at an address. If it has several names, takes a global
 * symbol rather than a local one. NULL: unknown. */
NVTXH_I_UNHOOKED static const char *nvtxh_i_symbol_at(const struct nvtxh_i_symbols *s,
                                                      uintptr_t address) {
    const char *found = NULL;
    Dl_info info;
    size_t i;

    for (i = 0; s && i < s->n_symbols; i++) {
        const ElfW(Sym) *symbol = &s->symbols[i];
        unsigned type = symbol->st_info & 15u, bind = symbol->st_info >> 4;

        if (symbol->st_value + s->base != address || symbol->st_name >= s->names_size ||
            symbol->st_shndx == SHN_UNDEF || (type != STT_FUNC && type != STT_GNU_IFUNC)) {
            continue;
        }
        if (!found || bind == STB_GLOBAL) {
            found = s->names + symbol->st_name;
        }
        if (bind == STB_GLOBAL) {
            break;
        }
    }
    if (!found && dladdr((void *)address, &info) && (uintptr_t)info.dli_saddr == address) {
        found = info.dli_sname;
    }
    return found && *found ? found : NULL;
}

/* Makes the name "PROGRAM+0x1234". NULL: no memory. */
NVTXH_I_UNHOOKED static char *nvtxh_i_name_of_offset(const char *file, uintptr_t offset) {
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
    size_t size = strlen(base) + 3 + 2 * sizeof(offset) + 1;
    char *name = NVTXH_I_INSTRUMENT_ALLOC(char, size);

    if (name) {
        snprintf(name, size, "%s+0x%llx", base, (unsigned long long)offset);
    }
    return name;
}

/* Demangles a name that has only namespaces, classes and a function, and leaves out the parameters.
 * Returns any other name unchanged. */
NVTXH_I_UNHOOKED static char *nvtxh_i_demangle_plain(char *name) {
    char *plain = NVTXH_I_INSTRUMENT_ALLOC(char, 2 * strlen(name)), *to = plain, *end;
    const char *at = name + 2;
    bool nested = *at == 'N';
    size_t n;

    for (at += nested; nested && (*at == 'K' || *at == 'V'); at++) {
    }
    do {
        at += *at == 'L';
        n = *at >= '1' && *at <= '9' ? strtoul(at, &end, 10) : 0;
        if (!plain || !n || n > strlen(end) || !strncmp(end, "_GLOBAL__N", 10)) {
            return name;
        }
        if (to != plain) {
            memcpy(to, "::", 2);
            to += 2;
        }
        memcpy(to, end, n);
        to += n;
        at = end + n;
    } while (nested && *at != 'E');
    return *at == 'I' ? name : plain; /* I: template arguments */
}

/* A function's name and file. NULL: no memory. IN_HANDLER: avoids malloc and so the demangler. */
NVTXH_I_UNHOOKED static const char *nvtxh_i_function_name(uintptr_t address, bool in_handler,
                                                          const char **ret_file) {
    const struct nvtxh_i_symbols *s = nvtxh_i_symbols_at(address);
    const char *symbol = nvtxh_i_symbol_at(s, address);
    char *name, *demangled;
    int status = -1;

    *ret_file = s ? s->path : "";
    if (!symbol) {
        return nvtxh_i_name_of_offset(*ret_file, address - (s ? s->base : 0));
    }
    /* Leaves out a suffix such as .part.0, which compilers append for parts of a function. */
    name = nvtxh_i_instrument_copy(symbol, 1 + strcspn(symbol + 1, "."));
    if (!name || !&nvtxh_i_demangle || strncmp(name, "_Z", 2)) {
        return name;
    }
    if (in_handler) {
        return nvtxh_i_demangle_plain(name);
    }
    demangled = nvtxh_i_demangle(name, NULL, NULL, &status);
    if (demangled && !status) {
        name = nvtxh_i_instrument_copy(demangled, strlen(demangled));
    }
    free(demangled);
    return name;
}

#endif
