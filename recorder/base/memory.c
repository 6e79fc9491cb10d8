/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int fatal_status = 1;

struct guard {
    jmp_buf back;
    char *error;
    size_t size;
};
static __thread struct guard *guard; /* of the innermost unless_fatal */

void fatal(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (guard) {
        vsnprintf(guard->error, guard->size, format,
                  args); /* NOLINT(clang-analyzer-valist.Uninitialized) */
    } else {
        fputs("nvtxh: ", stderr);
        vfprintf(stderr, format, args); /* NOLINT(clang-analyzer-valist.Uninitialized) */
        fputc('\n', stderr);
    }
    va_end(args);
    if (guard) {
        longjmp(guard->back, 1);
    }
    exit(fatal_status);
}

bool unless_fatal(void (*f)(void *arg), void *arg, char *ret_error, size_t error_size)
{
    struct guard own = {.error = ret_error, .size = error_size}, *const outer = guard;

    if (setjmp(own.back)) {
        guard = outer;
        return false;
    }
    guard = &own;
    f(arg);
    guard = outer;
    return true;
}

void memory_is_out(void)
{
    fatal("out of memory");
}

void *must_alloc(void *old, size_t count, size_t size)
{
    size_t bytes = count * size;
    bool fits = size == 0 || count <= SIZE_MAX / size;
    void *p = fits ? realloc(old, bytes > 0 ? bytes : 1) : NULL;

    if (!p) {
        memory_is_out();
    }
    return p;
}

char *must_copy(const char *text, size_t most)
{
    size_t size = strnlen(text, most);
    char *copy = must_alloc(NULL, size + 1, 1);

    memcpy(copy, text, size);
    copy[size] = 0;
    return copy;
}

FILE *must_open_text(char **ret_text, size_t *ret_size)
{
    FILE *out = open_memstream(ret_text, ret_size);

    if (!out) {
        memory_is_out();
    }
    return out;
}

void must_close_text(FILE *out, char *const *text)
{
    bool failed = ferror(out) != 0;

    if (fclose(out) != 0 || failed || !*text) {
        memory_is_out();
    }
}
