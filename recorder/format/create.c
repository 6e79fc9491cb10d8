/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "create.h"
#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_header(int fd, const char *command, uint8_t session[16])
{
    static struct {
        struct rec_header h;
        char rest[REC_HEADER_SIZE - sizeof(struct rec_header)];
    } file;
    struct rec_header *h = &file.h;
    const uint64_t none = 0;
    struct rlimit limit;

    *h = (struct rec_header){.magic = {'N', 'V', 'T', 'X', 'H', 'R', 'E', 'C'},
                             .endian = REC_ENDIAN,
                             .version = REC_VERSION,
                             .header_size = REC_HEADER_SIZE,
                             .align = REC_ALIGN,
                             .next_offset = REC_HEADER_SIZE,
                             .clock = clock_choose()};
    if (getrandom(h->session, sizeof(h->session), 0) != (ssize_t)sizeof(h->session)) {
        return -1;
    }
    if (memcmp(session, &none, sizeof(none)) != 0) {
        memcpy(h->session, session, sizeof(none));
    }
    memcpy(session, h->session, sizeof(h->session));
    strncpy(h->command, command ? command : "", sizeof(h->command) - 1);
    h->start = clock_sample(h->clock);

    /* Writing a file beyond the size limit would raise SIGXFSZ, which ends the process. */
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < sizeof(file)) {
        errno = EFBIG;
        return -1;
    }
    int error = posix_fallocate(fd, 0, sizeof(file));
    if (error) {
        errno = error;
        return -1;
    }
    ssize_t n = pwrite(fd, &file, sizeof(file), 0);
    if (n != (ssize_t)sizeof(file)) {
        errno = n < 0 ? errno : ENOSPC;
        return -1;
    }
    return 0;
}

int rec_open(const char *path, int flags)
{
    int low[3], count = 0, fd, error;

    /* Nothing can be read from or written to a descriptor that has O_PATH, as if it were closed. */
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

int rec_create(const char *path, bool force, mode_t mode, const char *command, uint8_t session[16])
{
    struct stat st;

    if (force && lstat(path, &st) == 0) {
        if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode)) {
            errno = S_ISDIR(st.st_mode) ? EISDIR : EEXIST;
            return -1;
        }
        if (unlink(path) < 0) {
            return -1;
        }
    }
    int fd = rec_open(path, O_RDWR | O_CREAT | O_EXCL);
    if (fd >= 0 && ((mode != REC_MODE && fchmod(fd, mode) < 0) || write_header(fd, command, session) < 0)) {
        int error = errno;
        close(fd);
        unlink(path);
        errno = error;
        fd = -1;
    }
    return fd;
}

void rec_session_text(const uint8_t session[16], char ret_text[33])
{
    for (size_t i = 0; i < 16; i++) {
        ret_text[2 * i] = "0123456789abcdef"[session[i] >> 4];
        ret_text[2 * i + 1] = "0123456789abcdef"[session[i] & 15];
    }
    ret_text[32] = 0;
}

int rec_join(const char *path, const char *session)
{
    struct rec_header h;
    char text[33];
    int fd = rec_open(path, O_RDWR);

    if (fd < 0) {
        return -1;
    }
    if (pread(fd, &h, sizeof(h), 0) == (ssize_t)sizeof(h) && !memcmp(h.magic, REC_MAGIC, 8) && h.endian == REC_ENDIAN &&
        h.version == REC_VERSION) {
        rec_session_text(h.session, text);
        if (!session || !strcmp(session, text)) {
            return fd;
        }
    }
    close(fd);
    errno = EINVAL;
    return -1;
}
