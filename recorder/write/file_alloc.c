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

/* Zeroes written first make the file system's work per page a fraction of what it is at a first
 * store through a mapping. Not for a descriptor that may become another file's meanwhile. */
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

/* Real blocks before the first store: a full disk is an error here, a crash there. */
static int allocate(int fd, uint64_t offset, size_t size)
{
    int error;

    do {
        error = posix_fallocate(fd, (off_t)offset, (off_t)size);
    } while (error == EINTR);
    /* A sandbox may have taken the call away. */
    return error == ENOSYS || error == EPERM ? write_zeroes(fd, offset, size) : error;
}

/* Makes the file as long as this, without blocks. An error if the disk is too full for the blocks already. */
static int reserve(int fd, uint64_t offset, size_t size)
{
    struct statvfs fs;

    if (fstatvfs(fd, &fs) == 0 && fs.f_blocks && fs.f_bavail < size / fs.f_frsize) {
        return ENOSPC;
    }
    return pwrite(fd, "", 1, (off_t)(offset + size - 1)) == 1 ? 0 : errno;
}

enum { AHEAD = 1, POPULATE = 2, RESERVE = 4 };

static void *make_room(int fd, size_t size, int how, uint64_t *ret_offset)
{
    struct rlimit limit;
    void *map = MAP_FAILED;
    int error = 0;
    uint64_t offset = file_take_offset(size);

    if (offset % REC_ALIGN || offset > (uint64_t)INT64_MAX - size) {
        error = EINVAL; /* somebody scribbled over the header */
    } else if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && offset + size > limit.rlim_cur) {
        error = EFBIG; /* asking the kernel would be answered with a deadly signal */
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

/* With a descriptor that is sure to be right, or -1. */
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
