/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "file.h"
#include "file_path.h"
#include "note.h"
#include "../format/clock.h"
#include "../format/create.h"
#include "../format/environment.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE 2u
#endif

enum rec_clock file_clock = REC_CLOCK_MONOTONIC;

/* There is one recording at a time. A thread that uses it first adds itself to `users`, then reads `number`. */
static struct {
    int fd;
    bool own; /* this process has made the recording, and must write its end time */
    pid_t pid;
    dev_t dev;
    ino_t ino;
    struct rec_header *header; /* shared with every process of the recording */
    uint32_t number;           /* of the recording: odd, see thread.h; 0: there is none */
    uint32_t users;
    pid_t users_of; /* the process whose threads `users` counts */
    bool stays;     /* the header stays mapped: see file_losses */
    char path[PATH_MAX];
} file = {.fd = -1};
static uint32_t last_number = UINT32_MAX; /* so the first number is 1, and all are odd */

void file_say(const char *what, const char *why)
{
    char line[PATH_MAX + 200];
    bool named = *file.path;

    snprintf(line, sizeof(line), "nvtxh: %s%s%s%s: %s; the program continues unrecorded\n", what,
             named ? " (" : "", file.path, named ? ")" : "", why);
    note(line);
}

/* Moves a descriptor to a high number, the highest that is free if the limit is low: shells and daemons close or reuse
 * low ones without asking. */
static int move_high(int fd)
{
    for (int from = 200; from > fd; from--) {
        int high = fcntl(fd, F_DUPFD_CLOEXEC, from);
        if (high >= 0) {
            close(fd);
            return high;
        }
    }
    return fd;
}

/* Writes the error into the header of a recording that is not mapped, for its readers. */
static void leave_word(int fd, int error)
{
    const uint32_t yes = 1;
    (void)!pwrite(fd, &yes, sizeof(yes), offsetof(struct rec_header, complained));
    (void)!pwrite(fd, &error, sizeof(error), offsetof(struct rec_header, stopped));
}

/* Maps the header of the recording that was opened, and makes it the current one. Returns 0 or an errno. */
static int take(int fd, bool own)
{
    struct stat st;

    fd = move_high(fd);
    void *map = mmap(NULL, REC_HEADER_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED || fstat(fd, &st) < 0) {
        int error = errno;
        leave_word(fd, error);
        close(fd);
        return error;
    }
    file.fd = fd;
    file.own = own;
    file.pid = file.users_of = getpid();
    file.header = map;
    file.stays = false;
    file.dev = st.st_dev;
    file.ino = st.st_ino;
    __atomic_store_n(&file.number, last_number += 2, __ATOMIC_SEQ_CST);
    return 0;
}

int file_open(void)
{
    const char *wanted = secure_getenv(REC_ENV_FILE);
    const char *session = secure_getenv(REC_ENV_SESSION);
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
        fd = file_path_create_beside(wanted && *wanted ? wanted : NULL, file.path);
    }
    int error = fd < 0 ? errno : take(fd, !joins);
    if (error) {
        file_say("cannot open the recording", note_reason(error));
    }
    return error;
}

void file_refuse(const char *what, const char *why, int error)
{
    const char *wanted = secure_getenv(REC_ENV_FILE);
    const char *session = secure_getenv(REC_ENV_SESSION);
    int fd = wanted && session && !getauxval(AT_SECURE) ? rec_join(wanted, session) : -1;

    if (fd >= 0 && error) {
        leave_word(fd, error);
        close(fd);
    } else if (fd >= 0 && take(fd, false) == 0) {
        __atomic_fetch_add(&file.header->refused, 1, __ATOMIC_RELAXED);
        file_end();
        file_close();
    }
    file_say(what, why);
}

int file_create(const char *path, bool force)
{
    if (getauxval(AT_SECURE)) {
        return EPERM;
    }
    int fd = file_path_create(path, force, file.path);
    return fd < 0 ? errno : take(fd, true);
}

/* Writes when the recording ended, if this process has made it. */
static void write_end(void)
{
    if (file.own && file.pid == getpid()) {
        file.header->end = clock_sample(file_clock);
    }
}

