/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "file_alloc.h"
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Writes zeroes, which costs the file system much less per page than a first store through a mapping. Used only where
 * the program cannot close and reuse `fd` meanwhile, or where posix_fallocate is forbidden. */
static int write_zeroes(int fd, uint64_t offset, size_t size)
{
    static const char zeroes[1 << 16];

    for (size_t done = 0; done < size;) {
        size_t n = size - done < sizeof(zeroes) ? size - done : sizeof(zeroes);
        ssize_t written = pwrite(fd, zeroes, n, (off_t)(offset + done));
        if (written == 0 || (written < 0 && errno != EINTR)) {
            return written ? errno : ENOSPC;
        }
        done += written > 0 ? (size_t)written : 0;
    }
    return 0;
}

/* Allocates blocks before the first store: then a full disk is an error here, not a crash later. */
static int allocate(int fd, uint64_t offset, size_t size)
{
    int error;

    do {
        error = posix_fallocate(fd, (off_t)offset, (off_t)size);
    } while (error == EINTR);
    /* A sandbox may forbid the system call. */
    return error == ENOSYS || error == EPERM ? write_zeroes(fd, offset, size) : error;
}

/* Extends the file without allocating blocks. Fails if the disk already has fewer free blocks than will be needed. */
static int reserve(int fd, uint64_t offset, size_t size)
{
    struct statvfs fs;

    if (fstatvfs(fd, &fs) == 0 && fs.f_blocks && fs.f_bavail < size / fs.f_frsize) {
        return ENOSPC;
    }
    return pwrite(fd, "", 1, (off_t)(offset + size - 1)) == 1 ? 0 : errno;
}

/* How make_room makes room: with zeroes written first; with its pages mapped; without blocks. */
enum { AHEAD = 1, POPULATE = 2, RESERVE = 4 };

static void *make_room(int fd, size_t size, int how, uint64_t *ret_offset)
{
    struct rlimit limit;
    void *map = MAP_FAILED;
    int error = 0;
    uint64_t offset = file_take_offset(size);

    if (offset % REC_ALIGN || offset > (uint64_t)INT64_MAX - size) {
        error = EINVAL; /* the header was overwritten */
    } else if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && offset + size > limit.rlim_cur) {
        error = EFBIG; /* the kernel would send a signal that ends the program */
    } else {
        error = how & RESERVE ? reserve(fd, offset, size) : allocate(fd, offset, size);
    }
    if (!error && how & AHEAD) {
        write_zeroes(fd, offset, size);
    }
    if (!error) {
        map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
        error = map == MAP_FAILED ? errno : 0;
    }
    if (!error && how & POPULATE) {
        file_alloc_populate(map, size);
    }
    if (error) {
        file_give_back(offset, size);
    }
    *ret_offset = offset;
    errno = error;
    return error ? NULL : map;
}

/* `sure`: a descriptor that is known to be valid, or -1. */
static void *make_for(uint32_t number, int sure, size_t size, int how, uint64_t *ret_offset)
{
    int fd = file_hold(number, sure);
    void *room = fd < 0 ? NULL : make_room(fd, size, how, ret_offset);

    file_let_go(fd, sure);
    return room;
}

struct rec_chunk *file_alloc_chunk(uint32_t number, size_t size)
{
    uint64_t offset;
    return make_for(number, -1, size, POPULATE, &offset);
}

struct rec_chunk *file_alloc_chunk_ahead(uint32_t number, int own_descriptor, size_t size)
{
    uint64_t offset;
    return make_for(number, own_descriptor, size, AHEAD | POPULATE, &offset);
}

void *file_alloc_reserve(uint32_t number, size_t size, uint64_t *ret_offset)
{
    return make_for(number, -1, size, RESERVE, ret_offset);
}

int file_alloc_blocks(uint32_t number, uint64_t offset, size_t size)
{
    int fd = file_hold(number, -1);
    int error = fd < 0 ? errno : allocate(fd, offset, size);

    file_let_go(fd, -1);
    return error;
}

void file_alloc_populate(void *room, size_t size)
{
    madvise(room, size, MADV_POPULATE_WRITE); /* only for speed; older kernels refuse */
}
