/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_BASE_MEMORY_H
#define NVTXH_BASE_MEMORY_H
/* Memory, growing arrays, and the order of sorted arrays. Running out of memory ends the program with a message, and
 * so does fatal for other errors. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Prints the message after "nvtxh: ", and ends the program with `fatal_status`, by default 1. Within
 * unless_fatal, ends that function with false instead. */
__attribute__((noreturn, cold)) void fatal(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
extern int fatal_status;

/* Runs f(arg). False with a message if f met an error that would otherwise end the program. What f had opened or
 * allocated by then is not released. */
bool unless_fatal(void (*f)(void *arg), void *arg, char *ret_error, size_t error_size);

__attribute__((noreturn, cold)) void memory_is_out(void);

/* realloc for `count` elements of `size` bytes; never NULL. */
void *must_alloc(void *old, size_t count, size_t size);

/* A copy of at most `most` bytes of a text; never NULL. */
char *must_copy(const char *text, size_t most);

/* open_memstream, and the fclose after which the text is complete. The caller then frees *ret_text. */
FILE *must_open_text(char **ret_text, size_t *ret_size);
void must_close_text(FILE *out, char *const *text);

/* Makes room for one more element in a growing array. */
#define ARRAY_ADD(array, count, room)                                                              \
    ((count) < (room) ? (void)0                                                                    \
                      : (void)((room) = (room) ? (room)*2 : 16,                                    \
                               (array) = must_alloc((array), (room), sizeof(*(array)))))

/* -1, 0 or 1, for qsort. */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

#endif /* NVTXH_BASE_MEMORY_H */