void file_finish(void)
{
    if (file.number) {
        write_end();
    }
}

void file_end(void)
{
    write_end();
    __atomic_store_n(&file.number, 0, __ATOMIC_SEQ_CST);
}

void file_close(void)
{
    for (int i = 0; i < 1000 && __atomic_load_n(&file.users, __ATOMIC_SEQ_CST); i++) {
        usleep(1000);
    }
    if (!__atomic_load_n(&file.users, __ATOMIC_SEQ_CST)) {
        struct stat st;
        if (fstat(file.fd, &st) == 0 && st.st_dev == file.dev && st.st_ino == file.ino) {
            close(file.fd);
        }
        if (!file.stays) {
            munmap(file.header, REC_HEADER_SIZE);
        }
    }
    file.fd = -1; /* while a thread uses them, the mapping and the descriptor stay */
}

uint32_t file_recording(void)
{
    return __atomic_load_n(&file.number, __ATOMIC_ACQUIRE);
}

struct rec_sample file_started(void)
{
    return file.header->start;
}

/* The program may have closed our descriptor, and may have opened another file with that number. */
static int descriptor(void)
{
    struct stat st;

    if (fstat(file.fd, &st) == 0 && st.st_dev == file.dev && st.st_ino == file.ino) {
        return file.fd;
    }
    int fd = rec_open(file.path, O_RDWR);
    if (fd < 0) {
        return -1;
    }
    if (fstat(fd, &st) < 0 || st.st_dev != file.dev || st.st_ino != file.ino) {
        close(fd);
        errno = ESTALE;
        return -1;
    }
    return fd;
}

int file_own_descriptor(void)
{
#ifdef SYS_close_range
    int fd = descriptor();
    struct stat st;

    if (fd < 0) {
        return -1;
    }
    /* Gives this thread a table of its own with copies of the descriptors 0 to `fd`, then closes those below `fd`. */
    if (syscall(SYS_close_range, (unsigned)fd + 1, ~0u, CLOSE_RANGE_UNSHARE) == 0) {
        if (fd > 0) {
            syscall(SYS_close_range, 0u, (unsigned)fd - 1, 0u);
        }
        if (fstat(fd, &st) == 0 && st.st_dev == file.dev && st.st_ino == file.ino) {
            return fd;
        }
        close(fd);
    } else if (fd != file.fd) {
        close(fd);
    }
#endif
    return -1;
}

int file_hold(uint32_t number, int sure)
{
    __atomic_add_fetch(&file.users, 1, __ATOMIC_SEQ_CST);
    if (!number || number != __atomic_load_n(&file.number, __ATOMIC_SEQ_CST)) {
        errno = ESTALE;
        return -1;
    }
    return sure < 0 ? descriptor() : sure;
}

void file_let_go(int fd, int sure)
{
    int error = errno;

    if (fd >= 0 && fd != file.fd && fd != sure) {
        close(fd);
    }
    __atomic_sub_fetch(&file.users, 1, __ATOMIC_SEQ_CST);
    errno = error;
}

uint64_t file_take_offset(size_t size)
{
    return __atomic_fetch_add(&file.header->next_offset, size, __ATOMIC_RELAXED);
}

void file_give_back(uint64_t offset, size_t size)
{
    uint64_t next = offset + size;

    __atomic_compare_exchange_n(&file.header->next_offset, &next, offset, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
}

uint32_t file_next_process(void)
{
    if (file.users_of != getpid()) {
        file.users_of = getpid();
        file.users = 0;
    }
    return __atomic_fetch_add(&file.header->next_process, 1, __ATOMIC_RELAXED);
}

uint64_t *file_losses(void)
{
    file.stays = true;
    return file.header->lost;
}

void file_complain(uint32_t number, int error)
{
    if (number == file_recording() &&
        !__atomic_exchange_n(&file.header->complained, 1, __ATOMIC_RELAXED)) {
        __atomic_store_n(&file.header->stopped, (uint32_t)error, __ATOMIC_RELAXED);
        file_say("recording stopped", note_reason(error));
    }
}
