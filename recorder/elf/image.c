/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "image.h"
#include "../util/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NEEDED_MOST 1000 /* shared objects that an image is linked with; more are left out */

/* Sections of an object file have no addresses yet, so section n gets the address n << 40. */
static uint64_t address_of(const GElf_Ehdr *head, size_t section, const GElf_Shdr *s) {
    return head->e_type == ET_REL ? (uint64_t)section << 40 : s->sh_addr;
}

static void add_section(struct image *image, const GElf_Ehdr *head, Elf_Scn *section,
                        const GElf_Shdr *s, const char *name) {
    Elf_Data *data = s->sh_type == SHT_NOBITS ? NULL : elf_rawdata(section, NULL);

    if (!(s->sh_flags & SHF_ALLOC) || !data || !data->d_buf || data->d_size < s->sh_size) {
        return;
    }
    *ARRAY_NEW(image->sections, image->count, image->capacity) =
        (struct image_section){.address = address_of(head, elf_ndxscn(section), s),
                               .size = s->sh_size,
                               .bytes = data->d_buf,
                               .name = must_copy(name ? name : "", 64),
                               .writable = s->sh_flags & SHF_WRITE};
}

/* Finds the address that a relocation puts into the image. False: this file does not tell it. */
static bool resolve(const GElf_Ehdr *head, Elf *elf, Elf_Data *symbols, const GElf_Rela *rela,
                    uint64_t *ret_value) {
    uint64_t type = GELF_R_TYPE(rela->r_info);
    bool x86 = head->e_machine == EM_X86_64;
    GElf_Sym symbol;
    GElf_Shdr shdr;

    if (type == (x86 ? R_X86_64_RELATIVE : R_AARCH64_RELATIVE)) {
        *ret_value = (uint64_t)rela->r_addend;
        return true;
    }
    if (type != (x86 ? R_X86_64_64 : R_AARCH64_ABS64) || !symbols ||
        !gelf_getsym(symbols, (int)GELF_R_SYM(rela->r_info), &symbol) ||
        symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE) {
        return false;
    }
    uint64_t base = 0;
    if (head->e_type == ET_REL) {
        Elf_Scn *section = elf_getscn(elf, symbol.st_shndx);
        if (!section || !gelf_getshdr(section, &shdr)) {
            return false;
        }
        base = address_of(head, symbol.st_shndx, &shdr);
    }
    *ret_value = base + symbol.st_value + (uint64_t)rela->r_addend;
    return true;
}

static void add_relocations(struct image *image, const GElf_Ehdr *head, Elf *elf, Elf_Scn *section,
                            const GElf_Shdr *s) {
    Elf_Data *data = elf_getdata(section, NULL);
    Elf_Scn *symbol_section = elf_getscn(elf, s->sh_link);
    Elf_Data *symbols = symbol_section ? elf_getdata(symbol_section, NULL) : NULL;
    uint64_t base = head->e_type == ET_REL ? (uint64_t)s->sh_info << 40 : 0;
    size_t count = data && s->sh_entsize ? (size_t)(s->sh_size / s->sh_entsize) : 0;
    GElf_Rela rela;

    for (size_t i = 0; i < count && gelf_getrela(data, (int)i, &rela); i++) {
        uint64_t value;
        if (resolve(head, elf, symbols, &rela, &value)) {
            *map_add(&image->pointers, base + rela.r_offset, value) = value;
        }
    }
}

static void add_dynamic(struct image *image, Elf *elf, Elf_Scn *section, const GElf_Shdr *s) {
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = data && s->sh_entsize ? (size_t)(s->sh_size / s->sh_entsize) : 0;
    GElf_Dyn entry;

    for (size_t i = 0; i < count && gelf_getdyn(data, (int)i, &entry); i++) {
        const char *name =
            entry.d_tag == DT_NEEDED || entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH
                ? elf_strptr(elf, s->sh_link, entry.d_un.d_val)
                : NULL;
        if (name && entry.d_tag == DT_NEEDED && image->needed_count < NEEDED_MOST) {
            *ARRAY_NEW(image->needed, image->needed_count, image->needed_capacity) =
                must_copy(name, PATH_MAX);
        } else if (entry.d_tag == DT_FLAGS_1) {
            image->is_static |= (entry.d_un.d_val & DF_1_PIE) != 0;
        } else if (name && entry.d_tag != DT_NEEDED &&
                   (entry.d_tag == DT_RUNPATH || !image->has_runpath)) {
            image->has_runpath |= entry.d_tag == DT_RUNPATH;
            free(image->run_path);
            image->run_path = must_copy(name, SIZE_MAX);
        }
    }
}

static bool fail_image(struct image *image, struct error *ret_error, const char *why) {
    error_set(ret_error, "%s", why);
    image_close(image);
    return false;
}

