/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "memory.h"

#include <stdint.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int fatal_status = 1;

/* What memory_is_out calls in this thread; NULL: nothing. */
static __thread void (*when_out)(void *arg);
static __thread void *when_out_arg;

void memory_when_out(void (*f)(void *arg), void *arg) {
    when_out = f;
    when_out_arg = arg;
}

void memory_is_out(void) {
    if (when_out) {
        when_out(when_out_arg);
    }
    fputs("nvtxh: out of memory\n", stderr);
    exit(fatal_status);
}

void *must_alloc(void *old, size_t count, size_t size) {
    size_t bytes = count * size;
    bool fits = size == 0 || count <= SIZE_MAX / size;
    void *p = fits ? realloc(old, bytes > 0 ? bytes : 1) : NULL;

    if (!p) {
        memory_is_out();
    }
    return p;
}

void *must_copy_array(void *old, const void *from, size_t count, size_t size) {
    void *p = must_alloc(old, count, size);

    if (count) {
        memcpy(p, from, count * size);
    }
    return p;
}

char *must_copy(const char *text, size_t most) {
    size_t size = strnlen(text, most);
    char *copy = must_alloc(NULL, size + 1, 1);

    memcpy(copy, text, size);
    copy[size] = 0;
    return copy;
}

char *must_print(const char *format, ...) {
    va_list args;
    char *text;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0) {
        memory_is_out();
    }
    va_end(args);
    return text;
}

FILE *must_open_text(char **ret_text, size_t *ret_size) {
    FILE *out = open_memstream(ret_text, ret_size);

    if (!out) {
        memory_is_out();
    }
    return out;
}

void must_close_text(FILE *out, char *const *text) {
    bool failed = ferror(out) != 0;

    if (fclose(out) != 0 || failed || !*text) {
        memory_is_out();
    }
}
