/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Preloaded: reads of more than 4 KiB give the first half of it, and some time later the rest. What
 * is read changes meanwhile. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>

/* Meson has file offsets of 64 bits: this is pread64. */
ssize_t pread(int fd, void *buffer, size_t size, off_t offset) {
    static ssize_t (*read_at)(int, void *, size_t, off_t);

    if (!read_at) {
        *(void **)&read_at = dlsym(RTLD_NEXT, sizeof(void *) == 8 ? "pread" : "pread64");
    }
    if (size <= 4096) {
        return read_at(fd, buffer, size, offset);
    }
    ssize_t got = read_at(fd, buffer, size / 2, offset);
    usleep(2000);
    return got;
}
