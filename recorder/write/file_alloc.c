/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "file_alloc.h"
#include "arena.h"
#include "block_signals.h"
#include "file.h"
#include "mappings.h"
#include "wiped_memory.h"

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

/* How room is made: with zeroes written first; with its pages mapped; without blocks; even if the process has nearly as
 * many mappings as it can have. */
enum { AHEAD = 1, POPULATE = 2, RESERVE = 4, ANYWAY = 8 };

/* Makes that part of the file writable. Returns 0 or an errno. */
static int prepare(int fd, uint64_t offset, size_t size, int how)
{
    struct rlimit limit;

    if (offset % REC_ALIGN || offset > (uint64_t)INT64_MAX - size) {
        return EINVAL; /* the header was overwritten */
    }
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && offset + size > limit.rlim_cur) {
        return EFBIG; /* the kernel would send a signal that ends the program */
    }
    int error = how & RESERVE ? reserve(fd, offset, size) : allocate(fd, offset, size);
    if (!error && how & AHEAD) {
        write_zeroes(fd, offset, size);
    }
    return error;
}

static void *make_room(int fd, size_t size, int how, uint64_t *ret_offset)
{
    void *map = MAP_FAILED;
    uint64_t offset = file_take_offset(size);
    int error = prepare(fd, offset, size, how);

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

/* --- one mapping for the chunks of many threads ------------------------------------------------ */

enum { SHARED = 4 << 20, LARGEST = SHARED / 4 }; /* bytes: of such a mapping; of a chunk in it */

/* Room that is mapped and has no blocks yet. Chunks take it from the beginning on, and each is unmapped by itself. */
struct shared {
    char *map;
    uint64_t offset;
    uint32_t recording;
    size_t used; /* exceeds SHARED once nothing is left */
};

static struct {
    struct shared *now;
    bool making; /* a thread makes the next one */
} * shared;      /* wiped in forked children */

bool file_alloc_init(void)
{
    shared = wiped_memory_share(sizeof(*shared));
    return shared != NULL;
}

/* NULL on failure. */
static struct shared *make_shared(int fd, uint32_t number)
{
    struct shared *s = mappings_may_add() ? arena_new(sizeof(*s)) : NULL;

    if (s) {
        s->recording = number;
        s->map = make_room(fd, SHARED, RESERVE, &s->offset);
    }
    return s && s->map ? s : NULL;
}

/* Replaces `old`, of which nothing is left. Returns the new one. NULL on failure, or while another thread makes it. */
static struct shared *replace(struct shared *old, int fd, uint32_t number)
{
    struct block_signals blocked = block_signals_enter(); /* no handler may jump out of this */
    struct shared *next = NULL;

    if (!__atomic_exchange_n(&shared->making, true, __ATOMIC_ACQUIRE)) {
        next = shared->now;
        if (next == old && (next = make_shared(fd, number)) != NULL) {
            __atomic_store_n(&shared->now, next, __ATOMIC_RELEASE);
        }
        __atomic_store_n(&shared->making, false, __ATOMIC_RELEASE);
    }
    block_signals_leave(&blocked);
    return next;
}

static void *take_shared(int fd, uint32_t number, size_t size, uint64_t *ret_offset)
{
    struct shared *s = __atomic_load_n(&shared->now, __ATOMIC_ACQUIRE);

    do {
        bool fits = s && s->recording == number;
        size_t take = fits ? size : SHARED;
        size_t at = s ? __atomic_fetch_add(&s->used, take, __ATOMIC_RELAXED) : SHARED;
        if (fits && at <= SHARED - size) {
            *ret_offset = s->offset + at;
            return s->map + at;
        }
        if (at < SHARED) { /* one thread gets the rest */
            munmap(s->map + at, SHARED - at);
        }
        s = replace(s, fd, number);
    } while (s);
    return NULL;
}

static void *make_chunk(int fd, uint32_t number, size_t size, int how)
{
    bool alone = !mappings_are_shared() || how & ANYWAY;
    uint64_t offset;
    void *chunk = alone || size > LARGEST ? NULL : take_shared(fd, number, size, &offset);

    if (!chunk) {
        errno = EUSERS;
        return alone || mappings_may_add() ? make_room(fd, size, how, &offset) : NULL;
    }
    int error = prepare(fd, offset, size, how);
    if (error) {
        munmap(chunk, size);
        errno = error;
        return NULL;
    }
    file_alloc_populate(chunk, size);
    return chunk;
}

/* ------------------------------------------------------------------------------------------------ */

/* `sure`: a descriptor that is known to be valid, or -1. */
static void *make_for(uint32_t number, int sure, size_t size, int how)
{
    int fd = file_hold(number, sure);
    void *chunk = fd < 0 ? NULL : make_chunk(fd, number, size, how);

    file_let_go(fd, sure);
    return chunk;
}

struct rec_chunk *file_alloc_chunk(uint32_t number, size_t size, bool anyway)
{
    return make_for(number, -1, size, POPULATE | (anyway ? ANYWAY : 0));
}

struct rec_chunk *file_alloc_chunk_ahead(uint32_t number, int own_descriptor, size_t size)
{
    return make_for(number, own_descriptor, size, AHEAD | POPULATE);
}

void *file_alloc_reserve(uint32_t number, size_t size, uint64_t *ret_offset)
{
    int fd = file_hold(number, -1);
    void *room = fd < 0 ? NULL : make_room(fd, size, RESERVE, ret_offset);

    file_let_go(fd, -1);
    return room;
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
