/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_PAGE_H
#define NVTXH_PAGE_H
/* The page without recordings: embed.py makes these two parts from the files in this folder. html.c writes the
 * recordings between them. */
#include <stddef.h>

extern const unsigned char page_before[], page_after[];
extern const size_t page_before_size, page_after_size;

#endif /* NVTXH_PAGE_H */
