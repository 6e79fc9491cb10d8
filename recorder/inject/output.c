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
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE 2u
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

int output_own_descriptor(void)
{
#ifdef SYS_close_range
    int fd = descriptor();
    struct stat st;

    if (fd < 0) {
        return -1;
    }
    /* In this order the program's own descriptors are in our table for a moment only, if at all. */
    if (syscall(SYS_close_range, (unsigned)fd + 1, ~0u, CLOSE_RANGE_UNSHARE) == 0) {
        if (fd > 0) {
            syscall(SYS_close_range, 0u, (unsigned)fd - 1, 0u);
        }
        if (fstat(fd, &st) == 0 && st.st_dev == output.dev && st.st_ino == output.ino) {
            return fd;
        }
        close(fd);
    } else if (fd != output.fd) {
        close(fd);
    }
#endif
    return -1;
}

/* Zeroes written first make the file system's work per page a fraction of what it is at a first
 * store through a mapping. Not for a descriptor that may become another file's meanwhile. */
static void write_zeroes(int fd, uint64_t offset, size_t size)
{
    static const char zeroes[1 << 16];

    for (size_t done = 0; done < size;) {
        size_t n = size - done < sizeof(zeroes) ? size - done : sizeof(zeroes);
        ssize_t written = pwrite(fd, zeroes, n, (off_t)(offset + done));
        if (written <= 0) {
            break;
        }
        done += (size_t)written;
    }
}

static struct rec_chunk *make_chunk(int fd, size_t size, bool ahead)
{
    struct rlimit limit;
    void *map = MAP_FAILED;
    int error = 0;
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
    if (!error && ahead) {
        write_zeroes(fd, offset, size);
    }
    if (!error) {
        map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
        error = map == MAP_FAILED ? errno : 0;
    }
    if (!error) {
        madvise(map, size, MADV_POPULATE_WRITE); /* only for speed; older kernels refuse */
    }
    errno = error;
    return error ? NULL : map;
}

struct rec_chunk *output_chunk(size_t size)
{
    int fd = descriptor();

    if (fd < 0) {
        return NULL;
    }
    struct rec_chunk *chunk = make_chunk(fd, size, false);
    if (fd != output.fd) {
        int error = errno;
        close(fd);
        errno = error;
    }
    return chunk;
}

struct rec_chunk *output_chunk_ahead(int own_descriptor, size_t size)
{
    return make_chunk(own_descriptor, size, true);
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
