/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* To be preloaded: hinders the command `nvtxh`, and no other program. HINDER=clock: CLOCK_REALTIME
 * is ten hours ahead of the kernel's. HINDER=power: a file that gets its name while not all of it
 * is on the disk is empty, as after a power cut. HINDER=count: it says at the end how often it has
 * read the head of a chunk. HINDER=pread or realloc: that function fails while the file HINDER_FROM
 * is there, but not in the first thread. HINDER=copy: so does realloc, in a thread that has written
 * to a file. HINDER=begin: it takes a while until a new recording has its header. HINDER=room, in
 * every program: a thread that is not the first waits before it makes a file longer. */
#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS /* with it, functions are declared by their other names */
#include "../../recorder/format/format.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const char *what = "", *from = "";
static int (*real_clock_gettime)(clockid_t, struct timespec *);
static long heads;
static __thread int has_written;
static int unsynced; /* the file written last is not on the disk */
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static int (*real_rename)(const char *, const char *);
static long (*real_syscall)(long, long, long, long, long, long, long);
static ssize_t (*real_pread)(int, void *, size_t, off_t);
static void *(*real_realloc)(void *, size_t);

__attribute__((constructor)) static void begin(void) {
    const char *hinder = getenv("HINDER"), *path = getenv("HINDER_FROM");

    *(void **)(void *)&real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
    *(void **)(void *)&real_pread = dlsym(RTLD_NEXT, "pread");
    *(void **)(void *)&real_realloc = dlsym(RTLD_NEXT, "realloc");
    *(void **)(void *)&real_pwrite = dlsym(RTLD_NEXT, "pwrite");
    *(void **)(void *)&real_rename = dlsym(RTLD_NEXT, "rename");
    *(void **)(void *)&real_syscall = dlsym(RTLD_NEXT, "syscall");
    from = path ? path : from;
    if (hinder && (!strcmp(hinder, "room") || !strcmp(program_invocation_short_name, "nvtxh"))) {
        what = hinder;
    }
}

__attribute__((destructor)) static void end(void) {
    if (!strcmp(what, "count")) {
        fprintf(stderr, "%ld heads\n", heads);
    }
}

static int fails(const char *name) {
    return !strcmp(what, name) && syscall(SYS_gettid) != getpid() && access(from, F_OK) == 0;
}

int clock_gettime(clockid_t clock, struct timespec *ret) {
    int answer = real_clock_gettime(clock, ret);

    ret->tv_sec += clock == CLOCK_REALTIME && !strcmp(what, "clock") ? 36000 : 0;
    return answer;
}

ssize_t pread(int fd, void *bytes, size_t size, off_t offset) {
    static const struct rec_chunk empty;
    static int pauses;

    heads += size == sizeof(struct rec_chunk);
    errno = EIO;
    ssize_t got = fails("pread") ? -1 : real_pread(fd, bytes, size, offset);
    if (!strcmp(what, "search") && got == sizeof(empty) && !memcmp(bytes, &empty, sizeof(empty)) &&
        pauses++ % 7 < 3) {
        usleep(500);
    }
    return got;
}

ssize_t pread64(int fd, void *bytes, size_t size, off_t offset) {
    return pread(fd, bytes, size, offset);
}

void *realloc(void *old, size_t size) {
    errno = ENOMEM;
    return fails("realloc") || (has_written && fails("copy")) ? NULL : real_realloc(old, size);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset) {
    unsynced = has_written = 1;
    if (!strcmp(what, "begin") && size == REC_HEADER_SIZE) {
        usleep(300000);
    }
    return real_pwrite(fd, bytes, size, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off_t offset) {
    return pwrite(fd, bytes, size, offset);
}

int fdatasync(int fd) {
    (void)fd;
    unsynced = 0;
    return 0;
}

int posix_fallocate(int fd, off_t offset, off_t size) {
    if (!strcmp(what, "room") && syscall(SYS_gettid) != getpid()) {
        usleep(50000);
    }
    return (int)syscall(SYS_fallocate, fd, 0, offset, size) ? errno : 0;
}

int posix_fallocate64(int fd, off_t offset, off_t size) {
    return posix_fallocate(fd, offset, size);
}

static void cut(const char *path) {
    if (!strcmp(what, "power") && unsynced && truncate(path, 0) != 0) {
        abort();
    }
}

int rename(const char *old, const char *new) {
    cut(old);
    return real_rename(old, new);
}

long syscall(long number, ...) {
    long a[6];
    va_list list;

    va_start(list, number);
    for (int i = 0; i < 6; i++) {
        a[i] = va_arg(list, long);
    }
    va_end(list);
    if (number == SYS_renameat2) {
        cut((const char *)a[1]);
    }
    return real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
