/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "thread_name.h"
#include "registry.h"
#include "wiped_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct thread_name **all; /* under the registry's lock; empty in a forked child */

bool thread_name_init(void)
{
    all = wiped_memory_share(sizeof(struct thread_name *));
    return all != NULL;
}

static bool look_up(uint32_t tid, char ret_text[16])
{
    char path[64];

    if (tid == (uint32_t)syscall(SYS_gettid)) { /* a thousand times as fast as reading the file */
        return prctl(PR_GET_NAME, ret_text) == 0;
    }
    snprintf(path, sizeof(path), "/proc/self/task/%u/comm", (unsigned)tid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    ssize_t size = read(fd, ret_text, 16);
    close(fd);
    if (size < 2) {
        return false;
    }
    ret_text[size - 1] = 0; /* in place of the newline */
    return true;
}

static bool is_program(const char *text)
{
    return !strncmp(text, program_invocation_short_name, 15);
}

static void write_name(struct stream *definitions, struct thread_name *n)
{
    char text[16];

    if (look_up(n->tid, text) && strcmp(text, n->text) != 0 && !is_program(text) &&
        !registry_has_thread(n->tid) &&
        stream_write_long(definitions, rec_word(REC_THREAD, 0), n->tid, text, strlen(text))) {
        memcpy(n->text, text, sizeof(text));
    }
}

void thread_name_begin(struct stream *definitions, struct thread_name *n, uint32_t tid)
{
    n->begun = true;
    n->tid = tid;
    n->text[0] = 0;
    if (!n->from) {
        n->next = *all;
        n->from = all;
        *all = n;
        if (n->next) {
            n->next->from = &n->next;
        }
    }
    write_name(definitions, n);
}

void thread_name_end(struct thread_name *n)
{
    if (!n->begun) {
        return;
    }
    write_name(registry_lock(), n);
    *n->from = n->next;
    if (n->next) {
        n->next->from = n->from;
    }
    n->from = NULL;
    n->begun = false; /* another thread may get this memory and not record */
    registry_unlock();
}

void thread_name_write_all(struct stream *definitions)
{
    for (struct thread_name *n = *all; n; n = n->next) {
        write_name(definitions, n);
    }
}
