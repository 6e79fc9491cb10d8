/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_ELF_SEARCH_H
#define NVTXH_ELF_SEARCH_H
/* Finds programs and libraries as the system does. */
#include "image.h"

#include <limits.h>

/* Where the dynamic linker will find a library that an image at `path` needs, in most cases. False: not found. */
bool search_library(const struct image *image, const char *path, const char *name,
                    char ret_path[PATH_MAX]);

/* A program as execvp finds it. False: not found. */
bool search_program(const char *name, char ret_path[PATH_MAX]);

#endif /* NVTXH_ELF_SEARCH_H */
