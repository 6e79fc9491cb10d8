/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_MEMORY_H
#define NVTXH_READ_MEMORY_H
/* Memory, growing arrays, and how arrays are sorted. Running out of memory ends the program with a
 * message. */
#include <stddef.h>

/* realloc for `count` elements of `size` bytes; never NULL. */
void *must_alloc(void *old, size_t count, size_t size);

/* Makes room for one more in a growing array. */
#define ARRAY_ADD(array, count, room)                                                              \
    ((count) < (room) ? (void)0                                                                    \
                      : (void)((room) = (room) ? (room)*2 : 16,                                    \
                               (array) = must_alloc((array), (room), sizeof(*(array)))))

/* -1, 0 or 1, for qsort. */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

#endif /* NVTXH_READ_MEMORY_H */
