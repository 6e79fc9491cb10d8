/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Memory, growing arrays, and the order of sorted arrays. Callers need not handle failed
 * allocations: memory_is_out is then called, and does not return. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Called if no memory is left: prints "nvtxh: out of memory", and exits with `fatal_status`
 * (default 1). In a thread that has called memory_when_out, calls f(arg) instead; f must not
 * return. */
__attribute__((noreturn, cold)) void memory_is_out(void);
void memory_when_out(void (*f)(void *arg), void *arg);
extern int fatal_status;

/* realloc for `count` elements of `size` bytes; never NULL. */
void *must_alloc(void *old, size_t count, size_t size);

/* Returns a copy of an array, in the resized memory `old` (NULL: in new memory); never NULL. */
void *must_copy_array(void *old, const void *from, size_t count, size_t size);

/* A copy of at most `most` bytes of a text; never NULL. */
char *must_copy(const char *text, size_t most);

/* The text that printf would print. Free it. */
__attribute__((format(printf, 1, 2))) char *must_print(const char *format, ...);

/* open_memstream, and the fclose that completes the text. The caller frees *ret_text. */
FILE *must_open_text(char **ret_text, size_t *ret_size);
void must_close_text(FILE *out, char *const *text);

/* Makes room for one more element in a growing array. */
#define ARRAY_ADD(array, count, capacity)                                                          \
    ((count) < (capacity) ? (void)0                                                                \
                          : (void)((capacity) = (capacity) ? (capacity)*2 : 2,                     \
                                   (array) = must_alloc((array), (capacity), sizeof(*(array)))))

/* Adds an element to a growing array; returns its address. A value that is assigned to the element
 * must not be read from the array, which may move. */
#define ARRAY_NEW(array, count, capacity) (ARRAY_ADD(array, count, capacity), &(array)[(count)++])

/* Sorts an array, which may be NULL if it has no elements. */
#define ARRAY_SORT(array, count, by)                                                               \
    ((count) ? qsort((array), (count), sizeof(*(array)), (by)) : (void)0) /* needs stdlib.h */

/* The first index from `low` to `high` for which `is_before`, an expression of the index `i`, is
 * not true; `high` if there is none. */
#define ARRAY_SEARCH(i, low, high, is_before)                                                      \
    __extension__({                                                                                \
        size_t low_ = (low), high_ = (high);                                                       \
        while (low_ < high_) {                                                                     \
            size_t i = low_ + (high_ - low_) / 2;                                                  \
            if (is_before) {                                                                       \
                low_ = i + 1;                                                                      \
            } else {                                                                               \
                high_ = i;                                                                         \
            }                                                                                      \
        }                                                                                          \
        low_;                                                                                      \
    })

/* ORDER is -1, 0 or 1. ORDERS is the first of several orders that is not 0:
 * ORDERS(ORDER(a, b) ?: ORDER(c, d)). */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))
#define ORDERS(orders) __extension__(orders)

/* Defines a function for ARRAY_SORT, which compares the elements *x and *y of an array. */
#define ARRAY_ORDER(function, type, orders)                                                        \
    static int function(const void *a_, const void *b_) {                                          \
        const type *x = a_, *y = b_;                                                               \
        return ORDERS(orders);                                                                     \
    }
