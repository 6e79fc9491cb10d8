/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CORE_SAY_H
#define NVTXH_CORE_SAY_H

/* Writes messages to the program's descriptor 2 without harm to the program. The program does not
 * get SIGPIPE if the reader has gone, SIGXFSZ if a limit of file sizes is reached, or SIGTTOU if it
 * is in the terminal's background. The program waits for a reader that does not read only as long
 * as the caller allows. If the program has opened another file as descriptor 2, that file gets
 * nothing. A message that cannot be written in this way is dropped. Signal handlers may write
 * messages, too, because only system calls are made. This file includes headers of the C library,
 * so only the implementation includes it. Not API. */

#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* Names that strict C (-std=c11) hides, or that only large headers have. Numbers are Linux's. */
#ifdef O_CLOEXEC
#define NVTXH_I_O_CLOEXEC O_CLOEXEC
#else
#define NVTXH_I_O_CLOEXEC 02000000
#endif
enum {
    NVTXH_I_SIGPIPE = 1 << 12, /* this and the next two: signals, as bits of a mask */
    NVTXH_I_SIGTTOU = 1 << 21,
    NVTXH_I_SIGXFSZ = 1 << 24,
    NVTXH_I_ATOMIC = 4096, /* PIPE_BUF: a pipe takes a write of up to 4096 bytes whole */
};

/* What descriptor 2 was when the program began, or when the program loaded this code. */
struct nvtxh_i_stderr {
    bool known, open;
    unsigned kind;         /* the file's type: st_mode & S_IFMT */
    uint64_t device, file; /* st_dev, st_ino */
};

NVTXH_I_C_BEGIN

/* Remembers in S what descriptor 2 is. A descriptor with FD_CLOEXEC counts as closed, because the
 * program itself must have opened it. CLOSED: descriptor 2 was closed when the program began. */
NVTXH_I_COLD void nvtxh_i_stderr_look(struct nvtxh_i_stderr *s, bool closed) {
    struct stat now;
    int error = errno, flags = fcntl(2, F_GETFD);

    s->known = true;
    s->open = !closed && flags >= 0 && !(flags & FD_CLOEXEC) && !fstat(2, &now);
    if (s->open) {
        s->kind = now.st_mode & 0170000;
        s->device = now.st_dev;
        s->file = now.st_ino;
    }
    errno = error;
}

/* Is descriptor 2 still the file that S describes? */
NVTXH_I_COLD bool nvtxh_i_stderr_is_same(const struct nvtxh_i_stderr *s) {
    struct stat now;

    return s->open && !fstat(2, &now) && (now.st_mode & 0170000) == s->kind &&
           now.st_dev == s->device && now.st_ino == s->file;
}

/* The signals of a thread before nvtxh_i_quiet_begin() blocked the signals that writing raises. */
struct nvtxh_i_quiet {
    uint64_t before;  /* the thread's mask */
    uint64_t pending; /* signals that were pending before, so writing has not raised them */
};

NVTXH_I_COLD void nvtxh_i_quiet_begin(struct nvtxh_i_quiet *q) {
    uint64_t raised = NVTXH_I_SIGPIPE | NVTXH_I_SIGXFSZ | NVTXH_I_SIGTTOU;

    q->pending = 0;
    syscall(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, &raised, &q->before, sizeof(raised));
    syscall(SYS_rt_sigpending, &q->pending, sizeof(q->pending));
}

/* Removes the signals RAISED, which writing has raised, from the pending signals, and restores the
 * thread's mask. */
NVTXH_I_COLD void nvtxh_i_quiet_end(const struct nvtxh_i_quiet *q, uint64_t raised) {
    const struct timespec at_once = {0, 0};

    raised &= ~q->pending;
    while (raised && (syscall(SYS_rt_sigtimedwait, &raised, NULL, &at_once, sizeof(raised)) > 0 ||
                      errno == EINTR)) {
    }
    syscall(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, &q->before, NULL, sizeof(q->before));
}

