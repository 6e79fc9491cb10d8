/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "file.h"
#include "block_signals.h"
#include "memory.h"
#include "losses.h"
#include "options.h"
#include "../format/clock.h"
#include "../format/create.h"
#include "../format/environment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- the path --------------------------------------------------------------------------------- */

const char *file_program(char ret_exe[PATH_MAX]) {
    ssize_t n = readlink("/proc/self/exe", ret_exe, PATH_MAX - 1);

    if (n <= 0) {
        n = snprintf(ret_exe, PATH_MAX, "program");
    }
    ret_exe[n] = 0;
    return path_base(ret_exe);
}

/* Makes the absolute path of `wanted` or, if that is NULL, of PROGRAM.PID.nvtxh in the working
 * directory. ret_exe: the path of the program. False with errno on failure. */
static bool set_path(const char *wanted, char ret_path[PATH_MAX], char ret_exe[PATH_MAX]) {
    char directory[PATH_MAX] = "";
    const char *base = file_program(ret_exe);
    bool relative = !wanted || wanted[0] != '/';
    if (relative && !getcwd(directory, sizeof(directory))) {
        errno = errno == ERANGE ? ENAMETOOLONG : errno; /* ERANGE: longer than PATH_MAX */
        snprintf(ret_path, PATH_MAX, "%s in the working directory", wanted ? wanted : base);
        return false;
    }
    int n =
        wanted ? snprintf(ret_path, PATH_MAX, "%s%s%s", directory, relative ? "/" : "", wanted)
               : snprintf(ret_path, PATH_MAX, "%s/%.200s.%d.nvtxh", directory, base, (int)getpid());
    errno = ENAMETOOLONG;
    return n < PATH_MAX;
}

/* Removes a recording that began before this run of the command `record`, if no process writes to
 * it. Locks do not show every writer, because a process that closes its descriptors loses its lock.
 * So the process that made the file must have ended, too, if that process is known. If several
 * processes call this at the same time, one of them removes the old recording, and none removes a
 * file that another one has made since. */
static void remove_earlier(const char *path) {
    const char *began = secure_getenv(REC_ENV_REPLACE);
    struct stat opened, there;
    struct rec_header h;
    int fd = began ? rec_join(path, NULL) : -1;

    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && !rec_is_busy(fd) &&
        pread(fd, &h, sizeof(h), 0) == (ssize_t)sizeof(h) &&
        h.start.realtime < strtoull(began, NULL, 10) && fstat(fd, &opened) == 0 &&
        stat(path, &there) == 0 && there.st_ino == opened.st_ino) {
        unlink(path);
    }
    if (fd >= 0) {
        close(fd);
    }
}

/* Creates the recording of one process, at `wanted`; NULL: PROGRAM.PID.nvtxh in the working
 * directory. Returns a descriptor, or -1 with errno. Writes the absolute path to ret_path, or what
 * is known of it, even on failure. */
static int create_at(const char *wanted, bool force, char ret_path[PATH_MAX]) {
    char exe[PATH_MAX];

    int fd = set_path(wanted, ret_path, exe)
                 ? rec_create(ret_path, force, (mode_t)options.mode, exe, NULL)
                 : -1;
    if (fd >= 0 && options.paused) {
        struct rec_pauses pauses = {.count = 1, .ticks = {clock_ticks(clock_choose())}};
        (void)!pwrite(fd, &pauses, sizeof(pauses), offsetof(struct rec_header, control.pauses));
    }
    return fd;
}

/* Creates a recording whose name is `path` with .PID inserted before the last `suffix` bytes,
 * because `path` itself is taken. If that name is taken, too, inserts .PID.2, .PID.3 and so on. If
 * `path` has the pid already (`has_pid`), inserts only .2, .3 and so on. A process needs several
 * names if it runs several programs by exec. */
static int create_numbered(const char *path, size_t suffix, bool has_pid, char ret_path[PATH_MAX]) {
    static char beside[PATH_MAX]; /* static is safe: one thread at a time opens a recording */
    int size = (int)(strlen(path) - suffix), fd = -1;

    errno = EEXIST;
    for (unsigned i = has_pid ? 2 : 1; fd < 0 && errno == EEXIST && i <= OUTPUT_NAME_MOST; i++) {
        char number[32] = "";
        int n = has_pid ? 0 : snprintf(number, sizeof(number), ".%d", (int)getpid());
        if (i > 1) {
            snprintf(number + n, sizeof(number) - (size_t)n, ".%u", i);
        }
        errno = ENAMETOOLONG;
        if (snprintf(beside, PATH_MAX, "%.*s%s%s", size, path, number, path + size) < PATH_MAX) {
            fd = create_at(beside, false, ret_path);
        }
    }
    return fd;
}

