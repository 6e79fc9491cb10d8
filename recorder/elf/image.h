/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* A program, shared object or object file as it would be in memory: bytes by address, with
 * relocated pointers. Only 64-bit files of this machine's byte order can be read. */
#include "../util/io.h"
#include "../util/map.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image {
    struct image_section {
        uint64_t address, size;
        const unsigned char *bytes;
        char *name;
        bool writable;
    } * sections; /* sorted by address */
    size_t count, capacity;
    struct map pointers; /* address -> the word that a relocation puts there */
    unsigned machine;    /* the kind of processor, as ELF's number (e_machine) */
    bool shared_object;  /* it cannot be run: it is a shared object or an object file */
    bool is_static;      /* it is a program that needs no dynamic linker */
    int fd;
    void *elf;
    char **needed; /* names of the shared objects that it is linked with */
    size_t needed_count, needed_capacity;
    char *run_path;    /* DT_RUNPATH or, if there is none, DT_RPATH; NULL: neither */
    bool has_runpath;  /* run_path is DT_RUNPATH */
    char *interpreter; /* the dynamic linker that a program asks for, or NULL */
};

/* False: the file cannot be read, or nvtxh was built without libelf; ret_error says why in one
 * line. */
bool image_open(struct image *image, const char *path, struct error *ret_error);
void image_close(struct image *image);

/* Read the word, or the NUL-terminated text, at an address. False, or NULL, if the image has none
 * there. */
bool image_word(const struct image *image, uint64_t address, uint64_t *ret_word);
const char *image_text(const struct image *image, uint64_t address);

/* Whether a loaded section contains this text and its terminator. */
bool image_has_text(const struct image *image, const char *text);

/* Whether a loaded section contains NVTX_INJECTION64_PATH, the variable that tells NVTX which tool
 * to load. */
bool image_uses_nvtx(const struct image *image);

/* Whether the image is linked with musl. Such a program cannot load libraries that are linked with
 * glibc. */
bool image_is_musl(const struct image *image);

/* What an image's symbols show. tool: it has the entry point of an NVTX tool. v3: it defines NVTX
 * 3's functions. hooks: it was compiled with -finstrument-functions. */
struct image_symbols {
    bool tool, v3, hooks;
};
struct image_symbols image_symbols(const struct image *image);

/* Finds the library `name` for an image at `path`, usually as the dynamic linker would. False: it
 * was not found. */
bool search_library(const struct image *image, const char *path, const char *name,
                    char ret_path[PATH_MAX]);

/* Finds a program: a name with a slash as it is, others in $PATH. False: it was not found. */
bool search_program(const char *name, char ret_path[PATH_MAX]);

/* --- the records that nvtxh's annotations leave in a program: see nvtxh/core/site.h ----------- */

struct site {
    const char *message; /* a printf format if is_format; NULL: it is known only at run time */
    const char *file, *function;
    const char *domain; /* the domain of its source file; NULL: NVTX's default domain */
    uint32_t line;
    const char *kind; /* "scope", "mark", "push" or "range" */
    bool is_format;
    bool elsewhere; /* the annotation names another domain, which is known only at run time */
};

struct sites {
    struct site *all; /* sorted by file and line */
    size_t count, capacity;
    size_t bytes; /* of the sites' strings */
    bool cut;     /* more sites were left out, because their strings would take too much memory */
};

/* Finds the records. C compilers and clang++ put them into the section nvtxh_sites; g++ puts them
 * into writable data. */
void sites_find(struct sites *s, const struct image *image);
void sites_free(struct sites *s);
