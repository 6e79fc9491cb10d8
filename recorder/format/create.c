/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "create.h"
#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void session_text(const uint8_t session[16], char ret_text[33]) {
    for (size_t i = 0; i < 16; i++) {
        snprintf(ret_text + 2 * i, 3, "%02x", session[i]);
    }
}

int rec_begin(int fd, const char *command, char ret_session[33]) {
    static struct {
        struct rec_header h;
        char rest[REC_HEADER_SIZE - sizeof(struct rec_header)];
    } file;
    struct rec_header *h = &file.h;
    struct rlimit limit;

    *h = (struct rec_header){.magic = {'N', 'V', 'T', 'X', 'H', 'R', 'E', 'C'},
                             .endian = REC_ENDIAN,
                             .version = REC_VERSION,
                             .header_size = REC_HEADER_SIZE,
                             .align = REC_ALIGN,
                             .next_offset = REC_HEADER_SIZE,
                             .clock = clock_choose(),
                             .program = rec_running_now(getpid())};
    if (getrandom(h->session, sizeof(h->session), 0) != (ssize_t)sizeof(h->session)) {
        return -1;
    }
    if (ret_session) {
        session_text(h->session, ret_session);
    }
    strncpy(h->command, command ? command : "", sizeof(h->command) - 1);
    h->start = clock_sample(h->clock);

    /* Writing a file beyond the size limit would raise SIGXFSZ, which ends the process. */
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < sizeof(file)) {
        errno = EFBIG;
        return -1;
    }
    /* First: so no reader finds a file of zeros. */
    ssize_t n = pwrite(fd, &file, sizeof(file), 0);
    if (n != (ssize_t)sizeof(file)) {
        errno = n < 0 ? errno : ENOSPC;
        return -1;
    }
    errno = posix_fallocate(fd, 0, sizeof(file));
    return errno ? -1 : 0;
}

int rec_open(const char *path, int flags) {
    int low[3], count = 0, fd, error;

    /* If any of the descriptors 0 to 2 are closed, occupies them first, so that the file gets none
     * of them. Because of O_PATH, reading and writing them fails as if they were closed. */
    while ((fd = open("/", O_PATH | O_CLOEXEC)) >= 0 && fd <= STDERR_FILENO && count < 3) {
        low[count++] = fd;
    }
    if (fd >= 0) {
        close(fd);
        fd = open(path, flags | O_NOFOLLOW | O_CLOEXEC, REC_MODE);
    }
    error = errno;
    while (count) {
        close(low[--count]);
    }
    errno = error;
    return fd;
}

bool rec_is_busy(int fd) {
    struct flock writers = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = REC_LOCK_OFFSET};
    struct rec_header h;

    return (fcntl(fd, F_GETLK, &writers) == 0 && writers.l_type != F_UNLCK) ||
           (pread(fd, &h, sizeof(h), 0) == (ssize_t)sizeof(h) && !memcmp(h.magic, REC_MAGIC, 8) &&
            !h.end.ticks && rec_still_runs(&h.program));
}

int rec_create(const char *path, bool force, mode_t mode, const char *command,
               char ret_session[33]) {
    struct stat st;

    if (force && lstat(path, &st) == 0) {
        if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode)) {
            errno = S_ISDIR(st.st_mode) ? EISDIR : EEXIST;
            return -1;
        }
        int there = rec_open(path, O_RDONLY);
        bool is_busy = there >= 0 && rec_is_busy(there);
        if (there >= 0) {
            close(there);
        }
        errno = EBUSY;
        if (is_busy || unlink(path) < 0) {
            return -1;
        }
    }
    int fd = rec_open(path, O_RDWR | O_CREAT | O_EXCL);
    if (fd >= 0 &&
        ((mode != REC_MODE && fchmod(fd, mode) < 0) || rec_begin(fd, command, ret_session) < 0)) {
        int error = errno;
        close(fd);
        unlink(path);
        errno = error;
        fd = -1;
    }
    return fd;
}

int rec_join(const char *path, const char *session) {
    struct rec_header h;
    char text[33];
    int fd = rec_open(path, O_RDWR);

    if (fd < 0) {
        return -1;
    }
    if (pread(fd, &h, sizeof(h), 0) == (ssize_t)sizeof(h) && !memcmp(h.magic, REC_MAGIC, 8) &&
        h.endian == REC_ENDIAN && h.version == REC_VERSION) {
        session_text(h.session, text);
        if (!session || !strcmp(session, text)) {
            return fd;
        }
    }
    close(fd);
    errno = EINVAL;
    return -1;
}

