/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_ELF_IMAGE_H
#define NVTXH_ELF_IMAGE_H
/* A program, shared object or object file as it lies in memory: bytes by address, with relocated pointers. Only 64-bit
 * files of this machine's byte order. */
#include "../read/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image {
    struct image_section {
        uint64_t address, size;
        const unsigned char *bytes;
        char *name;
        bool writable;
    } * sections;
    size_t count, room;
    struct map pointers; /* address -> what a relocation puts there */
    unsigned machine;    /* ELF's number */
    bool shared_object;  /* or object file: it cannot be run by itself */
    bool is_static;      /* a program without a dynamic linker */
    int fd;
    void *elf;
    char **needed; /* names of the shared objects it is linked with */
    size_t needed_count, needed_room;
    char *run_path;
    char *interpreter; /* the dynamic linker that a program asks for, or NULL */
};

/* False: it cannot be read, and ret_error says why in one line, also if libelf was missing at build time. */
bool image_open(struct image *image, const char *path, char *ret_error, size_t error_size);
void image_close(struct image *image);

/* Sorts the sections by address, when all are there. The functions below need that. */
void image_sort(struct image *image);

/* The word or the NUL-terminated text at an address; false or NULL if there is none. */
bool image_word(const struct image *image, uint64_t address, uint64_t *ret_word);
const char *image_text(const struct image *image, uint64_t address);

/* Whether any section that is loaded contains the name of the variable that NVTX finds tools by. */
bool image_uses_nvtx(const struct image *image);

/* Whether it is linked with musl: such a program cannot load what is linked with glibc. */
bool image_is_musl(const struct image *image);

/* Calls f for every symbol, and says whether it is defined here. */
void image_symbols(const struct image *image, void (*f)(void *arg, const char *name, bool defined),
                   void *arg);

#endif /* NVTXH_ELF_IMAGE_H */