/* Creates a recording whose name has fields such as %r (see create.h). If the name is taken, for
 * example by a process of the same rank, the pid is added. */
static int create_named(const char *name, char ret_path[PATH_MAX]) {
    static char path[PATH_MAX]; /* static is safe: one thread at a time opens a recording */
    bool counts = output_name_has(name, 'n');
    struct rec_identity who;
    int fd = -1;

    identity_read(&who);
    errno = EEXIST;
    for (unsigned i = 1; fd < 0 && errno == EEXIST && i <= (counts ? OUTPUT_NAME_MOST : 1); i++) {
        if (output_name_expand(name, &who, i, path) && output_name_make_directories(path)) {
            if (!counts) {
                remove_earlier(path);
            }
            fd = create_at(path, false, ret_path);
        }
    }
    if (fd < 0 && errno == EEXIST) {
        fd = create_numbered(path, strlen(path) - path_stem(path), false, ret_path);
    }
    return fd;
}

/* Like create_at, but `wanted` may have fields such as %p; a taken name gets a pid or number. */
static int create_beside(const char *wanted, char ret_path[PATH_MAX]) {
    if (wanted && strchr(wanted, '%')) {
        return create_named(wanted, ret_path);
    }
    int fd = create_at(wanted, false, ret_path);
    if (fd < 0 && errno == EEXIST) {
        char taken[PATH_MAX];
        memcpy(taken, ret_path, PATH_MAX);
        fd = create_numbered(taken, wanted ? 0 : 6, !wanted, ret_path);
    }
    return fd;
}

/* --- the file --------------------------------------------------------------------------------- */

#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE 2u
#endif

enum rec_clock file_clock = REC_CLOCK_MONOTONIC;

/* The current recording. To allocate room in it, a thread adds 1 to `users`, which makes
 * file_close wait for the thread, and after that reads `number`. */
static struct {
    int fd;
    bool own; /* process `pid` has made the recording, so it must write the end time */
    pid_t pid;
    dev_t dev;
    ino_t ino;
    struct rec_header *header; /* shared with every process of the recording; see file_control */
    uint32_t number;           /* the recording's number: odd, see thread.h; 0: there is none */
    uint32_t users;
    pid_t users_of; /* the process whose threads `users` counts */
    char path[PATH_MAX];
} file = {.fd = -1};
static uint32_t last_number = UINT32_MAX; /* so the first number is 1, and all are odd */

void file_say(const char *what, const char *why) {
    char line[PATH_MAX + 200];
    bool named = *file.path;

    snprintf(line, sizeof(line), "nvtxh: %s%s%s%s: %s; the program continues unrecorded\n", what,
             named ? " (" : "", file.path, named ? ")" : "", why);
    log_line(line);
}

/* Gives a descriptor a number of 200 or more, because shells and daemons close or reuse low numbers
 * without asking. If the limit of descriptors forbids that, uses the highest free number. */
static int move_high(int fd) {
    for (int from = 200; from > fd; from--) {
        int high = fcntl(fd, F_DUPFD_CLOEXEC, from);
        if (high >= 0) {
            close(fd);
            return high;
        }
    }
    return fd;
}

/* Writes the error to the header of a recording, which need not be mapped, for readers to see. */
static void write_stop_reason(int fd, int error) {
    (void)!pwrite(fd, &error, sizeof(error), offsetof(struct rec_header, stopped));
}

/* Maps the header (in file_close, zeros) over the last mapping, because threads may read there. */
static void *map_header(int how, int fd) {
    return mmap(file.header, REC_HEADER_SIZE, PROT_READ | PROT_WRITE,
                how | (file.header ? MAP_FIXED : 0), fd, 0);
}

