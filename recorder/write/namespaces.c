/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "namespaces.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct symbols {
    const ElfW(Sym) * all;
    const char *texts;
};

/* glibc has put addresses in place of what is in the file. The kernel's own object is as it was. */
static struct symbols symbols_of(const struct dl_phdr_info *object, const ElfW(Dyn) * dynamic)
{
    struct symbols s = {0};

    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        uintptr_t address = dynamic->d_un.d_ptr;
        if (address < object->dlpi_addr) {
            continue;
        }
        if (dynamic->d_tag == DT_SYMTAB) {
            s.all = (const void *)address; /* NOLINT(performance-no-int-to-ptr) */
        } else if (dynamic->d_tag == DT_STRTAB) {
            s.texts = (const void *)address; /* NOLINT(performance-no-int-to-ptr) */
        }
    }
    return s;
}

/* Linkers put the texts behind the symbols. */
static bool needs(const struct symbols *s)
{
    for (const ElfW(Sym) *symbol = s->all; (const char *)(symbol + 1) <= s->texts; symbol++) {
        const char *name = s->texts + symbol->st_name;
        if (symbol->st_shndx == SHN_UNDEF && (!strcmp(name, "unshare") || !strcmp(name, "setns"))) {
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
            return s.all && s.texts && needs(&s);
        }
    }
    return 0;
}

bool namespaces_wanted(void)
{
    return dl_iterate_phdr(look, NULL) != 0;
}
