/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "file_path.h"
#include "options.h"
#include "../format/clock.h"
#include "../format/create.h"
#include "../format/output_name.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The absolute path of `wanted`, or of PROGRAM.PID.nvtxh in the working directory. */
static bool set_path(const char *wanted, char ret_path[PATH_MAX], char ret_exe[PATH_MAX])
{
    char directory[PATH_MAX] = "";
    ssize_t n = readlink("/proc/self/exe", ret_exe, PATH_MAX - 1);

    if (n <= 0) {
        memcpy(ret_exe, "program", sizeof("program"));
    } else {
        ret_exe[n] = 0;
    }
    const char *base = strrchr(ret_exe, '/') ? strrchr(ret_exe, '/') + 1 : ret_exe;
    bool relative = !wanted || wanted[0] != '/';
    if (relative && !getcwd(directory, sizeof(directory))) {
        errno = errno == ERANGE ? ENAMETOOLONG : errno; /* ERANGE: longer than PATH_MAX */
        snprintf(ret_path, PATH_MAX, "%s in the working directory", wanted ? wanted : base);
        return false;
    }
    n = wanted ? snprintf(ret_path, PATH_MAX, "%s%s%s", directory, relative ? "/" : "", wanted)
               : snprintf(ret_path, PATH_MAX, "%s/%s.%d.nvtxh", directory, base, (int)getpid());
    errno = ENAMETOOLONG;
    return n < PATH_MAX;
}

int file_path_create(const char *wanted, bool force, char ret_path[PATH_MAX])
{
    char exe[PATH_MAX];
    uint8_t session[16];

    int fd = set_path(wanted, ret_path, exe)
                 ? rec_create(ret_path, force, (mode_t)options.mode, exe, session)
                 : -1;
    if (fd >= 0 && options.paused) {
        struct rec_control control = {.pauses = 1, .paused = clock_ticks(clock_choose())};
        (void)!pwrite(fd, &control, sizeof(control), offsetof(struct rec_header, control));
    }
    return fd;
}

/* Inserts the pid before the suffix. */
static bool put_pid(const char *path, char ret_path[PATH_MAX])
{
    size_t size = strlen(path), suffix = size > 6 && !strcmp(path + size - 6, ".nvtxh") ? 6 : 0;

    errno = ENAMETOOLONG;
    return snprintf(ret_path, PATH_MAX, "%.*s.%d%s", (int)(size - suffix), path, (int)getpid(),
                    path + size - suffix) < PATH_MAX;
}

/* For names with fields. If the name is taken, for example by a process of the same rank, the pid is added. */
static int create_named(const char *name, char ret_path[PATH_MAX])
{
    static char path[PATH_MAX], beside[PATH_MAX]; /* one thread at a time opens a recording */
    bool counts = output_name_has(name, 'n');
    struct rec_identity who;
    int fd = -1;

    identity_read(&who);
    errno = EEXIST;
    for (unsigned i = 1; fd < 0 && errno == EEXIST && i <= (counts ? OUTPUT_NAME_MOST : 1); i++) {
        if (output_name_expand(name, &who, i, path) && output_name_make_directories(path)) {
            fd = file_path_create(path, false, ret_path);
        }
    }
    if (fd < 0 && errno == EEXIST && put_pid(path, beside)) {
        fd = file_path_create(beside, false, ret_path);
    }
    return fd;
}

int file_path_create_beside(const char *wanted, char ret_path[PATH_MAX])
{
    if (wanted && strchr(wanted, '%')) {
        return create_named(wanted, ret_path);
    }
    int fd = file_path_create(wanted, false, ret_path);
    if (fd < 0 && errno == EEXIST && wanted) {
        char other[PATH_MAX];
        if (snprintf(other, sizeof(other), "%s.%d", wanted, (int)getpid()) >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        fd = file_path_create(other, false, ret_path);
    }
    return fd;
}
