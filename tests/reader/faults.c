/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* To be preloaded: among the calls of the functions below, number FAULT_AT fails, and with FAULT_ON
 * set all later ones. Writes a line for each call to the descriptor FAULT_LIST: the function, and a
 * number for the chain of callers. With FAULT_OF_PROGRAM set, calls by shared objects do not
 * count. */
#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS /* with it, functions are declared by their other names */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

enum { CALLERS = 9 };

static long at = -1, calls;
static int list = -1;
static bool ready, on;
static __thread bool within;
static uintptr_t from, to = UINTPTR_MAX; /* the code whose calls count */

static int find_program(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size;
    (void)unused;
    from = UINTPTR_MAX;
    to = 0;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[i];
        uintptr_t begins = object->dlpi_addr + p->p_vaddr, ends = begins + p->p_memsz;
        if (p->p_type == PT_LOAD) {
            from = begins < from ? begins : from;
            to = ends > to ? ends : to;
        }
    }
    return 1; /* it is the first one */
}

__attribute__((constructor)) static void begin(void) {
    const char *number = getenv("FAULT_AT"), *descriptor = getenv("FAULT_LIST");
    void *callers[2];

    backtrace(callers, 2); /* the first call of backtrace loads a library */
    if (getenv("FAULT_OF_PROGRAM")) {
        dl_iterate_phdr(find_program, NULL);
    }
    on = getenv("FAULT_ON");
    at = number ? atol(number) : -1;
    list = descriptor ? atoi(descriptor) : -1;
    ready = true;
}

static void note(const char *function) {
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

static bool fails_for(const char *function, const void *caller) {
    if (!ready || within || (uintptr_t)caller < from || (uintptr_t)caller >= to) {
        return false;
    }
    within = true; /* ignores our own calls */
    long number = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    if (list >= 0) {
        note(function);
    }
    within = false;
    return number == at || (on && number > at);
}
#define fails(function) fails_for(function, __builtin_return_address(0))

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

void *malloc(size_t size) {
    FAIL(malloc, ENOMEM, NULL)
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    FAIL(calloc, ENOMEM, NULL)
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    FAIL(realloc, ENOMEM, NULL)
    return __libc_realloc(old, size);
}

int posix_memalign(void **ret, size_t alignment, size_t size) {
    *ret = fails("posix_memalign") ? NULL : __libc_memalign(alignment, size);
    return *ret ? 0 : ENOMEM;
}

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset) {
    FAIL(mmap, ENOMEM, MAP_FAILED)
    return (void *)syscall(SYS_mmap, address, size, protection, flags, fd, offset);
}

int open(const char *path, int flags, ...) {
    va_list more;

    FAIL(open, EMFILE, -1)
    va_start(more, flags);
    int mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, int) : 0;
    va_end(more);
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

FILE *fopen(const char *path, const char *mode) {
    REAL(FILE *, fopen, const char *, const char *)
    FAIL(fopen, EMFILE, NULL)
    return real(path, mode);
}

FILE *fdopen(int fd, const char *mode) {
    REAL(FILE *, fdopen, int, const char *)
    FAIL(fdopen, ENOMEM, NULL)
    return real(fd, mode);
}

FILE *open_memstream(char **ret, size_t *ret_size) {
    REAL(FILE *, open_memstream, char **, size_t *)
    FAIL(open_memstream, ENOMEM, NULL)
    return real(ret, ret_size);
}

int mkostemp(char *path, int flags) {
    REAL(int, mkostemp, char *, int)
    FAIL(mkostemp, EACCES, -1)
    return real(path, flags);
}

ssize_t read(int fd, void *bytes, size_t size) {
    FAIL(read, EIO, -1)
    return syscall(SYS_read, fd, bytes, size);
}

ssize_t pread(int fd, void *bytes, size_t size, off_t offset) {
    FAIL(pread, EIO, -1)
    return syscall(SYS_pread64, fd, bytes, size, offset);
}

ssize_t write(int fd, const void *bytes, size_t size) {
    FAIL(write, ENOSPC, -1)
    return syscall(SYS_write, fd, bytes, size);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset) {
    FAIL(pwrite, ENOSPC, -1)
    return syscall(SYS_pwrite64, fd, bytes, size, offset);
}

int ftruncate(int fd, off_t size) {
    FAIL(ftruncate, EIO, -1)
    return (int)syscall(SYS_ftruncate, fd, size);
}

int fstat(int fd, struct stat *ret) {
    REAL(int, fstat, int, struct stat *)
    FAIL(fstat, EIO, -1)
    return real(fd, ret);
}

void *dlopen(const char *path, int flags) {
    REAL(void *, dlopen, const char *, int)
    return fails("dlopen") ? NULL : real(path, flags);
}

int clock_gettime(clockid_t clock, struct timespec *ret) {
    FAIL(clock_gettime, EINVAL, -1)
    return (int)syscall(SYS_clock_gettime, clock, ret);
}

int pthread_atfork(void (*before)(void), void (*parent)(void), void (*child)(void)) {
    REAL(int, pthread_atfork, void (*)(void), void (*)(void), void (*)(void))
    return fails("pthread_atfork") ? ENOMEM : real(before, parent, child);
}

int rename(const char *old, const char *new) {
    FAIL(rename, EACCES, -1)
    return renameat(AT_FDCWD, old, AT_FDCWD, new);
}

size_t fwrite(const void *restrict bytes, size_t size, size_t count, FILE *restrict to) {
    REAL(size_t, fwrite, const void *, size_t, size_t, FILE *)
    FILE *stream = to;
    if (stream != stderr && fails("fwrite")) {
        stream->_flags |= 0x20; /* ferror() finds it */
        errno = ENOSPC;
        return 0;
    }
    return real(bytes, size, count, to);
}

int fclose(FILE *file) {
    REAL(int, fclose, FILE *)
    bool failed = fails("fclose");
    int result = real(file);
    if (failed) {
        errno = EIO;
    }
    return failed ? EOF : result;
}

int fflush(FILE *file) {
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