/* Maps the opened recording's header, and makes the recording current. Returns 0 or an errno. */
static int use_recording(int fd, bool own) {
    struct stat st;

    fd = move_high(fd);
    void *map = map_header(MAP_SHARED, fd);
    if (map == MAP_FAILED || fstat(fd, &st) < 0) {
        int error = errno;
        write_stop_reason(fd, error);
        close(fd);
        return error;
    }
    file.fd = fd;
    file.own = own;
    file.pid = file.users_of = getpid();
    file.header = map;
    file.dev = st.st_dev;
    file.ino = st.st_ino;
    __atomic_store_n(&file.number, last_number += 2, __ATOMIC_SEQ_CST);
    return 0;
}

int file_open(void) {
    const char *wanted = secure_getenv(REC_ENV_FILE), *session = secure_getenv(REC_ENV_SESSION);
    bool joins = wanted && session;
    int fd;

    if (getauxval(AT_SECURE)) {
        file_say("cannot record this program", "it runs with more privileges than its caller");
        return EPERM; /* a set-user-ID program must not write a file for its caller */
    }
    if (joins) {
        snprintf(file.path, sizeof(file.path), "%s", wanted);
        fd = rec_join(wanted, session);
    } else {
        fd = create_beside(wanted && *wanted ? wanted : NULL, file.path);
    }
    int error = fd < 0 ? errno : use_recording(fd, !joins);
    if (error) {
        file_say("cannot open the recording", error_text(error));
    }
    return error;
}

void file_refuse(const char *what, const char *why, int error) {
    const char *wanted = secure_getenv(REC_ENV_FILE), *session = secure_getenv(REC_ENV_SESSION);
    int fd = wanted && session && !getauxval(AT_SECURE) ? rec_join(wanted, session) : -1;

    if (fd >= 0 && error) {
        write_stop_reason(fd, error);
        close(fd);
    } else if (fd >= 0 && use_recording(fd, false) == 0) {
        __atomic_fetch_add(&file.header->refused, 1, __ATOMIC_RELAXED);
        file_end();
        file_close();
    }
    file_say(what, why);
}

int file_create(const char *path, bool force) {
    if (getauxval(AT_SECURE)) {
        return EPERM;
    }
    int fd = create_at(path, force, file.path);
    return fd < 0 ? errno : use_recording(fd, true);
}

static bool is_recording(int fd) {
    struct stat st;
    return fstat(fd, &st) == 0 && st.st_dev == file.dev && st.st_ino == file.ino;
}

static void write_end(void) {
    if (file.own && file.pid == getpid()) {
        file.header->end = clock_sample(file_clock);
    }
}

/* Waits until no thread makes room in the recording, but at most a second. */
static bool wait_for_users(void) {
    for (int i = 0; i < 1000 && __atomic_load_n(&file.users, __ATOMIC_SEQ_CST); i++) {
        usleep(1000);
    }
    return !__atomic_load_n(&file.users, __ATOMIC_SEQ_CST);
}

void file_finish(void) {
    if (file.number) {
        if (file.users_of == getpid()) {
            wait_for_users(); /* room that is reserved, but not made, looks like a missing end */
        }
        write_end();
    }
}

void file_end(void) {
    write_end();
    __atomic_store_n(&file.number, 0, __ATOMIC_SEQ_CST);
}

void file_close(void) {
    if (wait_for_users()) {
        if (is_recording(file.fd)) {
            close(file.fd);
        }
        map_header(MAP_PRIVATE | MAP_ANONYMOUS, -1);
    } else {
        file.header = NULL; /* other threads still use the mapping and the descriptor */
    }
    file.fd = -1;
}

uint32_t file_recording(void) {
    return __atomic_load_n(&file.number, __ATOMIC_ACQUIRE);
}

struct rec_sample file_started(void) {
    return file.header->start;
}

/* Returns `file.fd`, or a new descriptor if the program has closed or reused it; -1 with errno. */
static int descriptor(void) {
    if (is_recording(file.fd)) {
        return file.fd;
    }
    int fd = rec_open(file.path, O_RDWR);
    if (fd >= 0 && !is_recording(fd)) {
        close(fd);
        errno = ESTALE;
        return -1;
    }
    return fd;
}

int file_own_descriptor(void) {
#ifdef SYS_close_range
    /* Gives this thread its own table of descriptors, with copies of the descriptors 0 to
     * `file.fd`. The program cannot reach descriptors that the thread opens from now on. */
    if (syscall(SYS_close_range, (unsigned)file.fd + 1, ~0u, CLOSE_RANGE_UNSHARE) == 0) {
        int fd = descriptor();
        if (fd > 0) {
            syscall(SYS_close_range, 0u, (unsigned)fd - 1, 0u);
        }
        syscall(SYS_close_range, (unsigned)fd + 1, ~0u, 0u);
        return fd;
    }
#endif
    return -1;
}

