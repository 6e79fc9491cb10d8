/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_ELF_SEARCH_H
#define NVTXH_ELF_SEARCH_H
/* Finds programs and libraries as the system does. */
#include "image.h"

#include <limits.h>

/* Finds the library `name` for an image at `path`, usually as the dynamic linker would. False: it was not found. */
bool search_library(const struct image *image, const char *path, const char *name, char ret_path[PATH_MAX]);

/* Finds a program as execvp does. False: it was not found. */
bool search_program(const char *name, char ret_path[PATH_MAX]);

#endif /* NVTXH_ELF_SEARCH_H */
