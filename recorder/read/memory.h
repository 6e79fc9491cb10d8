/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_MEMORY_H
#define NVTXH_READ_MEMORY_H
/* Memory, growing arrays, and how arrays are sorted. Running out of memory ends the program with a
 * message, and so does what else cannot be gone on after. */
#include <stddef.h>
#include <stdio.h>

/* Says what happened, after "nvtxh: ", and ends the program with `fatal_status`, which is 1 if nobody sets it. */
__attribute__((noreturn, cold)) void fatal(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
extern int fatal_status;

__attribute__((noreturn, cold)) void memory_is_out(void);

/* realloc for `count` elements of `size` bytes; never NULL. */
void *must_alloc(void *old, size_t count, size_t size);

/* A copy of a text, up to `most` bytes of it; never NULL. */
char *must_copy(const char *text, size_t most);

/* open_memstream, and fclose, after which all that was written is in the text; *ret_text is the caller's to free. */
FILE *must_open_text(char **ret_text, size_t *ret_size);
void must_close_text(FILE *out, char *const *text);

/* Makes room for one more in a growing array. */
#define ARRAY_ADD(array, count, room)                                                              \
    ((count) < (room) ? (void)0                                                                    \
                      : (void)((room) = (room) ? (room)*2 : 16,                                    \
                               (array) = must_alloc((array), (room), sizeof(*(array)))))

/* -1, 0 or 1, for qsort. */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

#endif /* NVTXH_READ_MEMORY_H */