/* Returns a descriptor of the recording, or -1 with errno. In either case, call release; until
 * then, file_close leaves the descriptor open. `sure`: the descriptor to return; -1: find one. */
static int acquire(uint32_t number, int sure) {
    __atomic_add_fetch(&file.users, 1, __ATOMIC_SEQ_CST);
    if (!number || number != __atomic_load_n(&file.number, __ATOMIC_SEQ_CST)) {
        errno = ESTALE;
        return -1;
    }
    return sure < 0 ? descriptor() : sure;
}

static void release(int fd, int sure) {
    int error = errno;

    if (fd >= 0 && fd != file.fd && fd != sure) {
        close(fd);
    }
    __atomic_sub_fetch(&file.users, 1, __ATOMIC_SEQ_CST);
    errno = error;
}

/* Frees the reserved bytes of the file if no others were reserved since. Else they stay unused. */
static void unreserve(uint64_t offset, size_t size) {
    uint64_t next = offset + size;

    __atomic_compare_exchange_n(&file.header->next_offset, &next, offset, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
}

void file_lock(uint32_t process) {
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = REC_LOCK_OFFSET + process, .l_len = 1};
    int fd = descriptor();

    if (fd >= 0 && fd == file.fd) {
        fcntl(fd, F_SETLK, &lock);
    } else if (fd >= 0) {
        close(fd); /* closing `fd` would release the lock, so none is taken */
    }
}

uint32_t file_next_process(void) {
    if (file.users_of != getpid()) {
        file.users_of = getpid();
        file.users = 0;
    }
    return __atomic_fetch_add(&file.header->next_process, 1, __ATOMIC_RELAXED);
}

uint64_t *file_losses(void) {
    return file.header->lost;
}

const struct rec_control *file_control(void) {
    return &file.header->control;
}

