/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "namespaces.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct symbols {
    const ElfW(Sym) * all, *end;
    const char *texts;
    size_t texts_size;
};

/* The end of the segment that contains an address; 0: none does. */
static uintptr_t end_of(const struct dl_phdr_info *object, uintptr_t address)
{
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[i];
        uintptr_t begin = object->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD && address >= begin && address - begin < p->p_memsz) {
            return begin + p->p_memsz;
        }
    }
    return 0;
}

/* The number of symbols is not stored. So they end where the texts begin, if the texts follow in the same segment, as
 * linkers put them. Otherwise (patchelf moves the texts) they end with their segment. */
static struct symbols symbols_of(const struct dl_phdr_info *object, const ElfW(Dyn) * dynamic)
{
    uintptr_t all = 0, texts = 0;
    struct symbols s = {0};

    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        uintptr_t address = dynamic->d_un.d_ptr;
        address += address < object->dlpi_addr ? object->dlpi_addr : 0; /* musl has not added it */
        if (dynamic->d_tag == DT_SYMTAB) {
            all = address;
        } else if (dynamic->d_tag == DT_STRTAB) {
            texts = address;
        } else if (dynamic->d_tag == DT_STRSZ) {
            s.texts_size = dynamic->d_un.d_val;
        }
    }
    uintptr_t end = end_of(object, all), texts_end = end_of(object, texts);
    if (end && texts_end && s.texts_size <= texts_end - texts) {
        end = texts > all && texts < end ? texts : end;
        s.all = (const void *)all; /* NOLINT(performance-no-int-to-ptr) */
        s.end = s.all + (end - all) / sizeof(*s.all);
        s.texts = (const void *)texts; /* NOLINT(performance-no-int-to-ptr) */
    }
    return s;
}

static bool needs(const struct symbols *s)
{
    for (const ElfW(Sym) *symbol = s->all; symbol < s->end; symbol++) {
        const char *name = s->texts + symbol->st_name;
        if (symbol->st_shndx == SHN_UNDEF && symbol->st_name < s->texts_size &&
            (!strcmp(name, "unshare") || !strcmp(name, "setns"))) {
            return true;
        }
    }
    return false;
}

static int look(struct dl_phdr_info *object, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[i];
        if (p->p_type == PT_DYNAMIC) {
            uintptr_t address = object->dlpi_addr + p->p_vaddr;
            struct symbols s =
                symbols_of(object, (const void *)address); /* NOLINT(performance-no-int-to-ptr) */
            return needs(&s);
        }
    }
    return 0;
}

bool namespaces_wanted(void)
{
    return dl_iterate_phdr(look, NULL) != 0;
}