/* Waits until FD takes bytes: if FD is a pipe, NVTXH_I_ATOMIC bytes; otherwise, any number. False:
 * it takes none within PATIENCE_MS. Blocks signals, whose handlers would end the wait. */
NVTXH_I_COLD bool nvtxh_i_say_writable(int fd, int patience_ms) {
    struct { /* struct pollfd, for the system call ppoll: not all processors have poll */
        int fd;
        short events, seen;
    } poll = {fd, 4 /* POLLOUT */, 0};
    struct timespec wait = {patience_ms / 1000, patience_ms % 1000 * 1000000};
    uint64_t all = ~(uint64_t)0;

    return syscall(SYS_ppoll, &poll, 1, &wait, &all, sizeof(all)) == 1 && poll.seen == 4;
}

/* Opens the pipe or terminal of descriptor 2 again, with O_NONBLOCK: in descriptor 2 itself, the
 * flag would affect other processes. -1 with ENXIO: the pipe has no reader. -1 with another errno:
 * descriptor 2 is neither, or cannot be opened (it may belong to another user). */
NVTXH_I_COLD int nvtxh_i_say_open(const struct nvtxh_i_stderr *s) {
    errno = 0;
    if (s->kind != 0010000 /* S_IFIFO */ && !(s->kind == 0020000 /* S_IFCHR */ && isatty(2))) {
        return -1;
    }
    /* Not open(): with _FORTIFY_SOURCE it must be inlined, which needs an optimized caller. */
    return (int)syscall(SYS_openat, -100 /* AT_FDCWD */, "/proc/thread-self/fd/2",
                        O_WRONLY | O_NONBLOCK | O_NOCTTY | NVTXH_I_O_CLOEXEC);
}

/* Writes whole lines, up to NVTXH_I_ATOMIC bytes at a time; splits longer lines. False: error. */
NVTXH_I_COLD bool nvtxh_i_say_all(const struct nvtxh_i_stderr *s, int fd, const char *text,
                                  size_t size, int patience_ms) {
    size_t n, i;
    long done;

    while (size) {
        n = size;
        if (n > NVTXH_I_ATOMIC) {
            n = NVTXH_I_ATOMIC;
        }
        for (i = n; i && text[i - 1] != '\n'; i--) {
        }
        n = i ? i : n;
        if (!nvtxh_i_say_writable(fd, patience_ms)) {
            return true;
        }
        done = s->kind == 0140000 /* S_IFSOCK: MSG_DONTWAIT, MSG_NOSIGNAL */
                   ? syscall(SYS_sendto, fd, text, n, 0x4040, NULL, 0)
                   : syscall(SYS_write, fd, text, n);
        if (done <= 0) {
            return !done;
        }
        text += done;
        size -= (size_t)done;
    }
    return true;
}

/* Writes TEXT to descriptor 2, if that is still the file that S describes. PATIENCE_MS: how long
 * each wait for space may take. If there is no space by then, the rest of the text is dropped. */
NVTXH_I_COLD void nvtxh_i_stderr_say(const struct nvtxh_i_stderr *s, const char *text, size_t size,
                                     int patience_ms) {
    struct nvtxh_i_quiet quiet;
    uint64_t raised = 0;
    int error = errno, fd;

    if (!nvtxh_i_stderr_is_same(s)) {
        errno = error;
        return;
    }
    nvtxh_i_quiet_begin(&quiet);
    fd = nvtxh_i_say_open(s);
    if ((fd >= 0 || errno != ENXIO) &&
        !nvtxh_i_say_all(s, fd < 0 ? 2 : fd, text, size, patience_ms)) {
        raised = errno == EPIPE ? NVTXH_I_SIGPIPE : errno == EFBIG ? NVTXH_I_SIGXFSZ : 0;
    }
    if (fd >= 0) {
        close(fd);
    }
    nvtxh_i_quiet_end(&quiet, raised);
    errno = error;
}

NVTXH_I_C_END

#endif
