/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* To be preloaded: among the recorder's calls of the functions below, or of FAULT_OF alone, number
 * FAULT_AT fails, or, with FAULT_ON set, all from there on. Writes to the file FAULT_REACHED which
 * function that was. */
#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS /* with it, functions are declared by their other names */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static uintptr_t from, to; /* the recorder */
static int calls;

static int find(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size;
    (void)unused;
    if (!strstr(object->dlpi_name, "libnvtxh-record")) {
        return 0;
    }
    from = object->dlpi_addr;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[i];
        if (p->p_type == PT_LOAD && from + p->p_vaddr + p->p_memsz > to) {
            to = from + p->p_vaddr + p->p_memsz;
        }
    }
    return 1;
}

static int open_really(const char *path, int flags) {
    return openat(AT_FDCWD, path, flags, 0600);
}

static int fails(const char *function, const void *caller) {
    const char *at = getenv("FAULT_AT"), *reached = getenv("FAULT_REACHED");
    const char *of = getenv("FAULT_OF");

    if (!to) {
        dl_iterate_phdr(find, NULL);
    }
    if (!at || !reached || (of && strcmp(of, function) != 0) || (uintptr_t)caller < from ||
        (uintptr_t)caller >= to) {
        return 0;
    }
    int n = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED), wanted = atoi(at);
    if (n == wanted) {
        int fd = open_really(reached, O_WRONLY | O_CREAT);
        ssize_t ignored = write(fd, function, strlen(function));
        (void)ignored;
        close(fd);
    }
    return n == wanted || (getenv("FAULT_ON") && n > wanted);
}

#define REAL(result, name, ...)                                                                    \
    static result (*real)(__VA_ARGS__);                                                            \
    if (!real) {                                                                                   \
        *(void **)(void *)&real = dlsym(RTLD_NEXT, #name);                                         \
    }
#define FAIL(name, error, result)                                                                  \
    if (fails(#name, __builtin_return_address(0))) {                                               \
        errno = (error);                                                                           \
        return (result);                                                                           \
    }

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset) {
    REAL(void *, mmap, void *, size_t, int, int, int, off_t)
    FAIL(mmap, ENOMEM, MAP_FAILED)
    return real(address, size, protection, flags, fd, offset);
}

int open(const char *path, int flags, ...) {
    va_list list;

    FAIL(open, EMFILE, -1)
    va_start(list, flags);
    mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
    va_end(list);
    return openat(AT_FDCWD, path, flags, mode);
}

int posix_fallocate(int fd, off_t offset, off_t size) {
    REAL(int, posix_fallocate, int, off_t, off_t)
    return fails("posix_fallocate", __builtin_return_address(0)) ? ENOSPC : real(fd, offset, size);
}

int ftruncate(int fd, off_t size) {
    REAL(int, ftruncate, int, off_t)
    FAIL(ftruncate, EIO, -1)
    return real(fd, size);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset) {
    REAL(ssize_t, pwrite, int, const void *, size_t, off_t)
    FAIL(pwrite, EIO, -1)
    return real(fd, bytes, size, offset);
}

int madvise(void *address, size_t size, int advice) {
    REAL(int, madvise, void *, size_t, int)
    FAIL(madvise, EINVAL, -1)
    return real(address, size, advice);
}

int pthread_create(pthread_t *ret, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *arg) {
    REAL(int, pthread_create, pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)
    return fails("pthread_create", __builtin_return_address(0)) ? EAGAIN
                                                                : real(ret, attributes, run, arg);
}

int pthread_setspecific(pthread_key_t key, const void *value) {
    REAL(int, pthread_setspecific, pthread_key_t, const void *)
    return fails("pthread_setspecific", __builtin_return_address(0)) ? ENOMEM : real(key, value);
}

int pthread_key_create(pthread_key_t *ret, void (*destructor)(void *)) {
    REAL(int, pthread_key_create, pthread_key_t *, void (*)(void *))
    return fails("pthread_key_create", __builtin_return_address(0)) ? EAGAIN
                                                                    : real(ret, destructor);
}

int clock_gettime(clockid_t clock, struct timespec *ret) {
    REAL(int, clock_gettime, clockid_t, struct timespec *)
    FAIL(clock_gettime, EINVAL, -1)
    return real(clock, ret);
}

ssize_t readlink(const char *restrict path, char *restrict ret, size_t size) {
    REAL(ssize_t, readlink, const char *, char *, size_t)
    FAIL(readlink, ENOENT, -1)
    return real(path, ret, size);
}

/* The same functions by their names with 64; offsets have 64 bits in both. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmissing-attributes" /* nothing is gained by them here */
#endif
#define ALSO(result, name, ...) result name##64(__VA_ARGS__) __attribute__((alias(#name)));
ALSO(void *, mmap, void *, size_t, int, int, int, off_t)
ALSO(int, open, const char *, int, ...)
ALSO(int, posix_fallocate, int, off_t, off_t)
ALSO(int, ftruncate, int, off_t)
ALSO(ssize_t, pwrite, int, const void *, size_t, off_t)