static uint64_t pid_namespace(void) {
    struct stat st;
    return stat("/proc/self/ns/pid", &st) == 0 ? st.st_ino : 0;
}

struct rec_running rec_running_now(pid_t pid) {
    return (struct rec_running){
        .pid = (uint32_t)pid, .at = clock_ns(CLOCK_MONOTONIC), .pids = pid_namespace()};
}

bool rec_still_runs(const struct rec_running *r) {
    char path[40], stat[1024] = "";
    uint64_t ticks = 0, now = clock_ns(CLOCK_MONOTONIC), boot = clock_ns(CLOCK_BOOTTIME);

    if (!r->pid || r->at > now || (r->pids && r->pids != pid_namespace())) {
        return false; /* r->at > now: of an earlier boot */
    }
    snprintf(path, sizeof(path), "/proc/%u/exe", r->pid);
    if (readlink(path, stat, 1) < 0 && errno != EACCES) { /* a zombie, or none */
        return false;
    }
    snprintf(path, sizeof(path), "/proc/%u/stat", r->pid);
    int fd = rec_open(path, O_RDONLY);
    const char *at = fd >= 0 && read(fd, stat, sizeof(stat) - 1) > 0 ? strrchr(stat, ')') : NULL;
    for (int field = 2; at && field < 22; field++) { /* field 2, the name, ends with ')' */
        at = strchr(at + 1, ' ');
    }
    if (at) {
        ticks = strtoull(at, NULL, 10);
    }
    if (fd >= 0) {
        close(fd);
    }
    uint64_t started = ticks * (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK));
    uint64_t age = boot > started ? boot - started : 0;
    return !ticks || now <= age || now - age <= r->at;
}

static const char letters[] = "hprjn%";

bool output_name_has(const char *name, char letter) {
    for (; (name = strchr(name, '%')) != NULL && name[1]; name += 2) {
        if (name[1] == letter) {
            return true;
        }
    }
    return false;
}

char output_name_mistake(const char *name) {
    for (; (name = strchr(name, '%')) != NULL; name += 2) {
        if (!name[1] || !strchr(letters, name[1])) {
            return name[1] ? name[1] : '%';
        }
    }
    return 0;
}

static void fill_in(char letter, const struct rec_identity *who, unsigned number, char ret[80]) {
    ret[0] = 0;
    switch (letter) {
    case 'h':
        gethostname(ret, 64);
        break;
    case 'p':
        snprintf(ret, 80, "%d", (int)getpid());
        break;
    case 'r':
        snprintf(ret, 80, who->rank == REC_RANK_NONE ? "none" : "%u", who->rank);
        break;
    case 'j':
        snprintf(ret, 80, "%s", *who->job ? who->job : "none");
        break;
    case 'n':
        snprintf(ret, 80, "%u", number);
        break;
    default:
        snprintf(ret, 80, "%c", letter);
        break;
    }
    ret[79] = 0;
    for (char *slash = ret; (slash = strchr(slash, '/')) != NULL;) {
        *slash = '_';
    }
}

bool output_name_expand(const char *name, const struct rec_identity *who, unsigned number,
                        char ret_path[PATH_MAX]) {
    size_t used = 0;
    char field[80];

    errno = ENAMETOOLONG;
    for (; *name; name++) {
        bool is_field = *name == '%' && name[1] && strchr(letters, name[1]);
        if (is_field) {
            fill_in(*++name, who, number, field);
        } else {
            field[0] = *name;
            field[1] = 0;
        }
        size_t size = strlen(field);
        if (used + size >= PATH_MAX) {
            return false;
        }
        memcpy(ret_path + used, field, size);
        used += size;
    }
    ret_path[used] = 0;
    return true;
}

bool output_name_escape(const char *text, char ret_name[PATH_MAX]) {
    size_t used = 0;

    for (; *text; text++) {
        if (used + 2 >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return false;
        }
        ret_name[used++] = *text;
        if (*text == '%') {
            ret_name[used++] = '%';
        }
    }
    ret_name[used] = 0;
    return true;
}

bool output_name_make_directories(const char *path) {
    char directory[PATH_MAX];

    snprintf(directory, sizeof(directory), "%s", path);
    for (char *slash = directory; (slash = strchr(slash + 1, '/')) != NULL;) {
        *slash = 0;
        if (mkdir(directory, 0777) < 0 && errno != EEXIST) {
            int error = errno; /* EROFS and the like: it may be there nevertheless */
            if (access(directory, X_OK) != 0) {
                errno = error;
                return false;
            }
        }
        *slash = '/';
    }
    return true;
}