void file_complain(uint32_t number, int error) {
    uint32_t none = 0;

    if (number == file_recording() &&
        __atomic_compare_exchange_n(&file.header->stopped, &none, (uint32_t)error, false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        file_say("recording stopped", error_text(error));
    }
}

/* --- room in the file ------------------------------------------------------------------------- */

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Writes zeroes, which costs the file system much less per page than a first store to a mapping.
 * Used only if the program cannot close and reuse `fd`, or if posix_fallocate is forbidden. */
static int write_zeroes(int fd, uint64_t offset, size_t size) {
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
static int allocate(int fd, uint64_t offset, size_t size) {
    int error;

    do {
        error = posix_fallocate(fd, (off_t)offset, (off_t)size);
    } while (error == EINTR);
    /* A sandbox may forbid the system call. Then zeroes are written. */
    return error == ENOSYS || error == EPERM ? write_zeroes(fd, offset, size) : error;
}

/* Extends the file without allocating blocks. Fails if the disk now has too few free blocks. */
static int reserve(int fd, uint64_t offset, size_t size) {
    struct statvfs fs;

    if (fstatvfs(fd, &fs) == 0 && fs.f_blocks && fs.f_bavail < size / fs.f_frsize) {
        return ENOSPC;
    }
    return pwrite(fd, "", 1, (off_t)(offset + size - 1)) == 1 ? 0 : errno;
}

/* How room in the file is made. AHEAD: zeroes are written first. POPULATE: the room's pages are
 * mapped. RESERVE: no blocks are allocated. ANYWAY: the limit of mappings is ignored. */
enum { AHEAD = 1, POPULATE = 2, RESERVE = 4, ANYWAY = 8 };

/* Prepares a part of the file, so that it can be mapped and written. Returns 0 or an errno. */
static int prepare(int fd, uint64_t offset, size_t size, int how) {
    struct rlimit limit;

    if (offset % REC_ALIGN || offset > (uint64_t)INT64_MAX - size) {
        return EINVAL; /* next_offset in the header was overwritten */
    }
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && offset + size > limit.rlim_cur) {
        return EFBIG; /* the kernel would send SIGXFSZ, which ends the program */
    }
    int error = how & RESERVE ? reserve(fd, offset, size) : allocate(fd, offset, size);
    if (!error && how & AHEAD) {
        write_zeroes(fd, offset, size);
    }
    return error;
}

static void *make_room(int fd, size_t size, int how, uint64_t *ret_offset) {
    void *map = MAP_FAILED;
    /* reserves the bytes */
    uint64_t offset = __atomic_fetch_add(&file.header->next_offset, size, __ATOMIC_RELAXED);
    int error = prepare(fd, offset, size, how);

    if (!error) {
        map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
        error = map == MAP_FAILED ? errno : 0;
    }
    if (!error) {
        /* without this, the first store makes the kernel read up to 8 MB, for some ms on ext4 */
        madvise(map, size, MADV_RANDOM);
    }
    if (!error && how & POPULATE) {
        file_alloc_populate(map, size);
    }
    if (error) {
        unreserve(offset, size);
    }
    *ret_offset = offset;
    errno = error;
    return error ? NULL : map;
}

/* --- one mapping for the chunks of many threads ----------------------------------------------- */

enum { SHARED = 4 << 20, LARGEST = SHARED / 4 }; /* bytes of the mapping; of its largest chunk */

/* A mapping of room in the file. A chunk gets the first part that is not used yet, and only then
 * the part's blocks are allocated. Chunks are unmapped one by one. */
struct shared {
    char *map;
    uint64_t offset;
    uint32_t recording;
    size_t used; /* bytes; SHARED or more: nothing is left */
};

static struct {
    struct shared *now;
    bool making; /* a thread is making the next mapping */
} * shared;      /* wiped in forked children */

bool file_alloc_init(void) {
    shared = wiped_memory_share(sizeof(*shared));
    return shared != NULL;
}

static struct shared *make_shared(int fd, uint32_t number) {
    struct shared *s = mappings_may_add() ? arena_new(sizeof(*s)) : NULL;

    if (s) {
        s->recording = number;
        s->map = make_room(fd, SHARED, RESERVE, &s->offset);
    }
    return s && s->map ? s : NULL;
}

/* Replaces the used-up `old`; returns its successor. NULL on failure, or while another thread makes
 * the successor. */
static struct shared *replace_shared(struct shared *old, int fd, uint32_t number) {
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

static void *cut_shared(int fd, uint32_t number, size_t size, uint64_t *ret_offset) {
    struct shared *s = __atomic_load_n(&shared->now, __ATOMIC_ACQUIRE);

    do {
        bool fits = s && s->recording == number;
        size_t take = fits ? size : SHARED;
        size_t at = s ? __atomic_fetch_add(&s->used, take, __ATOMIC_RELAXED) : SHARED;
        if (fits && at <= SHARED - size) {
            *ret_offset = s->offset + at;
            return s->map + at;
        }
        if (at < SHARED) { /* only the first thread that finds no room gets here */
            munmap(s->map + at, SHARED - at);
        }
        s = replace_shared(s, fd, number);
    } while (s);
    return NULL;
}

static void *make_chunk(int fd, uint32_t number, size_t size, int how) {
    bool alone = !mappings_are_shared() || how & ANYWAY;
    uint64_t offset;
    void *chunk = alone || size > LARGEST ? NULL : cut_shared(fd, number, size, &offset);

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

/* ---------------------------------------------------------------------------------------------- */

struct rec_chunk *file_alloc_chunk(uint32_t number, int sure, size_t size, bool anyway) {
    int how = POPULATE | (sure < 0 ? 0 : AHEAD) | (anyway ? ANYWAY : 0);
    int fd = acquire(number, sure);
    struct rec_chunk *chunk = fd < 0 ? NULL : make_chunk(fd, number, size, how);

    release(fd, sure);
    return chunk;
}

void *file_alloc_reserve(uint32_t number, size_t size, uint64_t *ret_offset) {
    int fd = acquire(number, -1);
    void *memory = fd < 0 ? NULL : make_room(fd, size, RESERVE, ret_offset);

    release(fd, -1);
    return memory;
}

int file_alloc_blocks(uint32_t number, uint64_t offset, size_t size) {
    int fd = acquire(number, -1);
    int error = fd < 0 ? errno : allocate(fd, offset, size);

    release(fd, -1);
    return error;
}

void file_alloc_populate(void *memory, size_t size) {
    madvise(memory, size, MADV_POPULATE_WRITE); /* only for speed; older kernels refuse */
}