/* Whether the file names an interpreter, as a dynamically linked program does. Stores the name. */
static bool find_interpreter(struct image *image) {
    size_t program_headers, size;
    const char *file = elf_rawfile(image->elf, &size);
    bool found = false;
    GElf_Phdr p;

    if (elf_getphdrnum(image->elf, &program_headers) != 0) {
        return false;
    }
    for (int i = 0; (size_t)i < program_headers && gelf_getphdr(image->elf, i, &p); i++) {
        if (p.p_type != PT_INTERP) {
            continue;
        }
        found = true;
        if (file && p.p_offset < size && p.p_filesz <= size - p.p_offset) {
            free(image->interpreter);
            image->interpreter = must_copy(file + p.p_offset, p.p_filesz);
        }
    }
    return found;
}

ARRAY_ORDER(by_address, struct image_section, ORDER(x->address, y->address))

bool image_open(struct image *image, const char *path, struct error *ret_error) {
    GElf_Ehdr head;
    size_t names;
    const uint16_t one = 1;
    bool little = *(const char *)&one;

    *image = (struct image){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (image->fd < 0) {
        return fail_image(image, ret_error, strerror(errno));
    }
    elf_version(EV_CURRENT);
    Elf *elf = image->elf = elf_begin(image->fd, ELF_C_READ_MMAP, NULL);
    if (elf && elf_kind(elf) == ELF_K_AR) {
        return fail_image(
            image, ret_error,
            "an archive; name the program that it is linked into, or its object files");
    }
    if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &head)) {
        return fail_image(image, ret_error, "not a program, shared object or object file (ELF)");
    }
    if (gelf_getclass(elf) != ELFCLASS64 ||
        head.e_ident[EI_DATA] != (little ? ELFDATA2LSB : ELFDATA2MSB)) {
        return fail_image(image, ret_error,
                          "not a 64-bit file, or not in this machine's byte order");
    }
    if (elf_getshdrstrndx(elf, &names) != 0) {
        return fail_image(image, ret_error, "it has no sections (they were stripped)");
    }
    image->machine = head.e_machine;
    image->shared_object = head.e_type == ET_DYN || head.e_type == ET_REL;
    size_t file_size, taken = 0;
    elf_rawfile(elf, &file_size);
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr s;
        if (!gelf_getshdr(section, &s)) {
            continue;
        }
        /* Without this bound a small file could take any amount of time and memory. */
        if (s.sh_type != SHT_NOBITS &&
            (s.sh_size > file_size || (taken += s.sh_size) > file_size)) {
            return fail_image(image, ret_error, "it is damaged: its sections overlap");
        }
        add_section(image, &head, section, &s, elf_strptr(elf, names, s.sh_name));
        if (s.sh_type == SHT_RELA) {
            add_relocations(image, &head, elf, section, &s);
        } else if (s.sh_type == SHT_DYNAMIC) {
            add_dynamic(image, elf, section, &s);
        }
    }
    ARRAY_SORT(image->sections, image->count, by_address);
    bool interpreter = find_interpreter(image);
    image->is_static = !interpreter && (image->is_static || head.e_type == ET_EXEC);
    image->shared_object &= !interpreter && !image->is_static;
    return true;
}

static void look_at_symbol(struct image_symbols *s, const char *name, bool is_defined) {
    s->tool |= is_defined && !strcmp(name, "InitializeInjectionNvtx2");
    s->hooks |= !is_defined && !strcmp(name, "__cyg_profile_func_enter");
    s->v3 |= is_defined && strncmp(name, "nvtx", 4) == 0 && strlen(name) > 3 &&
             !strcmp(name + strlen(name) - 3, "_v3");
}

struct image_symbols image_symbols(const struct image *image) {
    struct image_symbols found = {0};

    for (Elf_Scn *section = NULL; (section = elf_nextscn(image->elf, section));) {
        GElf_Shdr s;
        Elf_Data *data;
        GElf_Sym symbol;
        if (!gelf_getshdr(section, &s) || (s.sh_type != SHT_SYMTAB && s.sh_type != SHT_DYNSYM) ||
            !s.sh_entsize || !(data = elf_getdata(section, NULL))) {
            continue;
        }
        for (int i = 0; (uint64_t)i < s.sh_size / s.sh_entsize && gelf_getsym(data, i, &symbol);
             i++) {
            const char *name = elf_strptr(image->elf, s.sh_link, symbol.st_name);
            if (name && *name) {
                look_at_symbol(&found, name, symbol.st_shndx != SHN_UNDEF);
            }
        }
    }
    return found;
}

void image_close(struct image *image) {
    for (size_t i = 0; i < image->count; i++) {
        free(image->sections[i].name);
    }
    for (size_t i = 0; i < image->needed_count; i++) {
        free(image->needed[i]);
    }
    free(image->needed);
    free(image->run_path);
    free(image->interpreter);
    free(image->sections);
    map_free(&image->pointers);
    if (image->elf) {
        elf_end(image->elf);
    }
    if (image->fd >= 0) {
        close(image->fd);
    }
    *image = (struct image){.fd = -1};
}
