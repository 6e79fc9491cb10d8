/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* reused FILE WAY: FILE becomes descriptor 2, or nothing does, and 20,000 ranges are passed.
 *   first      FILE is opened before the first NVTX call, as the lowest free number; descriptor 2 has to be closed
 *   private    the same, with O_CLOEXEC
 *   later      FILE replaces descriptor 2 after the first NVTX call
 *   closed     after each range, FILE's text is written to descriptor 2, which has to be closed: every write fails
 *   none       the same, and no other number is free */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

static const char text[] = "data of the program\n";

static void put(int fd) {
    MUST(write(fd, text, sizeof(text) - 1) == (ssize_t)sizeof(text) - 1);
}

static void fail_to_put(void) {
    MUST(write(STDERR_FILENO, text, sizeof(text) - 1) < 0 && errno == EBADF);
}

int main(int argc, char **argv) {
    MUST(argc == 3);
    const char *way = argv[2];
    bool closed = !strcmp(way, "closed") || !strcmp(way, "none"), later = !strcmp(way, "later");
    int private = strcmp(way, "private") ? 0 : O_CLOEXEC;

    if (later) {
        nvtxMarkA("before");
    }
    int fd = closed ? -1 : open(argv[1], O_RDWR | O_CREAT | O_TRUNC | private, 0600);
    MUST(closed || later ? fd != STDERR_FILENO : fd == STDERR_FILENO);
    if (later) {
        MUST(dup2(fd, STDERR_FILENO) == STDERR_FILENO);
    }
    if (!strcmp(way, "none")) {
        while ((fd = open("/dev/null", O_RDONLY)) >= 0) {
        }
        close(STDERR_FILENO);
    }
    for (int i = 0; i < 20000; i++) {
        if (i % 1000 == 0) {
            closed ? fail_to_put() : put(STDERR_FILENO);
        }
        nvtxRangePushA("range");
        nvtxRangePop();
    }
    closed ? fail_to_put() : put(STDERR_FILENO);
    puts("finished");
    return 5;
}
