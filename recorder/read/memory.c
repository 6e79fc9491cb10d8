/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void *must_alloc(void *old, size_t count, size_t size)
{
    size_t bytes = count * size;
    bool fits = size == 0 || count <= SIZE_MAX / size;
    void *p = fits ? realloc(old, bytes > 0 ? bytes : 1) : NULL;

    if (!p) {
        fprintf(stderr, "nvtxh: out of memory\n");
        exit(1);
    }
    return p;
}
