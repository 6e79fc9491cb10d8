/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output.h"
#include "../format/clock.h"
#include "../format/create.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum rec_clock output_clock = REC_CLOCK_MONOTONIC;

static struct {
    int fd;
    dev_t dev;
    ino_t ino;
    struct rec_header *header; /* shared with every process of the recording */
    char path[PATH_MAX];
} output = {.fd = -1};

static void say(const char *what, const char *why)
{
    char line[PATH_MAX + 200];
    int n = snprintf(line, sizeof(line), "nvtxh: %s (%s): %s; the program runs on unrecorded\n",
                     what, output.path, why);
    if (n > 0) {
        size_t size = (size_t)n < sizeof(line) ? (size_t)n : sizeof(line) - 1;
        ssize_t ignored = write(STDERR_FILENO, line, size);
        (void)ignored;
    }
}

/* A descriptor out of the program's way: low numbers are what shells and daemons hand out by hand.
 */
static int move_high(int fd)
{
    int high = fcntl(fd, F_DUPFD_CLOEXEC, 200);
    if (high >= 0) {
        close(fd);
        return high;
    }
    return fd;
}

/* Without a session in the environment this process begins one, next to where it was started. */
static int create(const char *wanted)
{
    uint8_t session[16];
    char exe[PATH_MAX] = "program";
    char name[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

    exe[n > 0 ? n : 7] = 0;
    const char *base = strrchr(exe, '/') ? strrchr(exe, '/') + 1 : exe;
    if (wanted) {
        snprintf(name, sizeof(name), "%s", wanted);
    } else if (snprintf(name, sizeof(name), "%s.%d.nvtxh", base, (int)getpid()) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (name[0] == '/' || !getcwd(output.path, sizeof(output.path))) {
        output.path[0] = 0;
    }
    size_t length = strlen(output.path);
    n = snprintf(output.path + length, sizeof(output.path) - length, "%s%s", length ? "/" : "",
                 name);
    if ((size_t)n + length >= sizeof(output.path)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = rec_create(output.path, false, exe, session);
    if (fd < 0 && errno == EEXIST && wanted) {
        /* Somebody else's, or that of the process that started this one: never over it. */
        length = strlen(output.path);
        snprintf(output.path + length, sizeof(output.path) - length, ".%d", (int)getpid());
        fd = rec_create(output.path, false, exe, session);
    }
    return fd;
}

int output_open(void)
{
    struct stat st;
    const char *file = secure_getenv(REC_ENV_FILE);
    const char *session = secure_getenv(REC_ENV_SESSION);

    if (getauxval(AT_SECURE)) {
        return EPERM; /* nothing is written on behalf of a program with more rights than its caller
                       */
    }
    output_clock = clock_choose();
    if (file && session) {
        snprintf(output.path, sizeof(output.path), "%s", file);
        output.fd = rec_join(file, session);
    } else {
        output.fd = create(file && *file ? file : NULL);
    }
    if (output.fd < 0) {
        int error = errno;
        say("cannot open the recording", strerror(error));
        return error;
    }
    output.fd = move_high(output.fd);
    void *map = mmap(NULL, REC_HEADER_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, output.fd, 0);
    if (map == MAP_FAILED || fstat(output.fd, &st) < 0) {
        int error = errno;
        say("cannot map the recording", strerror(error));
        close(output.fd);
        output.fd = -1;
        return error;
    }
    output.header = map;
    output.dev = st.st_dev;
    output.ino = st.st_ino;
    return 0;
}

/* The program may have closed our descriptor, and the number may now be a file of its own. */
static int descriptor(void)
{
    struct stat st;

    if (fstat(output.fd, &st) == 0 && st.st_dev == output.dev && st.st_ino == output.ino) {
        return output.fd;
    }
    int fd = open(output.path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        return -1;
    }
    if (fstat(fd, &st) < 0 || st.st_dev != output.dev || st.st_ino != output.ino) {
        close(fd);
        errno = ESTALE;
        return -1;
    }
    return fd;
}

struct rec_chunk *output_chunk(size_t size)
{
    struct rlimit limit;
    void *map = MAP_FAILED;
    int error = 0;
    int fd = descriptor();

    if (fd < 0) {
        return NULL;
    }
    uint64_t offset = __atomic_fetch_add(&output.header->next_offset, size, __ATOMIC_RELAXED);
    if (offset % REC_ALIGN || offset > (uint64_t)INT64_MAX - size) {
        error = EINVAL; /* somebody scribbled over the header */
    } else if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && offset + size > limit.rlim_cur) {
        error = EFBIG; /* asking the kernel would be answered with a deadly signal */
    } else {
        /* Real blocks before the first store: a full disk is an error here, a crash there. */
        do {
            error = posix_fallocate(fd, (off_t)offset, (off_t)size);
        } while (error == EINTR);
    }
    if (!error) {
        map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
        error = map == MAP_FAILED ? errno : 0;
    }
    if (!error) {
        madvise(map, size, MADV_POPULATE_WRITE); /* only for speed; older kernels refuse */
    }
    if (fd != output.fd) {
        close(fd);
    }
    errno = error;
    return error ? NULL : map;
}

void output_release(struct rec_chunk *chunk, size_t size)
{
    munmap(chunk, size);
}

uint32_t output_next_process(void)
{
    return __atomic_fetch_add(&output.header->next_process, 1, __ATOMIC_RELAXED);
}

void output_complain(int error)
{
    if (!__atomic_exchange_n(&output.header->complained, 1, __ATOMIC_RELAXED)) {
        say("recording stopped", strerror(error));
    }
}
