/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * To be preloaded: of all calls of the functions below, wherever they come from, the one of number FAULT_AT fails. To the
 * descriptor FAULT_LIST goes a line for each call: its function and a number that stands for who called whom.
 */
#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS /* with it, functions are declared by their other names */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

enum { CALLERS = 9 };

static long at = -1, calls;
static int list = -1;
static bool ready, within;

__attribute__((constructor)) static void begin(void)
{
    const char *number = getenv("FAULT_AT"), *descriptor = getenv("FAULT_LIST");
    void *callers[2];

    backtrace(callers, 2); /* it loads a library the first time */
    at = number ? atol(number) : -1;
    list = descriptor ? atoi(descriptor) : -1;
    ready = true;
}

static void note(const char *function)
{
    void *callers[CALLERS];
    uint64_t hash = 0;
    char line[64];
    int n = backtrace(callers, CALLERS);

    for (int i = 2; i < n; i++) {
        hash = (hash ^ (uintptr_t)callers[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    n = snprintf(line, sizeof(line), "%s %llx\n", function, (unsigned long long)hash);
    syscall(SYS_write, list, line, (size_t)n);
}

static bool fails(const char *function)
{
    if (!ready || within) {
        return false;
    }
    within = true; /* what we call ourselves */
    calls++;
    if (list >= 0) {
        note(function);
    }
    within = false;
    return calls == at;
}

#define REAL(result, name, ...)                                                                    \
    static result (*real)(__VA_ARGS__);                                                            \
    if (!real) {                                                                                   \
        *(void **)(void *)&real = dlsym(RTLD_NEXT, #name);                                         \
    }
#define FAIL(name, error, result)                                                                  \
    if (fails(#name)) {                                                                            \
        errno = (error);                                                                           \
        return (result);                                                                           \
    }

void *malloc(size_t size)
{
    FAIL(malloc, ENOMEM, NULL)
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    FAIL(calloc, ENOMEM, NULL)
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    FAIL(realloc, ENOMEM, NULL)
    return __libc_realloc(old, size);
}

int posix_memalign(void **ret, size_t alignment, size_t size)
{
    *ret = fails("posix_memalign") ? NULL : __libc_memalign(alignment, size);
    return *ret ? 0 : ENOMEM;
}

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    FAIL(mmap, ENOMEM, MAP_FAILED)
    return (void *)syscall(SYS_mmap, address, size, protection, flags, fd, offset);
}

int open(const char *path, int flags, ...)
{
    va_list more;

    FAIL(open, EMFILE, -1)
    va_start(more, flags);
    int mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, int) : 0;
    va_end(more);
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
    REAL(FILE *, fopen, const char *, const char *)
    FAIL(fopen, EMFILE, NULL)
    return real(path, mode);
}

FILE *fdopen(int fd, const char *mode)
{
    REAL(FILE *, fdopen, int, const char *)
    FAIL(fdopen, ENOMEM, NULL)
    return real(fd, mode);
}

FILE *open_memstream(char **ret, size_t *ret_size)
{
    REAL(FILE *, open_memstream, char **, size_t *)
    FAIL(open_memstream, ENOMEM, NULL)
    return real(ret, ret_size);
}

int mkostemp(char *path, int flags)
{
    REAL(int, mkostemp, char *, int)
    FAIL(mkostemp, EACCES, -1)
    return real(path, flags);
}

ssize_t read(int fd, void *bytes, size_t size)
{
    FAIL(read, EIO, -1)
    return syscall(SYS_read, fd, bytes, size);
}

ssize_t pread(int fd, void *bytes, size_t size, off_t offset)
{
    FAIL(pread, EIO, -1)
    return syscall(SYS_pread64, fd, bytes, size, offset);
}

ssize_t write(int fd, const void *bytes, size_t size)
{
    FAIL(write, ENOSPC, -1)
    return syscall(SYS_write, fd, bytes, size);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
    FAIL(pwrite, ENOSPC, -1)
    return syscall(SYS_pwrite64, fd, bytes, size, offset);
}

int ftruncate(int fd, off_t size)
{
    FAIL(ftruncate, EIO, -1)
    return (int)syscall(SYS_ftruncate, fd, size);
}

int fstat(int fd, struct stat *ret)
{
    REAL(int, fstat, int, struct stat *)
    FAIL(fstat, EIO, -1)
    return real(fd, ret);
}

int rename(const char *from, const char *to)
{
    FAIL(rename, EACCES, -1)
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

size_t fwrite(const void *restrict bytes, size_t size, size_t count, FILE *restrict to)
{
    REAL(size_t, fwrite, const void *, size_t, size_t, FILE *)
    FILE *stream = to;
    if (stream != stderr && fails("fwrite")) {
        stream->_flags |= 0x20; /* ferror() finds it */
        errno = ENOSPC;
        return 0;
    }
    return real(bytes, size, count, to);
}

int fclose(FILE *file)
{
    REAL(int, fclose, FILE *)
    bool failed = fails("fclose");
    int result = real(file);
    if (failed) {
        errno = EIO;
    }
    return failed ? EOF : result;
}

int fflush(FILE *file)
{
    REAL(int, fflush, FILE *)
    FAIL(fflush, ENOSPC, EOF)
    return real(file);
}

/* The same by their other names; offsets have 64 bits in any case. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmissing-attributes" /* nothing is gained by them here */
#endif
#define ALSO(result, name, ...) result name##64(__VA_ARGS__) __attribute__((alias(#name)));
ALSO(void *, mmap, void *, size_t, int, int, int, off_t)
ALSO(int, open, const char *, int, ...)
ALSO(FILE *, fopen, const char *, const char *)
ALSO(int, mkostemp, char *, int)
ALSO(ssize_t, pread, int, void *, size_t, off_t)
ALSO(ssize_t, pwrite, int, const void *, size_t, off_t)
ALSO(int, ftruncate, int, off_t)
