/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

size_t io_read(int fd, void *ret_bytes, size_t size, uint64_t offset) {
    size_t done = 0;

    while (done < size) {
        ssize_t n = pread(fd, (char *)ret_bytes + done, size - done, (off_t)(offset + done));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            errno = n < 0 ? errno : 0;
            break;
        }
        done += (size_t)n;
    }
    return done;
}

bool io_write(int fd, const void *bytes, size_t size, uint64_t offset) {
    for (size_t done = 0; done < size;) {
        ssize_t n = pwrite(fd, (const char *)bytes + done, size - done, (off_t)(offset + done));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            errno = n < 0 ? errno : ENOSPC;
            return false;
        }
        done += (size_t)n;
    }
    return true;
}

int io_temporary(void) {
    const char *directory = getenv("TMPDIR");
    char path[4096];

    if (!directory || !*directory) {
        directory = "/var/tmp";
    }
    int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0 && snprintf(path, sizeof(path), "%s/nvtxh.XXXXXX", directory) < (int)sizeof(path)) {
        fd = mkostemp(path, O_CLOEXEC);
        if (fd >= 0) {
            unlink(path);
        }
    }
    return fd;
}

void text_append(char *buffer, size_t size, const char *between, const char *format, ...) {
    size_t used = strlen(buffer);
    va_list args;

    if (used) {
        used += strlen(strncat(buffer + used, between, size - used - 1));
    }
    va_start(args, format);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
    vsnprintf(buffer + used, size - used, format, args);
    va_end(args);
}

bool error_set(struct error *ret, const char *format, ...) {
    va_list args;

    va_start(args, format);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
    vsnprintf(ret->text, sizeof(ret->text), format, args);
    va_end(args);
    return false;
}
